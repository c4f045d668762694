/* What SFrame unwinding must know of x86-64.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Document: System V ABI, AMD64 supplement, "DWARF Register Number
   Mapping" and "The Stack Frame".  The interface is described in
   sysdeps/generic/sframe-machine.h.  */

#ifndef _SFRAME_MACHINE_H
#define _SFRAME_MACHINE_H

#include <sframe-step.h>

#define SFRAME_MACHINE_ABI SFRAME_ABI_AMD64_LE
#define SFRAME_MACHINE_SP 7
#define SFRAME_MACHINE_FP 6
/* The general registers.  16 is the return address column, which no rule
   can use as a base.  */
#define SFRAME_MACHINE_REGISTERS 16
/* The CFA is the value of SP before the call pushed the return address.  */
#define SFRAME_MACHINE_SP_OFFSET 0
#define SFRAME_MACHINE_ENTRY_SIZE 64

/* Asking for the frame address makes the compiler set up a frame pointer,
   below which the ABI gives the layout: saved FP, return address.  The
   call-saved registers other than FP are not captured: at a call, a rule
   that needs one has no reason to be (DRAP functions reload from FP), and the
   few hand-written ones are left to the fallback.  */
static inline void __attribute__ ((always_inline))
sframe_capture_caller (struct sframe_registers *registers)
{
  const uintptr_t *frame = __builtin_frame_address (0);

  registers->value[SFRAME_MACHINE_FP] = frame[0];
  registers->pc = frame[1];
  registers->value[SFRAME_MACHINE_SP] = (uintptr_t) (frame + 2);
  registers->known = (UINT64_C (1) << SFRAME_MACHINE_FP
		      | UINT64_C (1) << SFRAME_MACHINE_SP);
  registers->interrupted = false;
}

#endif /* _SFRAME_MACHINE_H  */
