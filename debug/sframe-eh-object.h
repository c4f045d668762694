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
   where MAP has its .eh_frame_hdr, null if it has none.  The registers are
   undefined after SFRAME_STEP_CALLER has not been returned, but for
   SFRAME_STEP_NO_RULE and SFRAME_STEP_UNSUPPORTED.  */
enum sframe_step_status
__sframe_eh_object_step (struct sframe_trace *trace,
			 const struct link_map *map, const void *header,
			 uintptr_t pc) attribute_hidden;

#endif /* _SFRAME_EH_OBJECT_H  */
