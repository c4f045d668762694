/* Find the functions of several callers at once, in a large table.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe; no allocation, no lock, no system
   call.  Nothing is read but the table, the cache and one page of the stack:
   that with the word before the CFA which the last step has found.  No result
   depends on what is found.  */

#ifndef _SFRAME_AHEAD_H
#define _SFRAME_AHEAD_H

#include <sframe-machine.h>
#include <sframe-module.h>
#include <sframe-trace.h>

/* The size of the smallest table for which it saves time to look ahead; a
   smaller one stays in the processor's cache.  */
#define SFRAME_AHEAD_TABLE (512 * 1024)

/* Store in TRACE->functions the functions of TRACE's frame, which is in
   MODULE, and of frames above it.  */
void __sframe_look_ahead (struct sframe_trace *trace,
			  const sframe_module *module) attribute_hidden;

/* Whether __sframe_look_ahead may save time: TRACE's frame, which is in
   MODULE, has made a call, its rule is not cached, and this part of the stack
   was not looked at before.  */
static inline bool
sframe_ahead_is_useful (const struct sframe_trace *trace,
			const sframe_module *module)
{
  size_t size;

  return ((trace->missed || trace->table == 0)
	  && !trace->all_registers && !trace->registers->interrupted
	  && trace->registers->value[SFRAME_MACHINE_SP] >= trace->ahead
	  && sframe_module_table (module, &size) != NULL
	  && size >= SFRAME_AHEAD_TABLE);
}

#endif /* _SFRAME_AHEAD_H  */
