/* Find the objects that were loaded when the program started: their rules may
   be cached.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: the constructor takes the lock of dl_iterate_phdr.  */

#include <sframe-module.h>
#include <sframe-reader.h>
#include <staying.h>

struct sframe_unloads sframe_unload_state;

/* Insert the object of INFO into the sorted array of those that stay.  Called
   by dl_iterate_phdr.  */
static int
add (struct dl_phdr_info *info, size_t size, void *closure)
{
  const sframe_module **staying = __sframe_staying.modules;
  size_t *count = closure, place = *count;
  struct dl_find_object object;

  if (place == STAYING_MAX
      || _dl_find_object ((void *) info->dlpi_phdr, &object) < 0)
    return 0;
  const sframe_module *module = __sframe_module_at (object.dlfo_map_start);
  if (module == NULL || sframe_module_headers (module) != info->dlpi_phdr)
    return 0;
  for (; place > 0 && staying[place - 1] > module; --place)
    staying[place] = staying[place - 1];
  staying[place] = module;
  ++*count;
  return 0;
}

/* The loader unloads only what dlopen has loaded.  This runs before any other
   constructor (-z initfirst), and so before any dlopen; and this library
   cannot be loaded by dlopen itself (-z nodlopen).  */
static void __attribute__ ((constructor))
find_staying (void)
{
  size_t count = 0;

  dl_iterate_phdr (add, &count);
  __atomic_store_n (&__sframe_staying.count, count, __ATOMIC_RELEASE);
}
