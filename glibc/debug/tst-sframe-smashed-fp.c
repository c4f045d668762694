/* Test that backtrace ends where a function's saved FP is overwritten, and
   that it shows every frame up to there.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <array_length.h>
#include <sys/mman.h>

#include <support/xunistd.h>

#include "tst-sframe-overwrite.h"
#include "tst-sframe-own-stack.h"

#if HAVE_SFRAME_ASM

/* take, smash_fp and caller.  */
enum { GOOD_FRAMES = 3 };

/* The largest offset from FP to the CFA.  */
# if HAVE_SFRAME_X86
enum { FP_TO_CFA = 64 };
# else
enum { FP_TO_CFA = 1024 };
# endif

/* Volatile, so that the compiler does not know the value.  */
static volatile int buffer_size = 100;

struct attempt
{
  void *value;
  struct trace trace;
};

/* The first attempt does not change the stack.  */
static struct attempt attempts[10];

/* Variable in size, so that its CFA comes from FP.  */
static void * FRAME
caller (void *closure)
{
  volatile char buffer[buffer_size];
  buffer[0] = 1;
  /* The caller's frame at the same place, and below.  */
  attempts[1].value = (void *) buffer - FP_TO_CFA;
  attempts[2].value = (void *) buffer - 4096;
  /* One call, so that all traces have the same return address.  */
  for (volatile size_t i = 0; i < array_length (attempts); ++i)
    smash_fp (i == 0 ? NULL : &attempts[i].value, &attempts[i].trace);
  return closure;
}

/* Values for FP.  EDGE is the end of readable memory.  */
static void
choose_values (char *edge)
{
  attempts[3].value = edge;
  /* FP is readable, RA is not; then only some bytes of RA are.  */
  attempts[4].value = edge - 8;
  attempts[5].value = edge - 12;
  attempts[6].value = (void *) 1;
  /* The CFA wraps.  */
  attempts[7].value = (void *) -8;
  /* Invalid addresses.  */
  attempts[8].value = (void *) 0x5a5a5a5a5a5a5a5a;
  attempts[9].value = (void *) 0xa5a5a5a5a5a5a5a5;
}

static int
do_test (void)
{
  /* A stack, and unreadable memory above it, so that a CFA there is still
     higher.  */
  size_t page = sysconf (_SC_PAGESIZE);
  size_t stack_size = 256 * 1024;
  char *stack = xmmap (NULL, stack_size + 2 * page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1);
  char *edge = stack + stack_size + page;
  xmprotect (edge, page, PROT_NONE);
  choose_values (edge);
  run_on_stack (stack, stack_size, caller, NULL);
  check_no_fallback ();
  const struct trace *good = &attempts[0].trace;
  TEST_VERIFY (good->count > GOOD_FRAMES + 1);
  for (size_t i = 1; i < array_length (attempts); ++i)
    {
      const struct trace *bad = &attempts[i].trace;
      printf ("info: saved FP %p\n", attempts[i].value);
      TEST_COMPARE (bad->count, GOOD_FRAMES);
      TEST_COMPARE_BLOB (bad->pc, GOOD_FRAMES * sizeof (void *),
			 good->pc, GOOD_FRAMES * sizeof (void *));
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
