/* The registers that unwinding on AArch64 tracks.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Documents: DWARF for the Arm 64-bit Architecture, "DWARF register names";
   Procedure Call Standard for the Arm 64-bit Architecture, "General-purpose
   Registers".  The interface is described in
   sysdeps/generic/sframe-registers.h.  */

#ifndef _SFRAME_REGISTERS_H
#define _SFRAME_REGISTERS_H

/* X0 to X30, then SP.  */
#define SFRAME_MACHINE_REGISTERS 32
#define SFRAME_MACHINE_RA 30
/* X19 to X29 and SP.  */
#define SFRAME_MACHINE_CALL_SAVED 0xbff80000

#endif /* _SFRAME_REGISTERS_H  */
