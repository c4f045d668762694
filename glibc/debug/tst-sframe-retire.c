/* Test that objects unloaded during a trace stay mapped until it ends, and
   that nothing of them is left then.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Signals stop the traces of threads; meanwhile the main thread unloads
   objects.  */

#include <malloc.h>

#include "tst-sframe-tracer.h"

static const char other[] = "tst-sframe-libgcc-mod5.so";

enum
{
  UNLOADS = 300,
  /* If the loader counts a released object as kept, it releases objects too
     early after these: see RETIRED_MAX in dl-sframe-retire.c.  */
  ROUNDS = 5,
  /* Less than the link maps of UNLOADS objects take.  */
  SLACK = 64 * 1024,
};

/* Unload objects during one trace.  Return the size of the heap then.  */
static size_t
unload_many (void)
{
  struct tracer tracer = { 0 };

  tracer_start (&tracer);
  stop_and_keep (&tracer);
  for (int i = 1; i < UNLOADS; ++i)
    reload (module);
  TEST_COMPARE (count_mappings (module), UNLOADS * mappings);
  tracer_end (&tracer);

  /* A call of dlopen releases all that no trace can read.  */
  void *handle = xdlopen (module, RTLD_NOW);
  TEST_COMPARE (count_mappings (module), mappings);
  xdlclose (handle);
  TEST_COMPARE (count_mappings (module), 0);
  return mallinfo2 ().uordblks;
}

/* Unload an object during a trace, and another one during this and a second
   trace.  When the first trace has ended, only the second object stays.
   Return false if the loader did not know of the second trace.  */
static bool
overlap (void)
{
  struct tracer first = { 0 }, second = { 0 };

  tracer_start (&first);
  stop_and_keep (&first);
  tracer_start (&second);
  stop_in_trace (&second);
  reload (module);
  TEST_COMPARE (count_mappings (module), 2 * mappings);
  tracer_end (&first);

  void *handle = xdlopen (module, RTLD_NOW);
  int kept = count_mappings (module) - mappings;
  xdlclose (handle);
  bool is_known = count_mappings (module) > kept;
  TEST_COMPARE (kept, is_known ? mappings : 0);

  /* A call of dlclose releases objects, too.  */
  handle = xdlopen (other, RTLD_NOW);
  tracer_end (&second);
  xdlclose (handle);
  TEST_COMPARE (count_mappings (module), 0);
  return is_known;
}

/* Also calls that only count the users of an object release all.  */
static void
release_by_count (void)
{
  void *handle = xdlopen (other, RTLD_NOW);

  for (int i = 0; i < 3; ++i)
    {
      struct tracer tracer = { 0 };

      tracer_start (&tracer);
      stop_and_keep (&tracer);
      tracer_end (&tracer);
      TEST_COMPARE (count_mappings (module), mappings);
      if (i == 0)
	TEST_VERIFY (xdlopen (other, RTLD_NOW) == handle);
      else if (i == 1)
	xdlclose (handle);
      else
	xdlopen (NULL, RTLD_NOW);
      TEST_COMPARE (count_mappings (module), 0);
    }
  xdlclose (handle);
}

static int
do_test (void)
{
  tracer_init ();
  /* The first round also allocates what stays.  */
  size_t heap = unload_many ();
  for (int i = 1; i < ROUNDS; ++i)
    TEST_VERIFY (unload_many () < heap + SLACK);
  while (!overlap ())
    continue;
  release_by_count ();
  return 0;
}

#include <support/test-driver.c>
