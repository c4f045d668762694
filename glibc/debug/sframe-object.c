/* Find the SFrame rule for a PC in a loaded object.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-object.h.

   The parsed header is kept for a trace: of the loader's data, backtrace
   changes only the counters of traces (sframe-pin.h), and what the lookup of
   libgcc's functions counts.  */

#include <sframe-format.h>
#include <sframe-machine.h>
#include <sframe-object.h>

bool
__sframe_object_section (const sframe_module *module,
			 struct sframe_section *section)
{
  size_t size;

  if (section->fde_count != 0)
    return true;
  const void *table = sframe_module_table (module, &size);

  return (table != NULL
	  && (__sframe_read_header (table, size, SFRAME_MACHINE_ABI, section)
	      == SFRAME_HEADER_OK));
}

bool
__sframe_object_rule (struct sframe_trace *trace, const sframe_module *module,
		      uintptr_t pc, struct sframe_rule *rule)
{
  const struct sframe_section *section = &trace->section;
  struct sframe_rule first;

  if (!__sframe_object_section (module, &trace->section))
    return false;
  uintptr_t offset = pc - (uintptr_t) section->start;
  if (__sframe_find_rule_of (section, &trace->functions, offset,
			     SFRAME_MACHINE_SP, SFRAME_MACHINE_FP, rule)
      != SFRAME_FOUND)
    return false;
  if (!rule->repeated)
    return true;
  return (__sframe_find_rule (section, offset - rule->block_offset,
			      SFRAME_MACHINE_SP, SFRAME_MACHINE_FP, &first)
	  == SFRAME_FOUND
	  && sframe_block_rule (rule, &first));
}
