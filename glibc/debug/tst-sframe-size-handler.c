/* Test that backtrace stores no more frames than its caller has room for, in
   signal handlers, nested ones and threads, after traces of other sizes.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Interrupted frames have cached rules of their own, so the last element of an
   array may be stored by another part of backtrace than the ones before.  */

#include <support/xthread.h>

#include "tst-sframe-support.h"

enum
{
  DEPTH = 20,
  /* More than the frames of handlers, trampolines and interrupted
     functions.  */
  SIZE_MAX_TESTED = 40,
};

static struct trace_pair pair;
static void *array[TRACE_MAX];
static void *const canary = &pair;
static int checked;

/* Check that an array of SIZE gets the first frames of the trace from here,
   and that nothing is stored after the array.  */
static void FRAME
check_size (int size)
{
  for (int i = 0; i < TRACE_MAX; ++i)
    array[i] = canary;
  int expected = size < pair.oracle.count ? size : pair.oracle.count;
  TEST_COMPARE (backtrace (array, size), expected);

  /* Frame 0 is in this function, and frame 1 at another call in its
     caller.  */
  for (int i = 2; i < expected; ++i)
    TEST_VERIFY (array[i] == pair.oracle.pc[i]);
  for (int i = expected; i < TRACE_MAX; ++i)
    TEST_VERIFY (array[i] == canary);
  ++checked;
}

/* Check each size after traces of several other sizes.  */
static void FRAME
check_sizes (void)
{
  static const int before[] = { TRACE_MAX, 1, 2, 3, 7 };
  collect (&pair);
  check_same (&pair);
  for (size_t i = 0; i < sizeof before / sizeof before[0]; ++i)
    for (int size = 0; size <= SIZE_MAX_TESTED; ++size)
      {
	void *other[TRACE_MAX];
	backtrace (other, before[i]);
	check_size (size);
      }
  KEEP_FRAME ();
}

static void
inner_handler (int signo)
{
  check_sizes ();
  KEEP_FRAME ();
}

static void
outer_handler (int signo)
{
  check_sizes ();
  raise (SIGUSR2);
  check_sizes ();
  KEEP_FRAME ();
}

static void FRAME
recurse (int depth)
{
  if (depth > 0)
    recurse (depth - 1);
  else
    {
      raise (SIGUSR1);
      check_sizes ();
    }
  KEEP_FRAME ();
}

static void *
thread_function (void *closure)
{
  recurse (DEPTH);
  return closure;
}

static int
do_test (void)
{
  handle_signal (SIGUSR1, outer_handler);
  handle_signal (SIGUSR2, inner_handler);
  recurse (DEPTH);
  xpthread_join (xpthread_create (NULL, thread_function, NULL));
  check_no_fallback ();
  TEST_COMPARE (checked, 2 * 4 * 5 * (SIZE_MAX_TESTED + 1));
  return 0;
}

#include <support/test-driver.c>
