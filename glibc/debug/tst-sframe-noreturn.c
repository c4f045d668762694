/* Test backtrace below a call that ends its function: the return
   address already belongs to the next function.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <setjmp.h>

#include "tst-sframe-support.h"
#include "tst-sframe-asm.h"

static struct trace_pair pair;
static jmp_buf escape;

void
do_not_return (void)
{
  collect (&pair);
  longjmp (escape, 1);
}

#if HAVE_SFRAME_ASM
extern const char neighbor[];
extern void call_at_end (void);
asm (ASM_TEXT (call_at_end,
	       ASM_FRAME
	       ASM_CALL (do_not_return))
     ASM_NEIGHBOR);
#endif

/* Code by the compiler; options in the Makefile prevent padding.  */
static __attribute__ ((noreturn)) void FRAME
die (void)
{
  do_not_return ();
  __builtin_unreachable ();
}

static int FRAME
call_die (int value)
{
  volatile int local[8] = { value };
  if (local[0] != 0)
    return local[value % 8];
  die ();
}

static void
check (const void *function)
{
  check_no_fallback ();
  check_same_with (&pair, function);
  TEST_COMPARE (count_frames (&pair.oracle, function), 1);
}

static int
do_test (void)
{
  if (setjmp (escape) == 0)
    call_die (0);
  check (call_die);

#if HAVE_SFRAME_ASM
  if (setjmp (escape) == 0)
    call_at_end ();
  check (call_at_end);
  /* Frame 2 is the caller of do_not_return.  */
  TEST_VERIFY (pair.oracle.pc[2] == neighbor);
#endif
  return 0;
}

#include <support/test-driver.c>
