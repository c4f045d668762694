/* Test backtrace in an IFUNC resolver, called by dlsym and at the first
   call of the function.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <support/xdlfcn.h>

#include <debug/tst-sframe-support.h>

extern int chosen_function (void);

static struct trace_pair pair;
static int events;
static const void *resolver;

/* Called by the module.  */
void
resolver_event (const void *function)
{
  ++events;
  resolver = function;
  collect (&pair);
  KEEP_FRAME ();
}

static void
check (const void *caller)
{
  TEST_COMPARE (events, 1);
  events = 0;
  check_same_with (&pair, resolver);
  TEST_COMPARE (count_frames (&pair.oracle, caller), 1);
}

static void FRAME
first_call (void)
{
  TEST_COMPARE (chosen_function (), 42);
}

static void FRAME
look_up (void)
{
  int (*function) (void) = xdlsym (RTLD_DEFAULT, "chosen_function");
  TEST_COMPARE (function (), 42);
}

static int
do_test (void)
{
  TEST_COMPARE (events, 0);
  look_up ();
  check (look_up);
  first_call ();
  check (first_call);
  check_no_fallback ();
  return 0;
}

#include <support/test-driver.c>
