/* One step up the stack by an SFrame rule.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe; no allocation, no lock.  Memory
   of the traced stack is read through sframe-stack.h alone.  */

#ifndef _SFRAME_STEP_H
#define _SFRAME_STEP_H

#include <sframe-read.h>
#include <sframe-registers.h>
#include <sframe-stack.h>
#include <stdint.h>

/* The registers of a frame, as far as they are known.  */
struct sframe_registers
{
  uintptr_t pc;
  /* By DWARF number; value[N] is valid only if bit N of KNOWN is set.  SP is
     known in all frames; FP is, unless a callee has saved it where it cannot
     be read, or in a register that is not known.  All others are known in a
     frame that a signal interrupted, since the kernel saved them.  They are
     unknown after a step by SFrame, which does not say where the callee saved
     them; a step by .eh_frame recovers them.  */
  uintptr_t value[SFRAME_MACHINE_REGISTERS];
  uint64_t known;
  /* After a step from an interrupted frame: the registers that the ABI lets a
     call change and that the .eh_frame entry of that frame does not mention.
     VALUE has their value in that frame.  They are not known; but a rule that
     needs one, as in hand-written code, relies on the callee not to change
     it.  */
  uint64_t kept;
  /* PC is the instruction to execute next, as in a frame that a signal
     interrupted.  Otherwise it is a return address, which may be beyond the
     end of the function that made the call.  */
  bool interrupted;
  /* The signal frame says that fetching the instruction at PC faulted.  No
     instruction was executed there, so a call may have led to PC.  */
  bool fetch_failed;
  /* The last step has led to a lower SP, that is, to another stack.  */
  bool moved_down;
};

/* The instruction before a return address: no call, a call, or a call that has
   led to the PC of the callee.  */
enum sframe_call
{
  SFRAME_CALL_NONE,
  SFRAME_CALL_SOMEWHERE,
  SFRAME_CALL_TO_PC
};

/* Whether FP already is the caller's in the frame from SP up to CFA, although
   its rule says that it is saved at ADDRESS, which is relative to FP.  GCC
   says so up to the end of functions that realign the stack, also after the
   instruction that has restored FP.  ADDRESS is outside of the frame then.  */
static inline bool
sframe_fp_restored (const struct sframe_registers *registers, uintptr_t sp,
		    uintptr_t cfa, uintptr_t address)
{
  return registers->interrupted && address - sp >= cfa - sp;
}

enum sframe_step_status
{
  /* The registers are now the caller's.  */
  SFRAME_STEP_CALLER,
  /* The frame has no caller: the trace is complete.  */
  SFRAME_STEP_OUTERMOST,
  /* The stack contradicts the rule: a word is not readable, or the frame does
     not lie above its callee.  The trace ends here.  */
  SFRAME_STEP_BROKEN,
  /* The rule needs a register that is not known.  */
  SFRAME_STEP_UNKNOWN,
  /* The tables have no rule for the frame.  */
  SFRAME_STEP_NO_RULE,
  /* The table of the object uses a feature that is not supported.  */
  SFRAME_STEP_UNSUPPORTED,
  /* The PC is in no object's code.  */
  SFRAME_STEP_FOREIGN,
  /* The tables describe the frame as a signal trampoline, and the caller did
     not ask for these.  */
  SFRAME_STEP_TRAMPOLINE
};

/* Step from the frame in *REGISTERS to its caller by RULE.  The registers are
   undefined after any result but SFRAME_STEP_CALLER.  */
enum sframe_step_status
__sframe_step (struct sframe_registers *registers,
	       const struct sframe_rule *rule, struct sframe_stack *stack)
  attribute_hidden;

#endif /* _SFRAME_STEP_H  */
