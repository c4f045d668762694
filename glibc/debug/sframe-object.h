/* Find the SFrame rule for a PC in a loaded object.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe; no allocation, no lock, no
   system call.  Nothing outside the section is read.  */

#ifndef _SFRAME_OBJECT_H
#define _SFRAME_OBJECT_H

#include <sframe-module.h>
#include <sframe-trace.h>

/* Read the header of MODULE's section into *SECTION, unless *SECTION has FDEs:
   then it was read before.  Return whether MODULE has a section with a valid
   header.  */
bool __sframe_object_section (const sframe_module *module,
			      struct sframe_section *section) attribute_hidden;

/* Store in *RULE the rule of MODULE's section for PC.  Return whether there is
   one that can be trusted.  MODULE is TRACE->module, an object that
   _dl_find_object found.  */
bool __sframe_object_rule (struct sframe_trace *trace,
			   const sframe_module *module, uintptr_t pc,
			   struct sframe_rule *rule) attribute_hidden;

#endif /* _SFRAME_OBJECT_H  */
