/* One step up the stack by an .eh_frame entry.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe; no allocation, no lock.  Memory
   of the traced stack is read through sframe-stack.h alone.  */

#ifndef _SFRAME_EH_STEP_H
#define _SFRAME_EH_STEP_H

#include <sframe-eh.h>
#include <sframe-step.h>

/* How many values an expression can have on its stack.  That of a PLT
   needs 3, and no deeper one was seen in any object of a Debian system.  */
#define SFRAME_EH_VALUES_MAX 4

/* Step from the frame in *REGISTERS, whose PC ENTRY covers, to its caller.
   *ROW is what __sframe_eh_find_row found for the PC, and is clobbered.  The
   registers are undefined after any result but SFRAME_EH_OK.

   The caller's registers are known as far as the frame saved them, or the ABI
   has calls preserve them.  */
enum sframe_eh_status
__sframe_eh_step (struct sframe_registers *registers,
		  const struct sframe_eh_entry *entry,
		  struct sframe_eh_row *row, struct sframe_stack *stack)
  attribute_hidden;

/* Store in *RULE what ROW, as __sframe_eh_find_row left it, says of PC, SP and
   FP.  Return false if SFrame has no words for that, or if it depends on more
   than the PC whether the step is understood.  */
bool
__sframe_eh_rule (const struct sframe_eh_entry *entry,
		  const struct sframe_eh_row *row,
		  struct sframe_rule *rule) attribute_hidden;

/* Store the value of register NUMBER of the frame in *VALUE.  Return whether
   it is known.  The column of the return address, where it is no register of
   the machine, stands for the PC.  */
bool
__sframe_eh_register (const struct sframe_registers *registers,
		      const struct sframe_eh_entry *entry, uint64_t number,
		      uint64_t *value) attribute_hidden;

/* Compute the expression at address BLOCK, as in struct sframe_eh_row.
   *VALUE becomes the result.  If *VALUE is to be on its stack in the
   beginning, COUNT is 1, otherwise 0.  */
enum sframe_eh_status
__sframe_eh_evaluate (const struct sframe_registers *registers,
		      const struct sframe_eh_entry *entry,
		      struct sframe_stack *stack, uint64_t block,
		      unsigned int count, uint64_t *value) attribute_hidden;

#endif /* _SFRAME_EH_STEP_H  */
