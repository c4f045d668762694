/* One step up the stack by the .eh_frame section of a loaded object.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-eh-object.h.  */

#include <sframe-eh-object.h>
#include <sframe-eh-step.h>
#include <sframe-stack-use.h>

/* Store in *MEMORY the bytes of MODULE that may be read for the section at
   TABLE: the file-backed part of its segment.  */
static bool
find_memory (const sframe_module *module, const void *table,
	     struct sframe_eh_bytes *memory)
{
  const ElfW(Phdr) *headers = sframe_module_headers (module);

  for (size_t i = 0; i < sframe_module_header_count (module); ++i)
    {
      const ElfW(Phdr) *ph = &headers[i];
      uintptr_t start = sframe_module_bias (module) + ph->p_vaddr;
      if (ph->p_type == PT_LOAD && (ph->p_flags & PF_R) != 0
	  && (uintptr_t) table - start < ph->p_filesz)
	{
	  memory->at = (const unsigned char *) start;
	  memory->end = memory->at + ph->p_filesz;
	  return true;
	}
    }
  return false;
}

/* Set *TABLE to the tables of MODULE, whose header is HEADER or null.  A
   linker that makes .eh_frame writable puts it into another segment than the
   header.  */
static enum sframe_eh_status RELEASE_STACK
open_table (const sframe_module *module, const void *header,
	    struct sframe_eh_table *table)
{
  *table = (struct sframe_eh_table) { .header = header };
  if (header == NULL)
    table->records = sframe_module_eh_records (module);
  else if (find_memory (module, header, &table->memory))
    {
      table->header_size = table->memory.end - table->header;
      __sframe_eh_find_records (table);
    }
  else
    return SFRAME_EH_CORRUPT;
  /* If the header is damaged, __sframe_eh_find reports that.  */
  if (table->records == NULL)
    return header == NULL ? SFRAME_EH_NOT_UNDERSTOOD : SFRAME_EH_OK;
  return (find_memory (module, table->records, &table->memory)
	  ? SFRAME_EH_OK : SFRAME_EH_CORRUPT);
}

/* Find the entry for PC in MODULE, whose .eh_frame_hdr is HEADER or null.
   The stack of TABLE is released before the deepest call of backtrace.  */
static enum sframe_eh_status RELEASE_STACK
find_entry (const sframe_module *module, const void *header, uintptr_t pc,
	    struct sframe_eh_entry *entry)
{
  struct sframe_eh_table table;
  enum sframe_eh_status status = open_table (module, header, &table);

  return (status == SFRAME_EH_OK
	  ? __sframe_eh_find (&table, pc, entry) : status);
}

/* Cache ROW as the rule for the PC of TRACE's frame, except in a trace that
   needs more registers than SP, FP and PC: such a trace does not use the
   cache.  */
static void RELEASE_STACK
cache_row (struct sframe_trace *trace, const struct sframe_eh_entry *entry,
	   const struct sframe_eh_row *row)
{
  struct sframe_rule rule;

  if (!trace->all_registers && __sframe_eh_rule (entry, row, &rule))
    sframe_cache_object_rule (trace, &rule);
}

/* Convert STATUS, that of a lookup or step by .eh_frame, to that of any
   step.  */
static enum sframe_step_status
step_status (enum sframe_eh_status status)
{
  switch (status)
    {
    case SFRAME_EH_OK:
      return SFRAME_STEP_CALLER;
    case SFRAME_EH_OUTERMOST:
      return SFRAME_STEP_OUTERMOST;
    case SFRAME_EH_NO_ENTRY:
      return SFRAME_STEP_NO_RULE;
    case SFRAME_EH_NOT_UNDERSTOOD:
      return SFRAME_STEP_UNSUPPORTED;
    case SFRAME_EH_REGISTER:
      return SFRAME_STEP_UNKNOWN;
    default:
      return SFRAME_STEP_BROKEN;
    }
}

enum sframe_step_status
__sframe_eh_object_step (struct sframe_trace *trace,
			 const sframe_module *module, const void *header,
			 uintptr_t pc, bool signal)
{
  struct sframe_eh_entry entry;
  struct sframe_eh_row row;

  enum sframe_eh_status status = find_entry (module, header, pc, &entry);
  if (status == SFRAME_EH_OK && entry.signal && !signal)
    return SFRAME_STEP_TRAMPOLINE;
  if (status == SFRAME_EH_OK)
    status = __sframe_eh_find_row (&entry, pc, &row);
  if (status == SFRAME_EH_OK)
    {
      cache_row (trace, &entry, &row);
      status = __sframe_eh_step (trace->registers, &entry, &row,
				 &trace->stack);
    }
  return step_status (status);
}
