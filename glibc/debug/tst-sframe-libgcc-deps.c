/* Test that dlclose keeps a libgcc that a trace may be using, but only if the
   objects that it depends on stay, too.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The modules have the name of libgcc (DT_SONAME), and nothing else of it.  */

#include "tst-sframe-tracer.h"

static const char libgcc[] = "tst-sframe-libgcc-mod1.so";
static const char libgcc_needing[] = "tst-sframe-libgcc-mod2.so";
static const char libgcc_bound[] = "tst-sframe-libgcc-mod3.so";
static const char user[] = "tst-sframe-libgcc-mod4.so";
/* The objects that two of them need.  */
static const char part1[] = "tst-sframe-libgcc-mod5.so";
static const char part2[] = "tst-sframe-libgcc-mod6.so";

/* Close HANDLE during a trace.  Check whether the object NAME, a libgcc, stays
   after the trace, until the next dlclose.  */
static void
close_in_trace (void *handle, const char *name, bool kept)
{
  struct tracer tracer = { 0 };

  tracer_start (&tracer);
  stop_and_keep (&tracer);
  xdlclose (handle);
  tracer_end (&tracer);
  /* Objects that are only kept for the trace are released here.  */
  handle = xdlopen (module, RTLD_NOW);
  TEST_COMPARE (count_mappings (name) > 0, kept);
  xdlclose (handle);
  TEST_COMPARE (count_mappings (name), 0);
}

/* Libgcc needs two objects; FIRST stays.  */
static void
close_with_needed (const char *first, const char *second)
{
  void *staying = xdlopen (first, RTLD_NOW | RTLD_GLOBAL);
  close_in_trace (xdlopen (libgcc_needing, RTLD_NOW), libgcc_needing, false);
  TEST_COMPARE (count_mappings (second), 0);

  /* Libgcc is bound to them, but does not name them.  */
  void *handle = xdlopen (second, RTLD_NOW | RTLD_GLOBAL);
  void *bound = xdlopen (libgcc_bound, RTLD_NOW);
  xdlclose (handle);
  TEST_VERIFY (count_mappings (second) > 0);
  close_in_trace (bound, libgcc_bound, false);
  TEST_COMPARE (count_mappings (second), 0);

  /* The same, but both stay.  */
  handle = xdlopen (second, RTLD_NOW | RTLD_GLOBAL);
  close_in_trace (xdlopen (libgcc_bound, RTLD_NOW), libgcc_bound, true);
  xdlclose (handle);
  xdlclose (staying);
}

static int
do_test (void)
{
  tracer_init ();
  close_in_trace (xdlopen (libgcc, RTLD_NOW), libgcc, true);

  /* The object that is closed needs libgcc.  */
  void *handle = xdlopen (libgcc, RTLD_NOW);
  void *other = xdlopen (user, RTLD_NOW);
  xdlclose (handle);
  TEST_VERIFY (count_mappings (libgcc) > 0);
  close_in_trace (other, libgcc, true);

  close_with_needed (part1, part2);
  close_with_needed (part2, part1);
  return 0;
}

#include <support/test-driver.c>
