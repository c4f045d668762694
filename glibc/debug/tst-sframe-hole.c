/* Test that backtrace does not read an unreadable page in the middle of the
   thread's stack, to which an overwritten FP or return address leads, and
   leaves errno alone when it probes the page.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <array_length.h>
#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <support/temp_file.h>
#include <support/xunistd.h>

#include "tst-sframe-overwrite.h"
#include "tst-sframe-own-stack.h"

#if HAVE_SFRAME_ASM

enum
{
  /* take, smash_fp and caller.  */
  GOOD_FRAMES = 3,
  STACK_SIZE = 1024 * 1024,
  /* The unreadable pages, counted from the start of the buffer on the stack:
     farther from the frames below than SFRAME_LEAP.  */
  PROTECTED = 36,
  UNMAPPED = 38,
  BEYOND_END_OF_FILE = 40,
  BUFFER_PAGES = 42,
  ERRNO = 4711,
};

/* Never runs: a return address into it, huge_return, leads into the unreadable
   pages.  Its CFA comes from SP.  */
enum { HUGE_FRAME = 168 * 1024 };
extern void huge (void);
extern char huge_return[];
# if HAVE_SFRAME_X86
asm (".globl huge_return\n"
     ASM_TEXT (huge,
	       ".cfi_def_cfa_offset 168 * 1024\n"
	       "nop\n"
	       "huge_return:\n"
	       "nop\n"));
# elif HAVE_SFRAME_AARCH64
asm (".globl huge_return\n"
     ASM_TEXT (huge,
	       ".cfi_def_cfa_offset 168 * 1024\n"
	       ".cfi_offset x30, -8\n"
	       "nop\n"
	       "huge_return:\n"
	       "nop\n"));
# else
asm (".globl huge_return\n"
     ASM_TEXT (huge,
	       ".cfi_def_cfa_offset 168 * 1024\n"
	       ".cfi_offset %r14, -48\n"
	       ".cfi_offset %r15, -40\n"
	       "nopr\n"
	       "huge_return:\n"
	       "nopr\n"));
# endif

static size_t page;
static struct trace good, bad[3];
/* The last ones use cached rules, as far as these were cached.  */
static struct trace wild_ra[4];
static int errno_after[array_length (bad)];
static size_t taken;

/* Whether a system call that reads from ADDRESS fails.  Some emulators crash
   instead if ADDRESS is beyond the end of a mapped file.  */
static bool
call_fails (void *address)
{
  pid_t pid = xfork ();
  if (pid == 0)
    _exit (syscall (SYS_rt_sigprocmask, -1, address, NULL, 8) != -1
	   || errno != EFAULT);
  int status;
  xwaitpid (pid, &status, 0);
  return status == 0;
}

/* Variable in size, so that its CFA comes from FP.  One call, so that all
   traces have the same return address.  */
static void FRAME
caller (size_t size)
{
  char buffer[size + page];
  char *start = buffer + (-(uintptr_t) buffer & (page - 1));
  int fd = create_temp_file ("tst-sframe-hole", NULL);
  xmprotect (start + PROTECTED * page, page, PROT_NONE);
  xmunmap (start + UNMAPPED * page, page);
  xmmap (start + BEYOND_END_OF_FILE * page, page, PROT_READ | PROT_WRITE,
	 MAP_SHARED | MAP_FIXED, fd);
  xclose (fd);

  size_t at[] = { 0, PROTECTED, UNMAPPED, BEYOND_END_OF_FILE };
  for (volatile size_t i = 0; i < array_length (at); ++i)
    {
      if (i > 0 && !call_fails (start + at[i] * page))
	{
	  TEST_COMPARE (at[i], BEYOND_END_OF_FILE);
	  break;
	}
      ++taken;
      void *hole = start + at[i] * page + page / 2;
      errno = ERRNO;
      smash_fp (i == 0 ? NULL : &hole, i == 0 ? &good : &bad[i - 1]);
      if (i > 0)
	errno_after[i - 1] = errno;
    }

  xmmap (start + PROTECTED * page, (BUFFER_PAGES - PROTECTED) * page,
	 PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1);
  KEEP_FRAME ();
}

/* HUGE_FRAME above the stack pointer there are only unreadable pages.  */
static void FRAME
below_large_hole (void)
{
  char buffer[2 * HUGE_FRAME];
  char *start = buffer + (-(uintptr_t) buffer & (page - 1));
  size_t size = 2 * HUGE_FRAME - 2 * page;
  void *value = huge_return;

  xmprotect (start, size, PROT_NONE);
  for (volatile size_t i = 0; i < array_length (wild_ra); ++i)
    smash_ra (&value, &wild_ra[i]);
  xmprotect (start, size, PROT_READ | PROT_WRITE);
  KEEP_FRAME ();
}

static void *
thread_function (void *closure)
{
  caller (BUFFER_PAGES * page);
  below_large_hole ();
  return closure;
}

static int
do_test (void)
{
  page = sysconf (_SC_PAGESIZE);
  void *stack = xmmap (NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1);
  run_on_stack (stack, STACK_SIZE, thread_function, NULL);

  check_no_fallback ();
  TEST_VERIFY (good.count > GOOD_FRAMES);
  for (size_t i = 0; i < taken - 1; ++i)
    {
      TEST_COMPARE (bad[i].count, GOOD_FRAMES);
      TEST_COMPARE_BLOB (bad[i].pc, GOOD_FRAMES * sizeof (void *),
			 good.pc, GOOD_FRAMES * sizeof (void *));
      TEST_COMPARE (errno_after[i], ERRNO);
    }
  /* take, smash_ra and huge.  */
  for (size_t i = 0; i < array_length (wild_ra); ++i)
    {
      TEST_COMPARE (wild_ra[i].count, 3);
      TEST_VERIFY (wild_ra[i].pc[2] == huge_return);
    }
  return 0;
}

#else
static int
do_test (void)
{
  FAIL_UNSUPPORTED ("needs to know where FP is saved");
}
#endif

#include <support/test-driver.c>
