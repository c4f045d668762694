/* Test that _dl_find_object finds an object whose IFUNC resolver runs while
   dlopen relocates it, and no longer when that dlopen has failed.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <dlfcn.h>
#include <stddef.h>

#include <support/check.h>
#include <support/xdlfcn.h>

static int events;
static void *resolver;

/* Called by the module's resolver.  */
void
resolver_event (void *function)
{
  struct dl_find_object object;

  ++events;
  resolver = function;
  TEST_COMPARE (_dl_find_object (function, &object), 0);
  TEST_VERIFY (object.dlfo_map_start <= function);
  TEST_VERIFY (function < object.dlfo_map_end);
  TEST_VERIFY (object.dlfo_eh_frame != NULL);
}

static int
do_test (void)
{
  struct dl_find_object object;

  for (int i = 0; i < 3; ++i)
    {
      events = 0;
      void *handle = xdlopen ("tst-dl_find_object-ifunc-mod1.so", RTLD_NOW);
      int (**function) (void) = xdlsym (handle, "chosen_pointer");
      TEST_COMPARE ((*function) (), 42);
      TEST_VERIFY (events > 0);
      TEST_COMPARE (_dl_find_object (resolver, &object), 0);
      xdlclose (handle);
      TEST_COMPARE (_dl_find_object (resolver, &object), -1);

      /* This one needs that one, and a function that no object has.  */
      events = 0;
      TEST_VERIFY (dlopen ("tst-dl_find_object-ifunc-mod2.so", RTLD_NOW)
		   == NULL);
      TEST_VERIFY (events > 0);
      TEST_COMPARE (_dl_find_object (resolver, &object), -1);
    }
  return 0;
}

#include <support/test-driver.c>
