/* One step up the stack by an SFrame rule.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-step.h.  */

#include <sframe-machine.h>
#include <sframe-step.h>
#include <sframe-strip.h>

/* Store in *ADDRESS the base of PLACE (a register or the CFA) plus its offset.
   Return whether the base is known.  */
static bool
place_address (const struct sframe_registers *registers,
	       const struct sframe_place *place, uintptr_t cfa,
	       uintptr_t *address)
{
  uintptr_t base = cfa;

  if (place->kind == SFRAME_REGISTER_VALUE
      || place->kind == SFRAME_REGISTER_MEMORY)
    {
      if (place->reg >= SFRAME_MACHINE_REGISTERS
	  || (registers->known & UINT64_C (1) << place->reg) == 0)
	return false;
      base = registers->value[place->reg];
    }
  *address = base + (intptr_t) place->offset;
  return true;
}

/* Compute the value that PLACE describes; its kind must not be UNCHANGED.  The
   result is UNKNOWN also if the FP is not known: .eh_frame may say that a
   callee has saved it in another register.  */
static enum sframe_step_status
recover (const struct sframe_registers *registers,
	 const struct sframe_place *place, uintptr_t cfa,
	 struct sframe_stack *stack, uintptr_t *value)
{
  if (!place_address (registers, place, cfa, value))
    return SFRAME_STEP_UNKNOWN;
  if (place->kind == SFRAME_CFA_VALUE || place->kind == SFRAME_REGISTER_VALUE)
    return SFRAME_STEP_CALLER;
  return (__sframe_stack_read (stack, *value, value)
	  ? SFRAME_STEP_CALLER : SFRAME_STEP_BROKEN);
}

/* Whether FP is the caller's; otherwise PLACE describes that.  */
static inline bool
is_unchanged (const struct sframe_registers *registers,
	      const struct sframe_place *place, uintptr_t cfa)
{
  uintptr_t fp = registers->value[SFRAME_MACHINE_FP];

  return (place->kind == SFRAME_UNCHANGED
	  || (place->kind == SFRAME_REGISTER_MEMORY
	      && place->reg == SFRAME_MACHINE_FP
	      && sframe_fp_restored (registers,
				     registers->value[SFRAME_MACHINE_SP], cfa,
				     fp + (intptr_t) place->offset)));
}

/* Compute the caller's FP.  */
static enum sframe_step_status
recover_fp (const struct sframe_registers *registers,
	    const struct sframe_place *place, uintptr_t cfa,
	    struct sframe_stack *stack, uintptr_t *fp)
{
  if (!is_unchanged (registers, place, cfa))
    return recover (registers, place, cfa, stack, fp);
  *fp = registers->value[SFRAME_MACHINE_FP];
  return ((registers->known & UINT64_C (1) << SFRAME_MACHINE_FP) != 0
	  ? SFRAME_STEP_CALLER : SFRAME_STEP_BROKEN);
}

/* Whether the frame can still have its return address in the RA register,
   which is known only in a frame that a signal interrupted, or in the caller
   of one that had its own in another register, as __fentry__ has.  */
static inline bool
knows_ra (const struct sframe_registers *registers)
{
  return (SFRAME_MACHINE_RA < SFRAME_MACHINE_REGISTERS
	  && ((registers->known | registers->kept)
	      & UINT64_C (1) << SFRAME_MACHINE_RA) != 0);
}

/* Whether the frame can have made a call with its return address in a
   register: one that is not known, so that .eh_frame has to find it.  */
static inline bool
is_frameless (const struct sframe_registers *registers,
	      const struct sframe_place *ra)
{
  return (ra->kind == SFRAME_REGISTER_VALUE
	  && ra->reg < SFRAME_MACHINE_REGISTERS
	  && (registers->known & UINT64_C (1) << ra->reg) == 0);
}

/* Whether CALLER_SP, which RULE gives, can be the caller's SP.  The stack
   grows down, so it is above SP; equal is possible only in a frame that has
   made no call, which may have pushed nothing, or have popped the return
   address to a register like vfork, and where the caller has a save area, in
   which a function can keep what it would otherwise have pushed; if SP never
   rises, backtrace notices.  It may be below SP, on another stack, in a
   function that switches stacks and keeps the old SP in FP or in memory.  */
static bool
plausible_sp (const struct sframe_registers *registers,
	      const struct sframe_rule *rule,
	      const struct sframe_stack *stack, uintptr_t caller_sp)
{
  uintptr_t sp = registers->value[SFRAME_MACHINE_SP];

  if (caller_sp == sp)
    return (knows_ra (registers) || registers->interrupted
	    || is_frameless (registers, &rule->ra)
	    || SFRAME_MACHINE_SAVE_AREA);
  return (caller_sp > sp
	  || ((rule->cfa.kind != SFRAME_REGISTER_VALUE
	       || rule->cfa.reg != SFRAME_MACHINE_SP)
	      && !__sframe_same_stack (stack, sp, caller_sp)));
}

/* Compute the CFA and check it; that of a signal trampoline may be
   anywhere.  */
static enum sframe_step_status
find_cfa (const struct sframe_registers *registers,
	  const struct sframe_rule *rule, struct sframe_stack *stack,
	  uintptr_t *cfa)
{
  uintptr_t sp = registers->value[SFRAME_MACHINE_SP];
  enum sframe_step_status status
    = recover (registers, &rule->cfa, 0, stack, cfa);

  if (status != SFRAME_STEP_CALLER || rule->signal)
    return status;
  uintptr_t caller_sp = *cfa + SFRAME_MACHINE_SP_OFFSET;
  if (!plausible_sp (registers, rule, stack, caller_sp))
    return SFRAME_STEP_BROKEN;
  if (sframe_stack_leap (sp, caller_sp))
    __sframe_stack_check (stack, *cfa - sizeof *cfa);
  return SFRAME_STEP_CALLER;
}

/* Compute the return address.  A frame that has made a call must have saved
   it; if its rule says otherwise, the trace is broken.  */
static enum sframe_step_status
find_ra (const struct sframe_registers *registers,
	 const struct sframe_place *place, uintptr_t cfa,
	 struct sframe_stack *stack, uintptr_t *ra)
{
  if (place->kind != SFRAME_UNCHANGED)
    return recover (registers, place, cfa, stack, ra);
  if (!knows_ra (registers))
    return SFRAME_STEP_BROKEN;
  *ra = registers->value[SFRAME_MACHINE_RA];
  return SFRAME_STEP_CALLER;
}

/* Make *REGISTERS those of the caller; KNOWN is the set of those whose value
   is known.  */
static void
enter_caller (struct sframe_registers *registers,
	      const struct sframe_rule *rule, uintptr_t cfa, uintptr_t ra,
	      uintptr_t fp, uint64_t known)
{
  uintptr_t sp = registers->value[SFRAME_MACHINE_SP];
  uintptr_t caller_sp = cfa + SFRAME_MACHINE_SP_OFFSET;

  registers->moved_down = !rule->signal && caller_sp < sp;
  registers->pc = sframe_strip (ra);
  registers->value[SFRAME_MACHINE_SP] = caller_sp;
  registers->value[SFRAME_MACHINE_FP] = fp;
  registers->known = known;
  registers->kept = 0;
  registers->interrupted = rule->signal;
}

enum sframe_step_status
__sframe_step (struct sframe_registers *registers,
	       const struct sframe_rule *rule, struct sframe_stack *stack)
{
  uintptr_t cfa, ra, fp = 0;
  enum sframe_step_status status;

  if (rule->outermost)
    return SFRAME_STEP_OUTERMOST;
  status = find_cfa (registers, rule, stack, &cfa);
  if (status != SFRAME_STEP_CALLER)
    return status;
  status = find_ra (registers, &rule->ra, cfa, stack, &ra);
  if (status != SFRAME_STEP_CALLER)
    return status;

  /* If FP cannot be read, the trace can go on as long as the rules of the
     callers do not need it.  */
  uint64_t known = UINT64_C (1) << SFRAME_MACHINE_SP;
  status = recover_fp (registers, &rule->fp, cfa, stack, &fp);
  if (status == SFRAME_STEP_UNKNOWN)
    return status;
  if (status == SFRAME_STEP_CALLER)
    known |= UINT64_C (1) << SFRAME_MACHINE_FP;

  /* The caller's values of all other registers are unknown.  */
  enter_caller (registers, rule, cfa, ra, fp, known);
  return SFRAME_STEP_CALLER;
}
