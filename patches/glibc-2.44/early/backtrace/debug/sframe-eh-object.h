/* Steps by the .eh_frame section of an object: none yet.

   SPDX-License-Identifier: LGPL-2.1-or-later

   A later patch replaces this file.  */

#ifndef _SFRAME_EH_OBJECT_H
#define _SFRAME_EH_OBJECT_H

#include <sframe-module.h>
#include <sframe-trace.h>

/* Rules are not cached yet.  */
static inline uint64_t
sframe_cache_object_rule (struct sframe_trace *trace,
			  const struct sframe_rule *rule)
{
  return 0;
}

/* libgcc does the whole trace at a frame without SFrame.  */
static inline bool
sframe_needs_libgcc (enum sframe_step_status status)
{
  return (status == SFRAME_STEP_FOREIGN
	  || status == SFRAME_STEP_UNSUPPORTED);
}

static inline enum sframe_step_status
__sframe_eh_object_step (struct sframe_trace *trace,
			 const sframe_module *module, const void *header,
			 uintptr_t pc, bool signal)
{
  return SFRAME_STEP_UNSUPPORTED;
}

#endif /* _SFRAME_EH_OBJECT_H  */
