/* Test backtrace in a statically linked program.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#define TEST_STATIC
#include <signal.h>
#include <stdint.h>

#include <support/xthread.h>

#include "tst-sframe-support.h"

static struct trace_pair pair;

static int FRAME
compare (const void *left, const void *right)
{
  collect (&pair);
  return *(const int *) left - *(const int *) right;
}

static void FRAME
call_qsort (void)
{
  int array[] = { 2, 1 };
  qsort (array, 2, sizeof (array[0]), compare);
  KEEP_FRAME ();
}

static void
handler (int signo)
{
  call_qsort ();
}

static void * FRAME
thread_function (void *closure)
{
  call_qsort ();
  raise (SIGUSR1);
  return closure;
}

/* In a static program that is not PIE, crtbegin registers the unwind tables
   from its own on, but not the table of _start, which is before it.  So libgcc
   finds no table for _start.  */
static bool
ends_in_start (const struct trace *trace)
{
  extern const char _start[];
  return (uintptr_t) trace->pc[trace->count - 1] - (uintptr_t) _start < 64;
}

static void
check (const void *function, int signal_frames)
{
  check_no_fallback ();
  check_equal (&pair);
  TEST_VERIFY (pair.oracle.complete || ends_in_start (&pair.oracle));
  TEST_COMPARE (count_frames (&pair.oracle, function), 1);
  TEST_COMPARE (pair.oracle.signal_frames, signal_frames);
  TEST_VERIFY (count_frames (&pair.oracle, call_qsort) > 0);
}

static int
do_test (void)
{
  call_qsort ();
  check (do_test, 0);

  handle_signal (SIGUSR1, handler);
  raise (SIGUSR1);
  check (do_test, 1);

  xpthread_join (xpthread_create (NULL, thread_function, NULL));
  check (thread_function, 1);
  return 0;
}

#include <support/test-driver.c>
