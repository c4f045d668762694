/* Test that backtrace does not cut a stack 10,000 frames deep.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#define DEPTH 10000
#define TRACE_MAX (DEPTH + 64)
#include "tst-sframe-support.h"

static struct trace_pair pair;

static int recurse_fixed (int depth);

/* A function with its CFA from FP, since the frame's size varies.  */
static int FRAME
recurse_variable (int depth)
{
  volatile char buffer[1 + depth % 61];
  buffer[0] = depth;
  int below = recurse_fixed (depth - 1);
  return below + buffer[0] - buffer[0];
}

/* A function with its CFA from SP.  */
static int FRAME
recurse_fixed (int depth)
{
  if (depth == 0)
    {
      collect (&pair);
      return 0;
    }
  int below = (depth % 2 == 0 ? recurse_variable : recurse_fixed) (depth - 1);
  KEEP_FRAME ();
  return below + 1;
}

static int
do_test (void)
{
  recurse_fixed (DEPTH);
  check_no_fallback ();
  check_same (&pair);
  TEST_VERIFY (count_frames (&pair.oracle, recurse_fixed)
	       + count_frames (&pair.oracle, recurse_variable) >= DEPTH);
  return 0;
}

#include <support/test-driver.c>
