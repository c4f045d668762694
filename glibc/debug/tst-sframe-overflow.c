/* Test backtrace in the handler of a stack overflow: SP of the
   interrupted function is next to the guard page, or in it.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#define TRACE_MAX 4096

#include <setjmp.h>
#include <signal.h>

#include <support/support.h>
#include <support/xsignal.h>
#include <support/xthread.h>

#include "tst-sframe-support.h"

static struct trace_pair pair;
static sigjmp_buf escape;

static void
handler (int signo)
{
  collect (&pair);
  siglongjmp (escape, 1);
}

/* Never zero, but the compiler does not know that.  */
static volatile int go_on = 1;

static int FRAME
recurse (int depth)
{
  volatile char buffer[200];
  buffer[0] = depth;
  if (go_on == 0)
    return 0;
  return recurse (depth + 1) + buffer[0];
}

static void * FRAME
thread_function (void *closure)
{
  void *stack = xalloc_sigstack (64 * 1024);
  if (sigsetjmp (escape, 1) == 0)
    recurse (0);
  xfree_sigstack (stack);
  return closure;
}

static int
do_test (void)
{
  struct sigaction sa = { .sa_handler = handler,
			  .sa_flags = SA_ONSTACK | SA_SIGINFO };
  xsigaction (SIGSEGV, &sa, NULL);

  /* A small stack, so that all of it can be compared.  */
  pthread_attr_t attr;
  xpthread_attr_init (&attr);
  xpthread_attr_setstacksize (&attr, 128 * 1024);
  xpthread_join (xpthread_create (&attr, thread_function, NULL));
  xpthread_attr_destroy (&attr);

  check_no_fallback ();
  check_same_with (&pair, thread_function);
  TEST_COMPARE (pair.oracle.signal_frames, 1);
  TEST_VERIFY (count_frames (&pair.oracle, recurse) > 100);
  return 0;
}

#include <support/test-driver.c>
