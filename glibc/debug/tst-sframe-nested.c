/* Test backtrace in the innermost of three nested signal handlers.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <signal.h>

#include "tst-sframe-support.h"

static struct trace_pair pair;

static void FRAME
inner_handler (int signo)
{
  collect (&pair);
  KEEP_FRAME ();
}

static void FRAME
middle_handler (int signo)
{
  raise (SIGTERM);
  KEEP_FRAME ();
}

static void FRAME
outer_handler (int signo)
{
  raise (SIGUSR2);
  KEEP_FRAME ();
}

static int
do_test (void)
{
  handle_signal (SIGUSR1, outer_handler);
  handle_signal (SIGUSR2, middle_handler);
  handle_signal (SIGTERM, inner_handler);
  raise (SIGUSR1);

  check_no_fallback ();
  check_same_with (&pair, do_test);
  TEST_COMPARE (pair.oracle.signal_frames, 3);
  TEST_COMPARE (count_frames (&pair.oracle, inner_handler), 1);
  TEST_COMPARE (count_frames (&pair.oracle, middle_handler), 1);
  TEST_COMPARE (count_frames (&pair.oracle, outer_handler), 1);
  return 0;
}

#include <support/test-driver.c>
