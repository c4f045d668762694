/* Test that traces that never end, because a handler jumps out of them or
   their thread is cancelled, break neither later traces nor dlclose.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <setjmp.h>
#include <stdint.h>
#include <sys/time.h>

#include <support/xdlfcn.h>
#include <support/xthread.h>

#include "tst-sframe-support.h"

enum
{
  DEPTH = 30,
  JUMPS = 40,
  THREADS = 100,
  /* As in dl-sframe-retire.c.  */
  RETIRED_MAX = 1024,
  UNLOADS = 2 * RETIRED_MAX,
};

static const char module[] = "tst-sframe-cache-unload-mod1.so";
static const char other[] = "tst-sframe-cache-unload-mod2.so";

static sigjmp_buf escape;
static volatile sig_atomic_t tracing, jumps;
static int complete;

/* Trace with DEPTH frames of this function on the stack.  */
static void FRAME
recurse (int depth, void (*function) (void))
{
  if (depth > 0)
    recurse (depth - 1, function);
  else
    function ();
  KEEP_FRAME ();
}

static void
note_complete (void)
{
  void *pc[TRACE_MAX];
  complete = backtrace (pc, TRACE_MAX);
}

static void
trace_once (void)
{
  void *pc[TRACE_MAX];
  tracing = 1;
  int count = backtrace (pc, TRACE_MAX);
  tracing = 0;
  if (count < complete)
    FAIL_EXIT1 ("%d frames of %d or more", count, complete);
}

/* Invalidate all cached rules, so that the next trace reads objects.  */
static void
reload (void)
{
  xdlclose (xdlopen (module, RTLD_NOW));
}

/* Every second time the handler takes a trace itself.  */
static void
jump_out (int signo)
{
  if (!tracing)
    return;
  void *pc[TRACE_MAX];
  if (++jumps % 2 == 0 && backtrace (pc, TRACE_MAX) < 4)
    FAIL_EXIT1 ("no trace in the handler");
  tracing = 0;
  siglongjmp (escape, 1);
}

static void
trace_until_interrupted (void)
{
  for (;;)
    {
      reload ();
      trace_once ();
    }
}

static void
set_timer (suseconds_t period)
{
  struct itimerval timer = { { 0, period }, { 0, period } };
  TEST_COMPARE (setitimer (ITIMER_REAL, &timer, NULL), 0);
}

static void
abandon_by_jumps (void)
{
  handle_signal (SIGALRM, jump_out);
  set_timer (500);
  sigsetjmp (escape, 1);
  if (jumps < JUMPS)
    recurse (DEPTH, trace_until_interrupted);
  set_timer (0);
}

static pthread_barrier_t barrier;

static void
trace_until_cancelled (void)
{
  void *pc[TRACE_MAX];
  xpthread_barrier_wait (&barrier);
  TEST_COMPARE (pthread_setcanceltype (PTHREAD_CANCEL_ASYNCHRONOUS, NULL), 0);
  for (;;)
    if (backtrace (pc, TRACE_MAX) < DEPTH)
      abort ();
}

static void *
thread_function (void *closure)
{
  recurse (DEPTH, trace_until_cancelled);
  return closure;
}

static void
abandon_by_cancellation (void)
{
  xpthread_barrier_init (&barrier, NULL, 2);
  for (int i = 0; i < THREADS; ++i)
    {
      pthread_t thread = xpthread_create (NULL, thread_function, NULL);
      xpthread_barrier_wait (&barrier);
      xpthread_cancel (thread);
      TEST_VERIFY (xpthread_join (thread) == PTHREAD_CANCELED);
    }
}

static void
check_unloading (void)
{
  int before = count_mappings (module);
  void *handle = xdlopen (module, RTLD_NOW);
  int mappings = count_mappings (module) - before;
  xdlclose (handle);
  for (int i = 0; i < UNLOADS; ++i)
    reload ();
  printf ("info: %d jumps, %d mappings are kept of %d\n", (int) jumps,
	  count_mappings (module), UNLOADS * mappings);
  /* Some abandoned traces are still counted as readers of an object.  So each
     unloaded object stays while RETIRED_MAX more are unloaded, and no
     longer.  */
  for (int i = 0; i < 3; ++i)
    {
      TEST_COMPARE (count_mappings (module), RETIRED_MAX * mappings);
      reload ();
    }

  /* The oldest object is released first.  */
  xdlclose (xdlopen (other, RTLD_NOW));
  for (int i = 1; i < RETIRED_MAX; ++i)
    reload ();
  TEST_VERIFY (count_mappings (other) > 0);
  reload ();
  TEST_COMPARE (count_mappings (other), 0);
}

static int
do_test (void)
{
  /* Two traces, so that rules are cached.  */
  recurse (DEPTH, note_complete);
  recurse (DEPTH, note_complete);
  TEST_VERIFY (complete > DEPTH);
  abandon_by_jumps ();
  abandon_by_cancellation ();
  check_unloading ();
  for (int i = 0; i < 10; ++i)
    recurse (DEPTH, trace_once);
  return 0;
}

#include <support/test-driver.c>
