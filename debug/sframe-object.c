/* Find the SFrame rule for a PC in a loaded object.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-object.h.

   The parsed header is not cached: backtrace does not write to the loader's
   data, and parsing takes little time compared with the search in the
   table.  */

#include <sframe-format.h>
#include <sframe-machine.h>
#include <sframe-object.h>

/* Store in *RULE the rule of SECTION for the PC at OFFSET from its start.
   Return whether there is one.  */
static inline bool
find_rule (const struct sframe_section *section, uintptr_t offset,
	   struct sframe_rule *rule)
{
  return __sframe_find_rule (section, offset, SFRAME_MACHINE_SP,
			     SFRAME_MACHINE_FP, rule) == SFRAME_FOUND;
}

bool
__sframe_object_rule (const sframe_module *map, uintptr_t pc,
		      struct sframe_rule *rule)
{
  struct sframe_section section;
  struct sframe_rule first;

  size_t size;
  const void *table = sframe_module_table (map, &size);
  if (table == NULL
      || (__sframe_read_header (table, size, SFRAME_MACHINE_ABI, &section)
	  != SFRAME_HEADER_OK))
    return false;
  uintptr_t offset = pc - (uintptr_t) section.start;
  if (!find_rule (&section, offset, rule))
    return false;
  if (!rule->repeated)
    return true;
  return (find_rule (&section, offset - rule->block_offset, &first)
	  && sframe_block_rule (rule, &first));
}
