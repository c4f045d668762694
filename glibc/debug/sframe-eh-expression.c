/* Evaluate the DWARF expressions of unwind rules.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-eh-step.h.  Jumps are not implemented, so evaluation
   ends at the last byte of the expression.  */

#include <sframe-eh-cursor.h>
#include <sframe-eh-step.h>

struct evaluation
{
  struct sframe_eh_cursor cursor;
  unsigned int count;
  uint64_t value[SFRAME_EH_VALUES_MAX];
};

static enum sframe_eh_status
push (struct evaluation *evaluation, uint64_t value)
{
  if (evaluation->count == SFRAME_EH_VALUES_MAX)
    return SFRAME_EH_NOT_UNDERSTOOD;
  evaluation->value[evaluation->count++] = value;
  return SFRAME_EH_OK;
}

/* The operand of DW_OP_const1u, const1s, const2u and so on.  */
static uint64_t
read_fixed (struct sframe_eh_cursor *cursor, unsigned int operation)
{
  unsigned int width = 1 << (operation - DW_OP_const1u) / 2;

  return ((operation - DW_OP_const1u) % 2 == 0
	  ? sframe_eh_unsigned (cursor, width)
	  : sframe_eh_signed (cursor, width));
}

/* The operations that push an operand.  */
static bool
read_constant (struct sframe_eh_cursor *cursor, unsigned int operation,
	       uint64_t *value)
{
  if (operation >= DW_OP_lit0 && operation <= DW_OP_lit31)
    *value = operation - DW_OP_lit0;
  else if (operation >= DW_OP_const1u && operation <= DW_OP_const8s)
    *value = read_fixed (cursor, operation);
  else if (operation == DW_OP_constu)
    *value = sframe_eh_uleb128 (cursor);
  else if (operation == DW_OP_consts)
    *value = sframe_eh_sleb128 (cursor);
  else if (operation == DW_OP_addr)
    *value = sframe_eh_unsigned (cursor, sizeof (uintptr_t));
  else
    return false;
  return true;
}

/* Execute DW_OP_bregN or DW_OP_bregx: push a register plus an offset.  */
static enum sframe_eh_status
push_register (struct evaluation *evaluation, unsigned int operation,
	       const struct sframe_registers *registers,
	       const struct sframe_eh_entry *entry)
{
  uint64_t number = operation - DW_OP_breg0;
  uint64_t value;

  if (operation == DW_OP_bregx)
    number = sframe_eh_uleb128 (&evaluation->cursor);
  if (!__sframe_eh_register (registers, entry, number, &value))
    return SFRAME_EH_REGISTER;
  return push (evaluation, value + sframe_eh_sleb128 (&evaluation->cursor));
}

/* Shift VALUE right, with FILL (0 or all ones) for the upper bits.  In C a
   shift by 64 or more is undefined.  */
static uint64_t
shift_right (uint64_t value, uint64_t by, uint64_t fill)
{
  if (by >= 64)
    return fill;
  return value >> by | (by == 0 ? 0 : fill << (64 - by));
}

/* The operations that replace the two topmost values by *RESULT; B is the
   top.  */
static enum sframe_eh_status
combine (unsigned int operation, uint64_t a, uint64_t b, uint64_t *result)
{
  int64_t x = a, y = b;

  switch (operation)
    {
    case DW_OP_and: *result = a & b; break;
    case DW_OP_or: *result = a | b; break;
    case DW_OP_xor: *result = a ^ b; break;
    case DW_OP_plus: *result = a + b; break;
    case DW_OP_minus: *result = a - b; break;
    case DW_OP_mul: *result = a * b; break;
    case DW_OP_shl: *result = b < 64 ? a << b : 0; break;
    case DW_OP_shr: *result = shift_right (a, b, 0); break;
    case DW_OP_shra: *result = shift_right (a, b, x < 0 ? -1 : 0); break;
    /* Comparisons are of signed numbers.  */
    case DW_OP_eq: *result = x == y; break;
    case DW_OP_ne: *result = x != y; break;
    case DW_OP_ge: *result = x >= y; break;
    case DW_OP_gt: *result = x > y; break;
    case DW_OP_le: *result = x <= y; break;
    case DW_OP_lt: *result = x < y; break;
    default: return SFRAME_EH_NOT_UNDERSTOOD;
    }
  return SFRAME_EH_OK;
}

/* The operations on the topmost value.  */
static enum sframe_eh_status
operate_on_one (struct evaluation *evaluation, unsigned int operation,
		struct sframe_stack *stack)
{
  uint64_t *top = &evaluation->value[evaluation->count - 1];

  switch (operation)
    {
    case DW_OP_dup:
      return push (evaluation, *top);
    case DW_OP_drop:
      --evaluation->count;
      return SFRAME_EH_OK;
    case DW_OP_deref:
      return (__sframe_stack_read (stack, *top, top)
	      ? SFRAME_EH_OK : SFRAME_EH_BROKEN);
    case DW_OP_plus_uconst:
      *top += sframe_eh_uleb128 (&evaluation->cursor);
      return SFRAME_EH_OK;
    case DW_OP_neg:
      *top = -*top;
      return SFRAME_EH_OK;
    default:
      *top = ~*top;
      return SFRAME_EH_OK;
    }
}

/* The operations on the two topmost values.  */
static enum sframe_eh_status
operate_on_two (struct evaluation *evaluation, unsigned int operation)
{
  uint64_t *values = &evaluation->value[evaluation->count - 2];
  uint64_t a = values[0], b = values[1];

  switch (operation)
    {
    case DW_OP_over:
      return push (evaluation, a);
    case DW_OP_swap:
      values[0] = b;
      values[1] = a;
      return SFRAME_EH_OK;
    default:
      --evaluation->count;
      return combine (operation, a, b, values);
    }
}

/* How many values on the expression stack OPERATION needs, or 0 if it is not
   implemented.  */
static unsigned int
values_needed (unsigned int operation)
{
  switch (operation)
    {
    case DW_OP_deref: case DW_OP_dup: case DW_OP_drop: case DW_OP_neg:
    case DW_OP_not: case DW_OP_plus_uconst:
      return 1;
    case DW_OP_over: case DW_OP_swap: case DW_OP_and: case DW_OP_minus:
    case DW_OP_mul: case DW_OP_or: case DW_OP_plus: case DW_OP_shl:
    case DW_OP_shr: case DW_OP_shra: case DW_OP_xor: case DW_OP_eq:
    case DW_OP_ge: case DW_OP_gt: case DW_OP_le: case DW_OP_lt: case DW_OP_ne:
      return 2;
    default:
      return 0;
    }
}

/* The operations that have operands on the expression stack.  */
static enum sframe_eh_status
operate (struct evaluation *evaluation, unsigned int operation,
	 struct sframe_stack *stack)
{
  unsigned int needed = values_needed (operation);

  if (needed == 0)
    return SFRAME_EH_NOT_UNDERSTOOD;
  if (evaluation->count < needed)
    return SFRAME_EH_CORRUPT;
  return (needed == 1 ? operate_on_one (evaluation, operation, stack)
	  : operate_on_two (evaluation, operation));
}

enum sframe_eh_status
__sframe_eh_evaluate (const struct sframe_registers *registers,
		      const struct sframe_eh_entry *entry,
		      struct sframe_stack *stack, uint64_t block,
		      unsigned int count, uint64_t *value)
{
  struct evaluation evaluation;
  enum sframe_eh_status status = SFRAME_EH_OK;
  uint64_t operand;

  evaluation.cursor = sframe_eh_block (entry, block);
  evaluation.count = count;
  evaluation.value[0] = *value;
  while (status == SFRAME_EH_OK
	 && evaluation.cursor.at < evaluation.cursor.end)
    {
      unsigned int operation = sframe_eh_unsigned (&evaluation.cursor, 1);
      if (operation == DW_OP_bregx
	  || (operation >= DW_OP_breg0 && operation <= DW_OP_breg31))
	status = push_register (&evaluation, operation, registers, entry);
      else if (read_constant (&evaluation.cursor, operation, &operand))
	status = push (&evaluation, operand);
      else if (operation != DW_OP_nop)
	status = operate (&evaluation, operation, stack);
    }
  if (status != SFRAME_EH_OK)
    return status;
  if (evaluation.count == 0 || evaluation.cursor.failed)
    return SFRAME_EH_CORRUPT;
  *value = evaluation.value[evaluation.count - 1];
  return SFRAME_EH_OK;
}
