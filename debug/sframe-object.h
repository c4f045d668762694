/* Finding the SFrame rule for a PC in a loaded object.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe; no allocation, no lock, no
   system call.  Nothing outside the section is read.  */

#ifndef _SFRAME_OBJECT_H
#define _SFRAME_OBJECT_H

#include <link.h>
#include <sframe-read.h>

/* Store in *RULE what MAP's section says of PC.  Return whether it has a rule
   that can be believed.  MAP is an object that _dl_find_object has found.  */
bool __sframe_object_rule (const struct link_map *map, uintptr_t pc,
			   struct sframe_rule *rule) attribute_hidden;

#endif /* _SFRAME_OBJECT_H  */
