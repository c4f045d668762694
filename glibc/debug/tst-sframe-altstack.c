/* Test backtrace in a signal handler that runs on an alternate stack.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#define OTHER_TEST
#define HANDLER_FLAGS SA_ONSTACK
#include "tst-sframe-signal.c"

static void
run_on (void *stack, size_t size)
{
  stack_t ss = { .ss_sp = stack, .ss_size = size };
  TEST_COMPARE (sigaltstack (&ss, NULL), 0);
  handler_sp = 0;
  run_both ();
  TEST_VERIFY (handler_sp - (uintptr_t) stack < size);
}

/* The alternate stack lies within the normal one, below this frame and
   above the interrupted ones, so that leaving the handler lowers the
   CFA.  */
static void FRAME
run_on_part_of_this_stack (void)
{
  char stack[64 * 1024];
  run_on (stack, sizeof (stack));
  KEEP_FRAME ();
}

static int
do_test (void)
{
  install_handlers ();

  size_t size = 64 * 1024;
  run_on (xmmap (NULL, size, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1), size);
  run_on_part_of_this_stack ();

  stack_t ss = { .ss_flags = SS_DISABLE };
  TEST_COMPARE (sigaltstack (&ss, NULL), 0);
  return 0;
}

#include <support/test-driver.c>
