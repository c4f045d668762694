/* Test backtrace in threads, out to their outermost frame.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <signal.h>
#include <threads.h>

#include <support/xthread.h>

#include "tst-sframe-support.h"

#define THREADS 8
#define ROUNDS 100

static struct trace_pair pairs[THREADS];
static __thread struct trace_pair *mine;
static pthread_barrier_t barrier;

static void
handler (int signo)
{
  collect (mine);
}

/* All threads at once, so that several of them initialize backtrace.  */
static void * FRAME
thread_function (void *closure)
{
  mine = closure;
  xpthread_barrier_wait (&barrier);
  for (int i = 0; i < ROUNDS; ++i)
    {
      collect (mine);
      check_same_with (mine, thread_function);
    }
  raise (SIGUSR1);
  check_same_with (mine, thread_function);
  TEST_COMPARE (mine->oracle.signal_frames, 1);
  return NULL;
}

static int FRAME
c11_function (void *closure)
{
  collect (closure);
  KEEP_FRAME ();
  return 0;
}

static int
do_test (void)
{
  handle_signal (SIGUSR1, handler);
  xpthread_barrier_init (&barrier, NULL, THREADS);
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i)
    threads[i] = xpthread_create (NULL, thread_function, &pairs[i]);
  for (int i = 0; i < THREADS; ++i)
    xpthread_join (threads[i]);

  thrd_t thread;
  TEST_VERIFY_EXIT (thrd_create (&thread, c11_function, &pairs[0])
		    == thrd_success);
  TEST_COMPARE (thrd_join (thread, NULL), thrd_success);
  check_same_with (&pairs[0], c11_function);

  check_no_fallback ();
  return 0;
}

#include <support/test-driver.c>
