/* One step up the stack by the .eh_frame section of a loaded object.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe; no allocation, no lock, no
   system call but those of sframe-stack.h; no fault, whatever the stack and
   the section hold.  */

#ifndef _SFRAME_EH_OBJECT_H
#define _SFRAME_EH_OBJECT_H

#include <link.h>
#include <sframe-trace.h>

/* Step from the frame in TRACE's registers to its caller, and remember the
   rule if SFrame could have it.  PC is the address to look up in MAP; HEADER is
   where MAP has its .eh_frame_hdr, null if it has none.  The result is
   SFRAME_STEP_TRAMPOLINE if the entry is that of a signal trampoline, unless
   SIGNAL is set.  The registers are left alone with this result,
   SFRAME_STEP_NO_RULE and SFRAME_STEP_UNSUPPORTED; after others but
   SFRAME_STEP_CALLER they are undefined.  */
enum sframe_step_status
__sframe_eh_object_step (struct sframe_trace *trace,
			 const struct link_map *map, const void *header,
			 uintptr_t pc, bool signal) attribute_hidden;

#endif /* _SFRAME_EH_OBJECT_H  */
