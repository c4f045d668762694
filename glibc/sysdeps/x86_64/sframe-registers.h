/* The registers that unwinding on x86-64 tracks.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Document: System V ABI, AMD64 supplement, "DWARF Register Number
   Mapping" and "Registers and the Stack Frame".  The interface is described
   in sysdeps/generic/sframe-registers.h.  */

#ifndef _SFRAME_REGISTERS_H
#define _SFRAME_REGISTERS_H

/* The general registers.  */
#define SFRAME_MACHINE_REGISTERS 16
/* A column of the tables; the machine has no such register.  */
#define SFRAME_MACHINE_RA 16
/* RBX, RBP, RSP and R12 to R15.  */
#define SFRAME_MACHINE_CALL_SAVED 0xf0c8

#endif /* _SFRAME_REGISTERS_H  */
