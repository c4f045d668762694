/* Test that backtrace does not use cached rules of an unloaded object when
   another one is loaded at the same addresses, with .sframe and .eh_frame.

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

/* Load MODULE, trace from a callback of its function, unload it.  Return the
   return address in the module.  */
static void * FRAME
run (const char *module)
{
  void *handle = xdlopen (module, RTLD_NOW);
  int (*call) (void (*) (void)) = xdlsym (handle, "call_back");
  TEST_COMPARE (call (callback), 1);
  check_same_with (&pair, call);
  xdlclose (handle);
  return pair.oracle.pc[2];
}

static void
check_modules (const char *first, const char *second)
{
  for (int i = 0; i < 10; ++i)
    {
      void *place = run (first);
      /* The kernel takes the first hole that fits, and they are of one
	 size.  */
      TEST_VERIFY (run (second) == place);
    }
}

static int
do_test (void)
{
  check_modules ("tst-sframe-cache-unload-mod1.so",
		 "tst-sframe-cache-unload-mod2.so");
  check_modules ("tst-sframe-cache-unload-stripped1.so",
		 "tst-sframe-cache-unload-stripped2.so");
  check_no_fallback ();
  return 0;
}

#include <support/test-driver.c>
