/* Finding the SFrame rule for a PC in a loaded object.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-object.h.

   A header is checked when the first rule of its object is asked for: most
   programs never ask, and should not have a page read for it.  */

#include <atomic.h>
#include <sframe-format.h>
#include <sframe-machine.h>
#include <sframe-object.h>

/* Values of l_sframe_state.  If fork, or the end of a thread, catches who
   keeps a header at work, it is read each time from then on.  */
enum
{
  header_unread,
  header_busy,
  header_read
};

/* Read the header of MAP's section to *LOCAL, and keep what it says in MAP if
   nobody else is at it.  Return LOCAL.  */
static const struct sframe_section * __attribute__ ((noinline))
read_section (struct link_map *map, struct sframe_section *local)
{
  uint32_t unread = header_unread;

  if (map->l_sframe_start == NULL)
    *local = (struct sframe_section) { 0 };
  else
    __sframe_read_header (map->l_sframe_start, map->l_sframe_size,
			  SFRAME_MACHINE_ABI, local);
  if (atomic_compare_exchange_weak_acquire (&map->l_sframe_state, &unread,
					    header_busy))
    {
      map->l_sframe = *local;
      atomic_store_release (&map->l_sframe_state, header_read);
    }
  return local;
}

/* Where the header of MAP's section is: in MAP, or read to *LOCAL.  */
static inline const struct sframe_section *
find_section (struct link_map *map, struct sframe_section *local)
{
  if (__glibc_likely (atomic_load_acquire (&map->l_sframe_state)
		      == header_read))
    return &map->l_sframe;
  return read_section (map, local);
}

/* Store in *RULE what SECTION says of the PC at OFFSET from its start.  Return
   whether it says anything.  */
static inline bool
find_rule (const struct sframe_section *section, uintptr_t offset,
	   struct sframe_rule *rule)
{
  return __sframe_find_rule (section, offset, SFRAME_MACHINE_SP,
			     SFRAME_MACHINE_FP, rule) == SFRAME_FOUND;
}

bool
__sframe_object_rule (struct link_map *map, uintptr_t pc,
		      struct sframe_rule *rule)
{
  struct sframe_section local;
  struct sframe_rule first;
  const struct sframe_section *section = find_section (map, &local);
  uintptr_t offset = pc - (uintptr_t) section->start;

  if (section->fde_count == 0 || !find_rule (section, offset, rule))
    return false;
  if (!rule->repeated)
    return true;
  return (find_rule (section, offset - rule->block_offset, &first)
	  && sframe_block_rule (rule, &first));
}
