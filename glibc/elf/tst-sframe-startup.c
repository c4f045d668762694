/* Test backtrace in the constructor of a shared object loaded at startup,
   before there is a main.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <debug/tst-sframe-support.h>

static struct trace_pair pair;
static int events;
static const void *constructor;

/* Called by the module, also at exit.  */
void
module_event (const void *function)
{
  if (events++ > 0)
    return;
  constructor = function;
  collect (&pair);
  KEEP_FRAME ();
}

/* Do not check that the oracle's trace is complete: the entry code of the
   dynamic linker has no unwind table.  */
static int
do_test (void)
{
  TEST_COMPARE (events, 1);
  check_no_fallback ();
  check_equal (&pair);
  TEST_COMPARE (count_frames (&pair.oracle, module_event), 1);
  TEST_COMPARE (count_frames (&pair.oracle, constructor), 1);
  /* Frames of the dynamic linker follow.  */
  TEST_VERIFY (pair.oracle.count > 3);
  return 0;
}

#include <support/test-driver.c>
