/* Test that the tunable glibc.rtld.sframe=0 leaves backtrace to libgcc.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tst-sframe-support.h"

static struct trace_pair pair;

static int FRAME
compare (const void *left, const void *right)
{
  collect (&pair);
  KEEP_FRAME ();
  return 0;
}

static void FRAME
handler (int signo)
{
  collect (&pair);
  KEEP_FRAME ();
}

static int
do_test (void)
{
  int numbers[] = { 2, 1 };

  TEST_VERIFY (!libgcc_is_loaded ());
  qsort (numbers, 2, sizeof (numbers[0]), compare);
  TEST_VERIFY (libgcc_is_loaded ());
  check_same_with (&pair, compare);

  handle_signal (SIGUSR1, handler);
  raise (SIGUSR1);
  check_same_with (&pair, handler);
  return 0;
}

#include <support/test-driver.c>
