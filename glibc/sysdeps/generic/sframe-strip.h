/* Remove what the machine adds to a return address: nothing.

   SPDX-License-Identifier: LGPL-2.1-or-later

   A machine may sign return addresses: some bits of the address in a register
   or in memory are a signature.  A table is searched by the plain address, the
   cache of rules has the plain address as its key, and callers of backtrace
   expect it.  */

#ifndef _SFRAME_STRIP_H
#define _SFRAME_STRIP_H

#include <stdint.h>

/* Whether the machine can sign return addresses.  Then .eh_frame may have CFA
   instructions and augmentations that say where it does.  */
#define SFRAME_MACHINE_SIGNS_RA 0

/* RA without signature.  RA may be any word.  */
static inline uintptr_t
sframe_strip (uintptr_t ra)
{
  return ra;
}

#endif /* _SFRAME_STRIP_H  */
