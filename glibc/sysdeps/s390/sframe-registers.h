/* The registers that unwinding on s390x tracks.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Document: ELF Application Binary Interface, s390x Supplement, "DWARF" and
   "Registers".  The interface is described in
   sysdeps/generic/sframe-registers.h.  */

#ifndef _SFRAME_REGISTERS_H
#define _SFRAME_REGISTERS_H

/* The general registers, then the floating-point registers in DWARF's order;
   leaf functions save FP and RA in these.  */
#define SFRAME_MACHINE_REGISTERS 32
#define SFRAME_MACHINE_RA 14
/* R6 to R13, R15 and F8 to F15.  */
#define SFRAME_MACHINE_CALL_SAVED 0xff00bfc0

#endif /* _SFRAME_REGISTERS_H  */
