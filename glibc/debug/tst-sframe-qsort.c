/* Test backtrace in a callback from qsort and bsearch.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <array_length.h>

#include "tst-sframe-support.h"

static struct trace_pair pair;
static bool collected;

/* Large enough for the indirect sort.  */
struct large
{
  int key;
  char filler[300];
};

static int FRAME
compare (const void *left, const void *right)
{
  if (!collected)
    {
      collect (&pair);
      collected = true;
    }
  const int *l = left;
  const int *r = right;
  return (*l > *r) - (*l < *r);
}

static void
check (void)
{
  TEST_VERIFY (collected);
  check_no_fallback ();
  check_same_with (&pair, compare);
  collected = false;
}

static int
do_test (void)
{
  int small[] = { 3, 1, 2, 5, 4 };
  qsort (small, array_length (small), sizeof (small[0]), compare);
  check ();

  struct large large[] = { { 3, }, { 1, }, { 2, } };
  qsort (large, array_length (large), sizeof (large[0]), compare);
  check ();

  int key = 4;
  TEST_VERIFY (bsearch (&key, small, array_length (small), sizeof (small[0]),
			compare) == &small[3]);
  check ();
  return 0;
}

#include <support/test-driver.c>
