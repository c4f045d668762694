/* Test that backtrace of a libc other than the program's does not use cached
   rules of an object that the program has unloaded, when another object is
   loaded at the same addresses.  The including test defines load_collector,
   which loads the other libc, and complete, which checks whether the oracle's
   trace is complete.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <stdint.h>

#include <support/xdlfcn.h>

#include <debug/tst-sframe-support.h>

static void *load_collector (const char *module);
static bool complete (const struct trace *trace);

static struct trace_pair pair;
static int (*collect_in_module) (void **, int, void (*) (struct trace *),
				 struct trace *);

/* The second trace caches rules for the third.  */
static void FRAME
callback (void)
{
  for (int i = 0; i < 4; ++i)
    pair.ours.count = collect_in_module (pair.ours.pc, TRACE_MAX,
					 collect_oracle, &pair.oracle);
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
  check_equal (&pair);
  TEST_VERIFY (complete (&pair.oracle));
  TEST_COMPARE (count_frames (&pair.oracle, call), 1);
  xdlclose (handle);
  return pair.oracle.pc[2];
}

static int
do_test (void)
{
  void *handle = load_collector ("tst-sframe-dlmopen-mod.so");
  collect_in_module = xdlsym (handle, "collect_in_module");
  for (int i = 0; i < 10; ++i)
    {
      void *place = run ("tst-sframe-unload-mod1.so");
      /* The kernel takes the first hole that fits, and they are of one
	 size.  */
      TEST_VERIFY (run ("tst-sframe-unload-mod2.so") == place);
    }
  TEST_VERIFY (!libgcc_is_loaded ());
  return 0;
}

#include <support/test-driver.c>
