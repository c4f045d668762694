/* Test backtrace through objects without SFrame: one whose .sframe does
   not cover the function, one whose .sframe was stripped.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <array_length.h>

#include <support/xdlfcn.h>

#include "tst-sframe-asm.h"
#include "tst-sframe-support.h"

static struct trace_pair pair;

static void FRAME
callback (void)
{
  collect (&pair);
  KEEP_FRAME ();
}

/* Volatile, so that the compiler does not know the value.  */
static volatile int buffer_size = 100;

/* Variable in size, so that its CFA comes from FP.  */
static void FRAME
run (const char *module, const char *name, const void *caller)
{
  char buffer[buffer_size];
  USE (buffer);
  void *handle = xdlopen (module, RTLD_NOW);
  int (*call) (void (*) (void), int) = xdlsym (handle, name);
  TEST_COMPARE (call (callback, 100), 100);
  check_same_with (&pair, call);
  TEST_COMPARE (count_frames (&pair.oracle, caller), 1);
  xdlclose (handle);
}

static int
do_test (void)
{
  static const char *const modules[]
    = { "tst-sframe-mixed-mod.so", "tst-sframe-stripped-mod.so" };

  for (size_t i = 0; i < array_length (modules); ++i)
    {
      run (modules[i], "call_without_sframe", do_test);
      run (modules[i], "call_without_sframe_aligned", do_test);
#if HAVE_SFRAME_ASM
      run (modules[i], "call_with_fp_in_register", do_test);
#endif
    }
  check_no_fallback ();
  return 0;
}

#include <support/test-driver.c>
