/* Test backtrace with arrays of every size, and that errno survives.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <limits.h>

#include "tst-sframe-support.h"

#define DEPTH 20

static struct trace_pair pair;
static void *const canary = &pair;

/* Check that an array of SIZE gets the first SIZE frames, and that nothing is
   stored after the array.  */
static void FRAME
check_size (int size)
{
  static void *array[TRACE_MAX];
  for (int i = 0; i < TRACE_MAX; ++i)
    array[i] = canary;
  int expected = size < pair.oracle.count ? size : pair.oracle.count;
  if (expected < 0)
    expected = 0;

  errno = 4711;
  TEST_COMPARE (backtrace (array, size), expected);
  TEST_COMPARE (errno, 4711);

  /* Frame 0 is in this function, and frame 1 at another call in its
     caller.  */
  for (int i = 2; i < expected; ++i)
    TEST_VERIFY (array[i] == pair.oracle.pc[i]);
  for (int i = 0; i < expected; ++i)
    TEST_VERIFY (array[i] != canary);
  for (int i = size < 0 ? 0 : size; i < TRACE_MAX; ++i)
    TEST_VERIFY (array[i] == canary);
}

static void FRAME
recurse (int depth)
{
  if (depth > 0)
    {
      recurse (depth - 1);
      KEEP_FRAME ();
      return;
    }
  collect (&pair);
  for (int size = -2; size <= pair.oracle.count + 2; ++size)
    check_size (size);
  check_size (INT_MIN);
  check_size (INT_MAX);
  KEEP_FRAME ();
}

static int
do_test (void)
{
  recurse (DEPTH);
  check_no_fallback ();
  check_same_with (&pair, recurse);
  TEST_VERIFY (pair.oracle.count > DEPTH);
  return 0;
}

#include <support/test-driver.c>
