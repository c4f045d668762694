/* Remove the signature of a return address on AArch64.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Document: Arm Architecture Reference Manual for A-profile, "XPACD, XPACI,
   XPACLRI"; DWARF for the Arm 64-bit Architecture, "Call frame instructions".
   The interface is described in sysdeps/generic/sframe-strip.h.

   The signature need not be verified: a wrong address ends the trace or gives
   a wrong frame, but nothing jumps to it.  Which bits it occupies depends on
   the size of the address space, so no fixed mask can remove it.  */

#ifndef _SFRAME_STRIP_H
#define _SFRAME_STRIP_H

#include <stdint.h>

#define SFRAME_MACHINE_SIGNS_RA 1

/* The instruction is xpaclri, which works on X30 alone.  Processors without
   pointer authentication, which cannot sign either, execute it as a nop.  Its
   number is given since assemblers know its name only for newer
   processors.  */
static inline uintptr_t
sframe_strip (uintptr_t ra)
{
  register uintptr_t lr asm ("x30") = ra;

  asm ("hint #7" : "+r" (lr));
  return lr;
}

#endif /* _SFRAME_STRIP_H  */
