/* Test backtrace in an IFUNC resolver that runs while dlopen relocates its
   object: the trace must be complete and by SFrame alone.  Also test that
   dlopen can still fail in relocation.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <dlfcn.h>

#include <support/xdlfcn.h>

#include "../debug/tst-sframe-support.h"

static struct trace_pair pair;
static int events;
static const void *resolver;

static void
handler (int signo)
{
  collect (&pair);
  KEEP_FRAME ();
}

/* Called by the module.  */
void
resolver_event (const void *function)
{
  ++events;
  resolver = function;
  raise (SIGUSR1);
  KEEP_FRAME ();
}

/* The oracle finds the object in the same way, so also check that resolver and
   load are in the trace.  */
static void FRAME
load (void)
{
  void *handle = xdlopen ("tst-sframe-ifunc-dlopen-mod.so", RTLD_NOW);
  int (**function) (void) = xdlsym (handle, "chosen_pointer");
  TEST_COMPARE ((*function) (), 42);
  TEST_VERIFY (events > 0);
  check_same_with (&pair, resolver);
  TEST_COMPARE (count_frames (&pair.oracle, load), 1);
  xdlclose (handle);
}

/* Load a module whose resolver runs before a missing symbol is found.  */
static void FRAME
fail_to_load (void)
{
  events = 0;
  TEST_VERIFY (dlopen ("tst-sframe-ifunc-fail-mod.so", RTLD_NOW) == NULL);
  TEST_VERIFY (strstr (dlerror (), "missing_function") != NULL);
  struct dl_find_object object;
  TEST_COMPARE (_dl_find_object ((void *) resolver, &object), -1);
}

static int
do_test (void)
{
  handle_signal (SIGUSR1, handler);
  for (int i = 0; i < 3; ++i)
    {
      load ();
      fail_to_load ();
    }
  check_no_fallback ();
  return 0;
}

#include <support/test-driver.c>
