/* Ask the system whether memory is readable: no way known.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _SFRAME_PROBE_H
#define _SFRAME_PROBE_H

#include <sframe-stack.h>

/* Whether the word at ADDRESS, of any alignment, can be read.  Must not fault
   or change errno.  *CHECKED says whether this trace has found out that the
   system's answers can be trusted.  */
static inline enum sframe_probe
sframe_probe_word (uintptr_t address, bool *checked)
{
  return sframe_unknown;
}

#endif /* _SFRAME_PROBE_H  */
