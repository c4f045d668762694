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
  /* By DWARF number; value[N] counts only if bit N of KNOWN is set.  SP is
     known in all frames, FP in all but the callers of one that keeps it
     where it cannot be read.  The others are known in a frame that a signal
     interrupted, whose registers the kernel saved.  A step by SFrame forgets
     them, since it does not tell where the callee kept them; a step by
     .eh_frame does not.  */
  uintptr_t value[SFRAME_MACHINE_REGISTERS];
  uint64_t known;
  /* PC is the instruction to execute next, as in a frame that a signal
     interrupted, and not a return address, which may lie beyond the end of
     the function that made the call.  */
  bool interrupted;
  /* The system says that the signal came from fetching the instruction at PC.
     Since nothing was executed there, what led to it may have been a call.  */
  bool fetch_failed;
  /* Set by a step that has led to a lower SP, which means another stack.  */
  bool moved_down;
};

/* What precedes a return address.  */
enum sframe_call
{
  SFRAME_CALL_NONE,
  SFRAME_CALL_SOMEWHERE,
  SFRAME_CALL_TO_PC
};

enum sframe_step_status
{
  /* The registers are now the caller's.  */
  SFRAME_STEP_CALLER,
  /* The frame has no caller: the trace is complete.  */
  SFRAME_STEP_OUTERMOST,
  /* The stack is not as the rule says it is: a word is not readable, or the
     frame would not lie above its callee.  Nothing beyond it can be told.  */
  SFRAME_STEP_BROKEN,
  /* The rule needs a register that is not known.  */
  SFRAME_STEP_UNKNOWN,
  /* The tables have no rule for the frame.  */
  SFRAME_STEP_NO_RULE,
  /* There is a table for the object, but it is not understood.  */
  SFRAME_STEP_UNSUPPORTED,
  /* The frame is in no object's code.  */
  SFRAME_STEP_FOREIGN,
  /* The tables have a rule for the frame, as a signal trampoline's, which was
     not asked for.  */
  SFRAME_STEP_TRAMPOLINE
};

/* Step from the frame in *REGISTERS to its caller by RULE.  The registers are
   undefined after any result but SFRAME_STEP_CALLER.  */
enum sframe_step_status
__sframe_step (struct sframe_registers *registers,
	       const struct sframe_rule *rule, struct sframe_stack *stack)
  attribute_hidden;

#endif /* _SFRAME_STEP_H  */
