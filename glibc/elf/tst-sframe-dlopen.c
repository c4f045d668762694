/* Test backtrace through modules that come and go: code of the second
   runs at the addresses where code of the first was traced before.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <support/xdlfcn.h>

#include <debug/tst-sframe-support.h>

static struct trace_pair pair;

static void FRAME
callback (void)
{
  collect (&pair);
  KEEP_FRAME ();
}

static void *
run (const char *module)
{
  void *handle = xdlopen (module, RTLD_NOW);
  int (*call_back) (void (*) (void)) = xdlsym (handle, "call_back");
  TEST_COMPARE (call_back (callback), 1);
  check_no_fallback ();
  check_same_with (&pair, call_back);
  TEST_COMPARE (count_frames (&pair.oracle, callback), 1);
  xdlclose (handle);
  return call_back;
}

static int
do_test (void)
{
  int reused = 0;
  for (int i = 0; i < 10; ++i)
    reused += run ("tst-sframe-dlopen-mod1.so")
	      == run ("tst-sframe-dlopen-mod2.so");
  /* The kernel takes the first hole that fits, and they are of one size.  */
  TEST_COMPARE (reused, 10);
  return 0;
}

#include <support/test-driver.c>
