/* Test backtrace through functions that realign their stack and have a
   variable-size frame: the CFA is saved in a slot of the frame.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <stdint.h>

#include "tst-sframe-support.h"

static struct trace_pair pair;

struct aligned
{
  volatile char byte[64];
} __attribute__ ((aligned (64)));

/* Realigned, variable in size, and with arguments on the stack, which are
   accessed through the CFA.  */
static int FRAME
realign (int depth, int a, int b, int c, int d, int e, int f, int g)
{
  struct aligned local;
  volatile char variable[1 + depth * 24];
  TEST_COMPARE ((uintptr_t) &local % 64, 0);
  local.byte[0] = variable[0] = f;
  if (depth == 0)
    collect (&pair);
  else
    realign (depth - 1, g, a, b, c, d, e, f);
  KEEP_FRAME ();
  return local.byte[0] + variable[0] + g;
}

/* Call at each alignment of SP that the ABI allows.  */
static int FRAME
call_from (int depth, int displacement)
{
  volatile char filler[16 + displacement];
  filler[0] = depth;
  return realign (depth, 1, 2, 3, 4, 5, 6, 7) + filler[0];
}

static int
do_test (void)
{
  for (int displacement = 0; displacement < 64; displacement += 16)
    for (int depth = 0; depth < 4; ++depth)
      {
	call_from (depth, displacement);
	check_no_fallback ();
	check_same_with (&pair, call_from);
	TEST_COMPARE (count_frames (&pair.oracle, realign), depth + 1);
      }
  return 0;
}

#include <support/test-driver.c>
