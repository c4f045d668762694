/* Asking the system about memory that a trace leads to: no way known.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _SFRAME_PROBE_H
#define _SFRAME_PROBE_H

#include <sframe-stack.h>

/* Find out whether the word at ADDRESS, of any alignment, can be read.  Must
   not fault, nor change errno.  */
static inline enum sframe_probe
sframe_probe_word (uintptr_t address)
{
  return sframe_unknown;
}

#endif /* _SFRAME_PROBE_H  */
