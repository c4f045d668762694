/* Test backtrace through objects without SFrame: one whose .sframe does
   not cover the function, one whose .sframe was stripped.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <support/xdlfcn.h>

#include "tst-sframe-support.h"

static struct trace_pair pair;

static void FRAME
callback (void)
{
  collect (&pair);
  KEEP_FRAME ();
}

static void FRAME
run (const char *module, const void *caller)
{
  void *handle = xdlopen (module, RTLD_NOW);
  int (*call) (void (*) (void), int) = xdlsym (handle, "call_without_sframe");
  TEST_COMPARE (call (callback, 100), 100);
  check_same_with (&pair, call);
  TEST_COMPARE (count_frames (&pair.oracle, caller), 1);
  xdlclose (handle);
}

static int
do_test (void)
{
  run ("tst-sframe-mixed-mod.so", do_test);
  run ("tst-sframe-stripped-mod.so", do_test);
  return 0;
}

#include <support/test-driver.c>
