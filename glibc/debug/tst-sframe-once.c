/* Test backtrace in a function called through pthread_once, and in one
   called through call_once.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <threads.h>

#include <support/xthread.h>

#include "tst-sframe-support.h"

static struct trace_pair pair;
static pthread_once_t posix_once = PTHREAD_ONCE_INIT;
static once_flag c11_once = ONCE_FLAG_INIT;

static void FRAME
posix_function (void)
{
  collect (&pair);
  KEEP_FRAME ();
}

static void FRAME
c11_function (void)
{
  collect (&pair);
  KEEP_FRAME ();
}

static void
check (const void *function, const void *caller)
{
  check_no_fallback ();
  check_same_with (&pair, function);
  TEST_COMPARE (count_frames (&pair.oracle, caller), 1);
}

static int
do_test (void)
{
  xpthread_once (&posix_once, posix_function);
  check (posix_function, do_test);
  call_once (&c11_once, c11_function);
  check (c11_function, do_test);
  return 0;
}

#include <support/test-driver.c>
