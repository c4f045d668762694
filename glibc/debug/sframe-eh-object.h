/* One step up the stack by the .eh_frame section of a loaded object.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe; no allocation, no lock, no
   system call but those of sframe-stack.h; no fault, whatever the stack and
   the section hold, except in the cases that sframe-stack.h lists.  */

#ifndef _SFRAME_EH_OBJECT_H
#define _SFRAME_EH_OBJECT_H

#include <sframe-module.h>
#include <sframe-trace.h>

/* Cache RULE as __sframe_cache_rule does, unless rules of the object that
   TRACE has found must not be cached.  */
static inline uint64_t
sframe_cache_object_rule (struct sframe_trace *trace,
			  const struct sframe_rule *rule)
{
  return (sframe_module_may_cache (trace->module)
	  ? __sframe_cache_rule (trace, rule) : 0);
}

/* Whether libgcc may find more frames of a trace that has ended with STATUS:
   only if it ended at code that is in no object, which may be registered with
   libgcc.  A table that is not supported here is not left to libgcc: it calls
   malloc, and does not check what it reads.  */
static inline bool
sframe_needs_libgcc (enum sframe_step_status status)
{
  return status == SFRAME_STEP_FOREIGN;
}

/* Step from the frame in TRACE's registers to its caller, and cache the rule
   if SFrame can express it.  PC is the address to look up in MODULE; HEADER is
   the .eh_frame_hdr of MODULE, or null.  If the entry is that of a signal
   trampoline and SIGNAL is not set, the result is SFRAME_STEP_TRAMPOLINE.
   This result, SFRAME_STEP_NO_RULE and SFRAME_STEP_UNSUPPORTED leave the
   registers alone; they are undefined after any other result but
   SFRAME_STEP_CALLER.  */
enum sframe_step_status
__sframe_eh_object_step (struct sframe_trace *trace,
			 const sframe_module *module, const void *header,
			 uintptr_t pc, bool signal) attribute_hidden;

#endif /* _SFRAME_EH_OBJECT_H  */
