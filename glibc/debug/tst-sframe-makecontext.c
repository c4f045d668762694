/* Test backtrace on stacks made by makecontext.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <support/xunistd.h>

#include "tst-sframe-support.h"

#define STACK_SIZE (256 * 1024)

static struct trace_pair pair;
static ucontext_t main_context;
static ucontext_t outer_context;
static ucontext_t inner_context;

static void
handler (int signo)
{
  collect (&pair);
}

/* Do not check that the oracle's trace is complete: the return address of the
   outermost function may be the first byte of another one, for which the
   oracle finds no table.  Instead, check that the frame of FUNCTION is the
   last but one, followed only by the return address that makecontext
   stored.  */
static void
check (const void *function, int signal_frames)
{
  check_no_fallback ();
  check_equal (&pair);
  TEST_COMPARE (pair.oracle.signal_frames, signal_frames);
  TEST_VERIFY_EXIT (pair.oracle.count >= 2);
  TEST_VERIFY (function_of_frame (&pair.oracle, pair.oracle.count - 2)
	       == function);
}

static void FRAME
inner (int a, int b, int c, int d, int e, int f, int g, int h)
{
  collect (&pair);
  check (inner, 0);
  TEST_COMPARE (a + b + c + d + e + f + g + h, 36);
}

static void FRAME
outer (void)
{
  collect (&pair);
  check (outer, 0);
  raise (SIGUSR1);
  check (outer, 1);
  TEST_COMPARE (swapcontext (&outer_context, &inner_context), 0);
  collect (&pair);
  check (outer, 0);
}

static void
prepare (ucontext_t *context, ucontext_t *link, void *stack)
{
  TEST_COMPARE (getcontext (context), 0);
  context->uc_stack.ss_sp = stack;
  context->uc_stack.ss_size = STACK_SIZE;
  context->uc_link = link;
}

static int
do_test (void)
{
  handle_signal (SIGUSR1, handler);
  void *stacks = xmmap (NULL, 2 * STACK_SIZE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1);
  prepare (&outer_context, &main_context, stacks);
  makecontext (&outer_context, outer, 0);
  prepare (&inner_context, &outer_context, stacks + STACK_SIZE);
  /* Enough arguments that some are on the stack.  */
  makecontext (&inner_context, (void (*) (void)) inner, 8,
	       1, 2, 3, 4, 5, 6, 7, 8);

  TEST_COMPARE (swapcontext (&main_context, &outer_context), 0);
  collect (&pair);
  check_no_fallback ();
  check_same_with (&pair, do_test);
  xmunmap (stacks, 2 * STACK_SIZE);
  return 0;
}

#include <support/test-driver.c>
