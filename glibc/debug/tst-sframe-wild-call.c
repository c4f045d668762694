/* Test that backtrace finds the caller after a call through a wild pointer to
   memory without code.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <array_length.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <support/support.h>
#include <support/xunistd.h>

#include "tst-sframe-support.h"
#include "tst-sframe-asm.h"

#if HAVE_SFRAME_ASM

static struct trace good, bad;
static sigjmp_buf escape;
static void *interrupted;

static void
take (void)
{
  good.count = backtrace (good.pc, TRACE_MAX);
  KEEP_FRAME ();
}

/* The kernel passes the third argument even without SA_SIGINFO.  */
static void
handler (int signo, siginfo_t *info, void *context)
{
  interrupted = (void *) CONTEXT_PC ((ucontext_t *) context);
  bad.count = backtrace (bad.pc, TRACE_MAX);
  siglongjmp (escape, 1);
}

/* One call, so that all traces have the same return address.  */
static void FRAME
call (void (*function) (void))
{
  function ();
  KEEP_FRAME ();
}

/* Make all traces from the same place.  */
static void FRAME
visit (void **pointers, size_t count, void (*check) (void *))
{
  for (size_t i = 0; i < count; ++i)
    if (sigsetjmp (escape, 1) == 0)
      call ((void (*) (void)) pointers[i]);
    else
      check (pointers[i]);
}

static int checked;

/* A gap between functions, with trapping instructions and invalid ones.  */
extern char gap[];
# if HAVE_SFRAME_X86
#  define TRAP "int3\n"
#  define FILL "0xff"
enum { INSTRUCTION_SIZE = 1 };
# elif HAVE_SFRAME_AARCH64
#  define TRAP "udf #0\n"
#  define FILL "0"
enum { INSTRUCTION_SIZE = 4 };
# else
#  define TRAP ".short 0\n"
#  define FILL "0"
enum { INSTRUCTION_SIZE = 6 };
# endif
asm (".pushsection .text\n"
     ".balign 16\n"
     "gap:\n"
     ".rept 32\n" TRAP ".endr\n"
     ".skip 64, " FILL "\n"
     ".popsection");

/* Check that the frames after the wild pointer are those after take.  */
static void
check (void *pointer)
{
  printf ("info: call of %p\n", pointer);
  ++checked;
  int tail = good.count - 1;
  TEST_VERIFY_EXIT (bad.count > tail);
  TEST_VERIFY (bad.pc[bad.count - tail - 1] == interrupted);
  /* PC may be after the trapping instruction.  */
  TEST_VERIFY ((uintptr_t) interrupted - (uintptr_t) pointer
	       <= INSTRUCTION_SIZE);
  TEST_COMPARE_BLOB (bad.pc + bad.count - tail, tail * sizeof (void *),
		     good.pc + 1, tail * sizeof (void *));
}

/* Call through pointers to memory without code, with HANDLER installed with
   FLAGS.  */
static void FRAME
call_wild (void **pointers, size_t count, int flags)
{
  struct sigaction sa = { .sa_sigaction = handler, .sa_flags = flags };
  xsigaction (SIGSEGV, &sa, NULL);
  xsigaction (SIGILL, &sa, NULL);
  xsigaction (SIGTRAP, &sa, NULL);
  xsigaction (SIGBUS, &sa, NULL);
  checked = 0;
  visit (pointers, count, check);
  TEST_COMPARE (checked, count - 1);
  TEST_VERIFY (good.count > 3);
  KEEP_FRAME ();
}

/* In an object that has tables.  */
static char data[64] __attribute__ ((aligned (16)));
static const char constant[64] __attribute__ ((aligned (16))) = { 1 };

/* The same with and without SA_SIGINFO, and on an alternate stack.  */
static void
call_wild_all_ways (void **pointers, size_t count)
{
  call_wild (pointers, count, SA_SIGINFO);
  stack_t ss = { .ss_sp = xmalloc (64 * 1024), .ss_size = 64 * 1024 };
  TEST_COMPARE (sigaltstack (&ss, NULL), 0);
  call_wild (pointers, count, SA_SIGINFO | SA_ONSTACK);
  /* Without SA_SIGINFO s390x does not report the address of the fault, and
     AArch64 passes no context.  */
  if (HAVE_SFRAME_X86)
    call_wild (pointers, count, 0);
  free (ss.ss_sp);
}

static int
do_test (void)
{
  size_t page = sysconf (_SC_PAGESIZE);
  char *gone = xmmap (NULL, 2 * page, PROT_NONE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1);
  xmunmap (gone + page, page);
  char *readable = xmmap (NULL, page, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1);
  char *heap = xmalloc (100);
  char local[64] __attribute__ ((aligned (16)));
  void *pointers[] =
    {
      take, NULL, gone, gone + 8, gone + page,
      gap, gap + 8, gap + 48,
      /* The others are readable, but not executable.  */
      readable, readable + 8, readable + page - 2, heap, local, data,
      (void *) constant,
      /* No instruction can be at an odd address.  */
      (void *) 1, gone + 1, readable + 1, (char *) take + 1
    };
  size_t count = array_length (pointers) - (HAVE_SFRAME_X86 ? 1 : 0);

  call_wild_all_ways (pointers, count);
  check_no_fallback ();
  free (heap);
  return 0;
}

#else
static int
do_test (void)
{
  FAIL_UNSUPPORTED ("not known what a call does");
}
#endif

#include <support/test-driver.c>
