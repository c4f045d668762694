/* One step up the stack by an .eh_frame entry.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe; no allocation, no lock.  Memory
   of the traced stack is read through sframe-stack.h alone.  */

#ifndef _SFRAME_EH_STEP_H
#define _SFRAME_EH_STEP_H

#include <sframe-eh.h>
#include <sframe-step.h>

/* The size of the expression stack.  The expression of a PLT needs 3 values;
   none in any object of a Debian system needs more.  */
#define SFRAME_EH_VALUES_MAX 4

/* Step from the frame in *REGISTERS, whose PC ENTRY covers, to its caller.
   *ROW is what __sframe_eh_find_row found for the PC, and is clobbered.  The
   registers are undefined after any result but SFRAME_EH_OK.

   The caller's value of a register is known if the frame has saved it, or if
   it is call-saved by the ABI.  */
enum sframe_eh_status
__sframe_eh_step (struct sframe_registers *registers,
		  const struct sframe_eh_entry *entry,
		  struct sframe_eh_row *row, struct sframe_stack *stack)
  attribute_hidden;

/* Convert ROW, as __sframe_eh_find_row left it, to the SFrame rule *RULE.
   Return false if SFrame cannot express it, or if __sframe_eh_step may find
   some of its expressions unsupported.  */
bool
__sframe_eh_rule (const struct sframe_eh_entry *entry,
		  const struct sframe_eh_row *row,
		  struct sframe_rule *rule) attribute_hidden;

/* Store the value of register NUMBER of the frame in *VALUE.  Return whether
   it is known.  The RA column, if not a register of the machine, stands for
   the PC.  */
bool
__sframe_eh_register (const struct sframe_registers *registers,
		      const struct sframe_eh_entry *entry, uint64_t number,
		      uint64_t *value) attribute_hidden;

/* Evaluate the expression at address BLOCK (see struct sframe_eh_row) and
   store the result in *VALUE.  At the start the expression stack is empty if
   COUNT is 0, and holds *VALUE if it is 1.  */
enum sframe_eh_status
__sframe_eh_evaluate (const struct sframe_registers *registers,
		      const struct sframe_eh_entry *entry,
		      struct sframe_stack *stack, uint64_t block,
		      unsigned int count, uint64_t *value) attribute_hidden;

#endif /* _SFRAME_EH_STEP_H  */
