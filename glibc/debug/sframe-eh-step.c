/* One step up the stack by an .eh_frame entry.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-eh-step.h.  */

#include <sframe-eh-cursor.h>
#include <sframe-eh-step.h>
#include <sframe-machine.h>
#include <sframe-strip.h>
#include <string.h>

static inline uint64_t
bit (unsigned int number)
{
  return UINT64_C (1) << number;
}

bool
__sframe_eh_register (const struct sframe_registers *registers,
		      const struct sframe_eh_entry *entry, uint64_t number,
		      uint64_t *value)
{
  if (number < SFRAME_MACHINE_REGISTERS)
    {
      *value = registers->value[number];
      return ((registers->known | registers->kept) & bit (number)) != 0;
    }
  *value = registers->pc;
  return number == entry->ra_column;
}

/* Replace the operand of the CFA in ROW by the value of the CFA.  */
static enum sframe_eh_status
eh_find_cfa (const struct sframe_registers *registers,
	     const struct sframe_eh_entry *entry,
	     struct sframe_eh_row *row, struct sframe_stack *stack)
{
  uint64_t offset = row->cfa_operand;

  if (row->cfa_expression)
    return __sframe_eh_evaluate (registers, entry, stack, offset, 0,
				 &row->cfa_operand);
  if (row->cfa_register >= SFRAME_MACHINE_REGISTERS)
    return SFRAME_EH_CORRUPT;
  if (!__sframe_eh_register (registers, entry, row->cfa_register,
			     &row->cfa_operand))
    return SFRAME_EH_REGISTER;
  row->cfa_operand += offset;
  return SFRAME_EH_OK;
}

/* The columns without a rule in ROW whose register a call may change.  */
static uint64_t
unmentioned (const struct sframe_eh_row *row)
{
  uint64_t set = 0;

  for (unsigned int i = 0; i < SFRAME_MACHINE_REGISTERS; ++i)
    if (row->rule[i] == SFRAME_EH_UNSET && i != SFRAME_MACHINE_SP
	&& (SFRAME_MACHINE_CALL_SAVED & bit (i)) == 0)
      set |= bit (i);
  return set;
}

/* Compute the caller's value of COLUMN, which has no rule: the same as in this
   frame.  It is known if the register is call-saved.  *VALUE is the CFA on
   entry.  */
static enum sframe_eh_status
recover_unset (const struct sframe_registers *registers,
	       const struct sframe_eh_entry *entry, unsigned int column,
	       uint64_t *value)
{
  if (column == SFRAME_MACHINE_SP)
    {
      *value += SFRAME_MACHINE_SP_OFFSET;
      return SFRAME_EH_OK;
    }
  if (column >= SFRAME_MACHINE_REGISTERS
      || !__sframe_eh_register (registers, entry, column, value))
    return SFRAME_EH_REGISTER;
  return (column == entry->ra_column || entry->signal
	  || (SFRAME_MACHINE_CALL_SAVED & bit (column)) != 0
	  ? SFRAME_EH_OK : SFRAME_EH_REGISTER);
}

/* Whether RULE gives the address of the caller's value.  */
static bool
is_saved (unsigned int rule)
{
  return (rule == SFRAME_EH_CFA_MEMORY
	  || rule == SFRAME_EH_EXPRESSION_MEMORY);
}

/* Store the caller's value of COLUMN, or its address if it is saved in memory,
   in *VALUE.  *VALUE is the CFA on entry; OPERAND is that of COLUMN.  */
static enum sframe_eh_status
compute (const struct sframe_registers *registers,
	 const struct sframe_eh_entry *entry, const struct sframe_eh_row *row,
	 struct sframe_stack *stack, unsigned int column, uint64_t operand,
	 uint64_t *value)
{
  switch (row->rule[column])
    {
    case SFRAME_EH_UNSET:
      return recover_unset (registers, entry, column, value);
    case SFRAME_EH_SAME:
      operand = column;
      /* Fall through.  */
    case SFRAME_EH_IN_REGISTER:
      return (__sframe_eh_register (registers, entry, operand, value)
	      ? SFRAME_EH_OK : SFRAME_EH_REGISTER);
    case SFRAME_EH_CFA_VALUE:
    case SFRAME_EH_CFA_MEMORY:
      *value += operand;
      return SFRAME_EH_OK;
    case SFRAME_EH_EXPRESSION_VALUE:
    case SFRAME_EH_EXPRESSION_MEMORY:
      return __sframe_eh_evaluate (registers, entry, stack, operand, 1, value);
    default:
      return SFRAME_EH_REGISTER;
    }
}

/* Whether COLUMN already is the caller's, although ROW, which has the CFA,
   says that it is saved at some offset from FP: FP is restored after all
   others.  Not inlined: it takes no stack when the address is read.  */
static bool __attribute__ ((noinline))
is_restored (const struct sframe_registers *registers,
	     const struct sframe_eh_entry *entry,
	     const struct sframe_eh_row *row, unsigned int column)
{
  uint64_t fp = registers->value[SFRAME_MACHINE_FP];

  if (row->rule[column] != SFRAME_EH_EXPRESSION_MEMORY || entry->signal
      || column >= SFRAME_MACHINE_REGISTERS || column == entry->ra_column)
    return false;
  struct sframe_eh_cursor cursor
    = sframe_eh_block (entry, row->operand[column]);
  return (sframe_eh_unsigned (&cursor, 1) == DW_OP_breg0 + SFRAME_MACHINE_FP
	  && sframe_fp_restored (registers,
				 registers->value[SFRAME_MACHINE_SP],
				 row->cfa_operand,
				 fp + sframe_eh_sleb128 (&cursor))
	  && cursor.at == cursor.end && !cursor.failed);
}

/* Replace the operand of COLUMN in ROW by the caller's value.  The operand of
   the CFA already is the CFA.  */
static enum sframe_eh_status
eh_recover (const struct sframe_registers *registers,
	    const struct sframe_eh_entry *entry, struct sframe_eh_row *row,
	    struct sframe_stack *stack, unsigned int column)
{
  uint64_t *value = &row->operand[column];
  uint64_t operand = *value;

  if (is_restored (registers, entry, row, column))
    {
      *value = registers->value[column];
      return SFRAME_EH_OK;
    }
  *value = row->cfa_operand;
  enum sframe_eh_status status
    = compute (registers, entry, row, stack, column, operand, value);
  if (status != SFRAME_EH_OK || !is_saved (row->rule[column]))
    return status;
  return (__sframe_stack_read (stack, *value, value)
	  ? SFRAME_EH_OK : SFRAME_EH_BROKEN);
}

/* Replace the operands in ROW by the caller's values.  *KNOWN becomes the set
   of columns whose value is known.  *REGISTERS stays unchanged, since the
   rules of later columns may use it.  */
static enum sframe_eh_status
recover_all (const struct sframe_registers *registers,
	     const struct sframe_eh_entry *entry, struct sframe_eh_row *row,
	     struct sframe_stack *stack, uint64_t *known)
{
  *known = 0;
  for (unsigned int i = 0; i < SFRAME_EH_COLUMNS; ++i)
    {
      if (i >= SFRAME_MACHINE_REGISTERS && i != entry->ra_column)
	continue;
      enum sframe_eh_status status
	= eh_recover (registers, entry, row, stack, i);
      if (status == SFRAME_EH_OK)
	*known |= bit (i);
      /* If any other column is unknown, the trace can go on as long as no
	 later rule needs it.  */
      else if (i == entry->ra_column || i == SFRAME_MACHINE_SP
	       || status == SFRAME_EH_NOT_UNDERSTOOD
	       || status == SFRAME_EH_CORRUPT)
	return status;
    }
  return SFRAME_EH_OK;
}

/* Whether the frame of *REGISTERS can have the same SP as its caller, by ROW:
   it was interrupted, and may have pushed nothing; its return address is in a
   register that is known; or its caller has a save area (see plausible_sp in
   sframe-step.c).  */
static bool
eh_same_sp (const struct sframe_registers *registers,
	    const struct sframe_eh_entry *entry,
	    const struct sframe_eh_row *row)
{
  unsigned int ra = entry->ra_column;

  return (registers->interrupted || SFRAME_MACHINE_SAVE_AREA
	  || row->rule[ra] == SFRAME_EH_IN_REGISTER
	  || (SFRAME_MACHINE_FRAMELESS && registers->kept != 0)
	  || (ra < SFRAME_MACHINE_REGISTERS
	      && ((registers->known | registers->kept) & bit (ra)) != 0));
}

/* Whether SP can be the caller's stack pointer.  The stack grows down, so it
   must be above that of *REGISTERS, or equal where eh_same_sp allows that.  It
   may be below, on another stack, if this is a signal trampoline or a function
   that switches stacks.  */
static bool
eh_plausible_sp (const struct sframe_registers *registers,
		 const struct sframe_eh_entry *entry,
		 const struct sframe_eh_row *row,
		 const struct sframe_stack *stack, uintptr_t sp)
{
  uintptr_t old = registers->value[SFRAME_MACHINE_SP];

  if (sp == old)
    return eh_same_sp (registers, entry, row);
  return (sp > old || entry->signal
	  || ((row->cfa_expression || row->cfa_register != SFRAME_MACHINE_SP)
	      && !__sframe_same_stack (stack, old, sp)));
}

/* If CALLER_SP is so far from SP that it must be probed, probe WORD, which is
   next to it.  SP may be anywhere after a signal trampoline.  */
static void
check_leap (const struct sframe_registers *registers,
	    const struct sframe_eh_entry *entry, struct sframe_stack *stack,
	    uintptr_t caller_sp, uintptr_t word)
{
  if (!entry->signal
      && sframe_stack_leap (registers->value[SFRAME_MACHINE_SP], caller_sp))
    __sframe_stack_check (stack, word);
}

/* Replace the operands in ROW, with the CFA's, by the caller's values, and
   check SP.  *KNOWN is as for recover_all.  */
static enum sframe_eh_status
find_caller (const struct sframe_registers *registers,
	     const struct sframe_eh_entry *entry, struct sframe_eh_row *row,
	     struct sframe_stack *stack, uint64_t *known)
{
  enum sframe_eh_status status = eh_find_cfa (registers, entry, row, stack);

  if (status == SFRAME_EH_OK)
    {
      check_leap (registers, entry, stack,
		  row->cfa_operand + SFRAME_MACHINE_SP_OFFSET,
		  row->cfa_operand - sizeof row->cfa_operand);
      status = recover_all (registers, entry, row, stack, known);
    }
  if (status != SFRAME_EH_OK)
    return status;
  uintptr_t sp = row->operand[SFRAME_MACHINE_SP];
  if (!eh_plausible_sp (registers, entry, row, stack, sp))
    return SFRAME_EH_BROKEN;
  /* A rule of its own may have led SP elsewhere.  */
  if (sp != row->cfa_operand + SFRAME_MACHINE_SP_OFFSET)
    check_leap (registers, entry, stack, sp, sp);
  return SFRAME_EH_OK;
}

/* Make *REGISTERS those of the caller, whose values are the operands in
   ROW.  */
static void
eh_enter_caller (struct sframe_registers *registers,
		 const struct sframe_eh_entry *entry,
		 const struct sframe_eh_row *row, uint64_t known)
{
  uintptr_t sp = registers->value[SFRAME_MACHINE_SP];
  uintptr_t caller_sp = row->operand[SFRAME_MACHINE_SP];

  registers->moved_down = !entry->signal && caller_sp < sp;
  registers->pc = sframe_strip (row->operand[entry->ra_column]);
  memcpy (registers->value, row->operand,
	  SFRAME_MACHINE_REGISTERS * sizeof registers->value[0]);
  registers->kept = (registers->interrupted && !entry->signal
		     ? registers->known & ~known & unmentioned (row) : 0);
  registers->known = known & (bit (SFRAME_MACHINE_REGISTERS) - 1);
  /* The RA register now holds this frame's return address, not that of the
     caller, unless the caller was interrupted.  */
  if (!entry->signal)
    registers->known &= ~bit (entry->ra_column);
  registers->interrupted = entry->signal;
}

enum sframe_eh_status
__sframe_eh_step (struct sframe_registers *registers,
		  const struct sframe_eh_entry *entry,
		  struct sframe_eh_row *row, struct sframe_stack *stack)
{
  uint64_t known;

  /* SP cannot be the return address as well.  */
  if (entry->ra_column == SFRAME_MACHINE_SP)
    return SFRAME_EH_CORRUPT;
  if (row->rule[entry->ra_column] == SFRAME_EH_UNDEFINED)
    return SFRAME_EH_OUTERMOST;
  enum sframe_eh_status status
    = find_caller (registers, entry, row, stack, &known);
  if (status == SFRAME_EH_OK)
    eh_enter_caller (registers, entry, row, known);
  return status;
}

/* Whether a step by ROW evaluates expressions, which may not be supported, or
   has a rule for SP.  */
static bool
is_special (const struct sframe_eh_row *row)
{
  if (row->cfa_expression || row->rule[SFRAME_MACHINE_SP] != SFRAME_EH_UNSET)
    return true;
  for (unsigned int i = 0; i < SFRAME_EH_COLUMNS; ++i)
    if (row->rule[i] == SFRAME_EH_EXPRESSION_VALUE
	|| row->rule[i] == SFRAME_EH_EXPRESSION_MEMORY)
      return true;
  return false;
}

/* Store the rule of COLUMN in *PLACE.  Return false if SFrame cannot express
   it.  */
static bool
find_place (const struct sframe_eh_row *row, unsigned int column,
	    struct sframe_place *place)
{
  *place = (struct sframe_place) { .kind = SFRAME_UNCHANGED };
  switch (row->rule[column])
    {
    case SFRAME_EH_UNSET:
    case SFRAME_EH_SAME:
      return true;
    case SFRAME_EH_CFA_MEMORY:
      place->kind = SFRAME_CFA_MEMORY;
      place->offset = row->operand[column];
      return (uint64_t) place->offset == row->operand[column];
    default:
      return false;
    }
}

bool
__sframe_eh_rule (const struct sframe_eh_entry *entry,
		  const struct sframe_eh_row *row, struct sframe_rule *rule)
{
  if (entry->signal || entry->ra_column != SFRAME_MACHINE_RA
      || is_special (row))
    return false;
  *rule = (struct sframe_rule)
    { .outermost = row->rule[entry->ra_column] == SFRAME_EH_UNDEFINED,
      .cfa = { .kind = SFRAME_REGISTER_VALUE, .reg = row->cfa_register,
	       .offset = row->cfa_operand } };
  return (rule->outermost
	  || ((uint64_t) rule->cfa.offset == row->cfa_operand
	      && find_place (row, entry->ra_column, &rule->ra)
	      && rule->ra.kind == SFRAME_CFA_MEMORY
	      && find_place (row, SFRAME_MACHINE_FP, &rule->fp)));
}
