/* Test that an object that _dl_find_object finds is mapped, while another
   thread loads and unloads it.

   SPDX-License-Identifier: LGPL-2.1-or-later

   To unmap the module takes long, because all its pages were written.  */

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>
#include <sys/mman.h>

#include <support/check.h>
#include <support/xdlfcn.h>
#include <support/xthread.h>

enum { LOADS = 200 };

/* How often the module was loaded: while this does not change, its address
   belongs to it or to nothing.  */
static atomic_int loads;
static _Atomic uintptr_t address;
static atomic_bool ready;
static atomic_bool done;

static long int found;
static int unmapped;

static bool
is_found (uintptr_t pc)
{
  struct dl_find_object object;
  return _dl_find_object ((void *) pc, &object) == 0;
}

static bool
is_mapped (uintptr_t pc)
{
  long int page = sysconf (_SC_PAGESIZE);
  return msync ((void *) (pc & -page), page, MS_ASYNC) == 0;
}

/* It is not mapped, though it is found before and afterwards.  */
static void
look (void)
{
  int before = loads;
  uintptr_t pc = address;
  if (pc == 0 || !is_found (pc))
    return;
  ++found;
  if (!is_mapped (pc) && is_found (pc) && loads == before)
    ++unmapped;
}

static void *
look_again_and_again (void *closure)
{
  while (!done)
    {
      look ();
      ready = true;
    }
  return NULL;
}

static int
do_test (void)
{
  pthread_t thread = xpthread_create (NULL, look_again_and_again, NULL);
  while (!ready)
    continue;
  for (int i = 0; i < LOADS; ++i)
    {
      ++loads;
      void *handle = xdlopen ("tst-dl_find_object-dlclose-mod.so", RTLD_NOW);
      address = (uintptr_t) xdlsym (handle, "large_fill");
      ready = false;
      while (!ready)
	continue;
      xdlclose (handle);
    }
  done = true;
  xpthread_join (thread);

  TEST_VERIFY (found > LOADS / 2);
  TEST_COMPARE (unmapped, 0);
  return 0;
}

#include <support/test-driver.c>
