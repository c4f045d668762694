/* Find the objects that were loaded when the program started: their rules may
   be cached.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: the constructor takes the lock of dl_iterate_phdr.  */

#include <sframe-module.h>
#include <sframe-pin.h>
#include <staying.h>

struct sframe_unloads __sframe_unload_state;

/* The start of the first segment of the object of INFO.  */
static const void *
first_segment (const struct dl_phdr_info *info)
{
  const ElfW(Phdr) *ph = info->dlpi_phdr;
  const ElfW(Phdr) *end = ph + info->dlpi_phnum;

  while (ph < end && ph->p_type != PT_LOAD)
    ++ph;
  return ph < end ? (const void *) (info->dlpi_addr + ph->p_vaddr) : NULL;
}

/* MODULE, whose link map is MAP, stays.  If it is the program, which is the
   first in the loader's list, tell __sframe_module_of.  */
static void
note_program (const sframe_module *module, const struct link_map *map)
{
  if (map->l_prev != NULL)
    return;
  __sframe_staying.program = module;
  /* Pairs with the acquire in __sframe_module_of.  */
  __atomic_store_n (&__sframe_staying.program_map, map, __ATOMIC_RELEASE);
}

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
  const sframe_module *module = __sframe_module_at (first_segment (info));
  if (module == NULL || sframe_module_headers (module) != info->dlpi_phdr)
    return 0;
  note_program (module, object.dlfo_link_map);
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
  /* Pairs with the acquire in __sframe_module_stays.  */
  __atomic_store_n (&__sframe_staying.count, count, __ATOMIC_RELEASE);
}
