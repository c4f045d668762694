/* Run the CFA instructions of an .eh_frame entry up to a PC.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: pure, see sframe-eh.h.

   A row is large, and backtrace uses little stack, so only one is kept.
   DW_CFA_remember_state does not save it: if the matching
   DW_CFA_restore_state comes before the PC, the instructions between them are
   skipped, which has the same effect.  For DW_CFA_restore, the CIE's
   instructions are run again at the end, for the restored registers alone.  */

#include <sframe-eh.h>
#include <sframe-eh-cursor.h>
#include <sframe-strip.h>

/* The operands after the opcode of an instruction.  Factored offsets are
   multiplied by the data alignment factor.  */
enum form
{
  form_unknown,
  form_none,
  form_location,		/* An address of code.  */
  form_advance1,
  form_advance2,
  form_advance4,
  form_register,
  form_number,			/* ULEB128.  */
  form_factored,		/* A factored signed offset.  */
  form_block,			/* An expression.  */
  form_register_number,
  form_register_unsigned,	/* And a factored unsigned offset.  */
  form_register_negative,	/* The same, to be negated.  */
  form_register_signed,		/* And a factored signed offset.  */
  form_register_block
};

static const unsigned char forms[] =
  {
    [DW_CFA_nop] = form_none,
    [DW_CFA_set_loc] = form_location,
    [DW_CFA_advance_loc1] = form_advance1,
    [DW_CFA_advance_loc2] = form_advance2,
    [DW_CFA_advance_loc4] = form_advance4,
    [DW_CFA_offset_extended] = form_register_unsigned,
    [DW_CFA_restore_extended] = form_register,
    [DW_CFA_undefined] = form_register,
    [DW_CFA_same_value] = form_register,
    [DW_CFA_register] = form_register_number,
    [DW_CFA_remember_state] = form_none,
    [DW_CFA_restore_state] = form_none,
    [DW_CFA_def_cfa] = form_register_number,
    [DW_CFA_def_cfa_register] = form_register,
    [DW_CFA_def_cfa_offset] = form_number,
    [DW_CFA_def_cfa_expression] = form_block,
    [DW_CFA_expression] = form_register_block,
    [DW_CFA_offset_extended_sf] = form_register_signed,
    [DW_CFA_def_cfa_sf] = form_register_signed,
    [DW_CFA_def_cfa_offset_sf] = form_factored,
    [DW_CFA_val_offset] = form_register_unsigned,
    [DW_CFA_val_offset_sf] = form_register_signed,
    [DW_CFA_val_expression] = form_register_block,
#if SFRAME_MACHINE_SIGNS_RA
    /* These say whether the return address is signed.  A step removes the
       signature of any.  */
    [DW_CFA_AARCH64_negate_ra_state_with_pc] = form_none,
    [DW_CFA_AARCH64_negate_ra_state] = form_none,
#endif
    [DW_CFA_GNU_args_size] = form_number,
    [DW_CFA_GNU_negative_offset_extended] = form_register_negative
  };

/* An instruction whose operands have been read.  */
struct instruction
{
  /* The extended opcode if there is a short form as well;
     DW_CFA_advance_loc for all advances.  */
  unsigned int code;
  uint64_t reg;
  /* Offset, advance, number or address.  */
  uint64_t operand;
};

/* The state of running the instructions of an entry.  */
struct program
{
  const struct sframe_eh_entry *entry;
  struct sframe_eh_cursor cursor;
  /* The code address to which the next instruction applies.  */
  uintptr_t location;
  uintptr_t pc;
  /* How many more instructions may be read.  */
  unsigned int steps;
  /* How many more DW_CFA_remember_state may be met whose state is not restored
     before the PC: for each, skip_remembered reads all instructions up to the
     PC.  */
  unsigned int remembers;
  /* The registers whose rules are to be set, bit N for number N.  */
  uint32_t columns;
  /* The registers whose initial rules are to be restored.  */
  uint32_t restored;
};

#define ALL_COLUMNS UINT32_MAX
_Static_assert (SFRAME_EH_COLUMNS <= 32, "a bit for each column");

/* Read the operand of FORM that follows the register, if any.  Return false if
   FORM is unknown.  */
static bool
read_operand (struct program *program, enum form form, uint64_t *operand)
{
  struct sframe_eh_cursor *cursor = &program->cursor;
  uint64_t factor = (int64_t) program->entry->data_factor;

  switch (form)
    {
    case form_location:
      return sframe_eh_address (cursor, program->entry->encoding, operand);
    case form_advance1:
    case form_advance2:
    case form_advance4:
      *operand = (sframe_eh_unsigned (cursor, 1 << (form - form_advance1))
		  * (uint64_t) program->entry->code_factor);
      return true;
    case form_number:
    case form_register_number:
      *operand = sframe_eh_uleb128 (cursor);
      return true;
    case form_register_unsigned:
      *operand = sframe_eh_uleb128 (cursor) * factor;
      return true;
    case form_register_negative:
      *operand = -(sframe_eh_uleb128 (cursor) * factor);
      return true;
    case form_factored:
    case form_register_signed:
      *operand = sframe_eh_sleb128 (cursor) * factor;
      return true;
    case form_block:
    case form_register_block:
      *operand = (uintptr_t) cursor->at;
      sframe_eh_take (cursor, sframe_eh_uleb128 (cursor));
      return true;
    default:
      *operand = 0;
      return form != form_unknown;
    }
}

/* The opcodes that have an operand in their low bits.  */
static void
read_primary (struct program *program, unsigned int byte,
	      struct instruction *instruction)
{
  unsigned int low = byte & ~DW_CFA_primary_mask;

  instruction->code = byte & DW_CFA_primary_mask;
  instruction->reg = low;
  switch (instruction->code)
    {
    case DW_CFA_advance_loc:
      instruction->operand = (uint64_t) low * program->entry->code_factor;
      break;
    case DW_CFA_offset:
      instruction->code = DW_CFA_offset_extended;
      read_operand (program, form_register_unsigned, &instruction->operand);
      break;
    default:
      instruction->code = DW_CFA_restore_extended;
    }
}

/* Read the next instruction.  */
static enum sframe_eh_status
read_instruction (struct program *program, struct instruction *instruction)
{
  unsigned int byte = sframe_eh_unsigned (&program->cursor, 1);
  enum form form;

  if (program->steps == 0)
    return SFRAME_EH_NOT_UNDERSTOOD;
  --program->steps;
  if ((byte & DW_CFA_primary_mask) != 0)
    read_primary (program, byte, instruction);
  else
    {
      form = byte < sizeof forms ? forms[byte] : form_unknown;
      if (form == form_register || form >= form_register_number)
	instruction->reg = sframe_eh_uleb128 (&program->cursor);
      if (!read_operand (program, form, &instruction->operand))
	return SFRAME_EH_NOT_UNDERSTOOD;
      instruction->code = byte;
      if (form >= form_advance1 && form <= form_advance4)
	instruction->code = DW_CFA_advance_loc;
    }
  return program->cursor.failed ? SFRAME_EH_CORRUPT : SFRAME_EH_OK;
}

/* Whether INSTRUCTION moves the location; if so, *LOCATION becomes the new
   one.  */
static bool
moves (const struct instruction *instruction, uintptr_t *location)
{
  if (instruction->code == DW_CFA_advance_loc)
    *location += instruction->operand;
  else if (instruction->code == DW_CFA_set_loc)
    *location = instruction->operand;
  else
    return false;
  return true;
}

/* PROGRAM has just read a DW_CFA_remember_state.  Continue after the matching
   DW_CFA_restore_state, or if that applies to a later PC, right here.
   *INSTRUCTION is clobbered.  */
static enum sframe_eh_status
skip_remembered (struct program *program, struct instruction *instruction)
{
  const unsigned char *start = program->cursor.at;
  uintptr_t location = program->location;
  unsigned int depth = 1;

  while (program->cursor.at < program->cursor.end)
    {
      enum sframe_eh_status status = read_instruction (program, instruction);
      if (status != SFRAME_EH_OK)
	return status;
      if (moves (instruction, &program->location)
	  && program->location > program->pc)
	break;
      if (instruction->code == DW_CFA_remember_state)
	++depth;
      else if (instruction->code == DW_CFA_restore_state && --depth == 0)
	return SFRAME_EH_OK;
    }
  if (program->remembers-- == 0)
    return SFRAME_EH_NOT_UNDERSTOOD;
  program->cursor.at = start;
  program->location = location;
  return SFRAME_EH_OK;
}

/* The register of INSTRUCTION, or SFRAME_EH_COLUMNS if it is not tracked.  */
static unsigned int
cfa_register (const struct instruction *instruction)
{
  return (instruction->reg < SFRAME_EH_COLUMNS
	  ? instruction->reg : SFRAME_EH_COLUMNS);
}

/* Change the rule for the CFA if INSTRUCTION does so.  */
static enum sframe_eh_status
apply_cfa (const struct instruction *instruction, struct sframe_eh_row *row)
{
  switch (instruction->code)
    {
    case DW_CFA_def_cfa:
    case DW_CFA_def_cfa_sf:
      row->cfa_expression = false;
      row->cfa_register = cfa_register (instruction);
      row->cfa_operand = instruction->operand;
      return SFRAME_EH_OK;
    case DW_CFA_def_cfa_register:
      row->cfa_register = cfa_register (instruction);
      break;
    case DW_CFA_def_cfa_offset:
    case DW_CFA_def_cfa_offset_sf:
      row->cfa_operand = instruction->operand;
      break;
    case DW_CFA_def_cfa_expression:
      row->cfa_expression = true;
      row->cfa_operand = instruction->operand;
      return SFRAME_EH_OK;
    default:
      return SFRAME_EH_OK;
    }
  /* A new register or offset alone needs a register rule to change.  */
  return row->cfa_expression ? SFRAME_EH_CORRUPT : SFRAME_EH_OK;
}

/* The rule that an instruction with opcode CODE sets for its register; UNSET
   if it sets none.  */
static enum sframe_eh_rule
rule_set_by (unsigned int code)
{
  switch (code)
    {
    case DW_CFA_undefined:
      return SFRAME_EH_UNDEFINED;
    case DW_CFA_same_value:
      return SFRAME_EH_SAME;
    case DW_CFA_register:
      return SFRAME_EH_IN_REGISTER;
    case DW_CFA_offset_extended:
    case DW_CFA_offset_extended_sf:
    case DW_CFA_GNU_negative_offset_extended:
      return SFRAME_EH_CFA_MEMORY;
    case DW_CFA_val_offset:
    case DW_CFA_val_offset_sf:
      return SFRAME_EH_CFA_VALUE;
    case DW_CFA_expression:
      return SFRAME_EH_EXPRESSION_MEMORY;
    case DW_CFA_val_expression:
      return SFRAME_EH_EXPRESSION_VALUE;
    default:
      return SFRAME_EH_UNSET;
    }
}

/* Set the rule of register REG, if PROGRAM->columns has it.  */
static void
set_rule (struct program *program, struct sframe_eh_row *row, uint64_t reg,
	  enum sframe_eh_rule rule, uint64_t operand)
{
  if (reg >= SFRAME_EH_COLUMNS
      || (program->columns & UINT32_C (1) << reg) == 0)
    return;
  row->rule[reg] = rule;
  row->operand[reg] = operand;
  program->restored &= ~(UINT32_C (1) << reg);
}

/* Apply *INSTRUCTION, which is clobbered, to *ROW.  */
static enum sframe_eh_status
apply (struct program *program, struct instruction *instruction,
       struct sframe_eh_row *row)
{
  enum sframe_eh_rule rule = rule_set_by (instruction->code);

  if (rule != SFRAME_EH_UNSET)
    set_rule (program, row, instruction->reg, rule, instruction->operand);
  else if (instruction->code == DW_CFA_restore_extended)
    {
      set_rule (program, row, instruction->reg, SFRAME_EH_UNSET, 0);
      if (instruction->reg < SFRAME_EH_COLUMNS)
	program->restored |= UINT32_C (1) << instruction->reg;
    }
  else if (instruction->code == DW_CFA_remember_state)
    return skip_remembered (program, instruction);
  else if (instruction->code == DW_CFA_restore_state)
    /* skip_remembered skips the ones with a matching remember_state.  */
    return SFRAME_EH_CORRUPT;
  else if (program->columns == ALL_COLUMNS)
    return apply_cfa (instruction, row);
  return SFRAME_EH_OK;
}

/* Run instructions of the three kinds that make up nearly all of a long
   program, up to the PC, as long as their operands take one byte.  Return
   whether the PC was reached.  This takes a fourth of the time of
   read_instruction and apply.  */
static bool
run_simple (struct program *program, struct sframe_eh_row *row)
{
  const unsigned char *at = program->cursor.at;
  const unsigned char *const end = program->cursor.end;
  const uintptr_t pc = program->pc;
  const uint64_t factor = program->entry->code_factor;
  const bool sets_cfa
    = program->columns == ALL_COLUMNS && !row->cfa_expression;
  uintptr_t location = program->location;
  unsigned int steps = program->steps;

  for (; steps > 0 && end - at >= 2 && location <= pc; --steps)
    {
      unsigned int byte = at[0], operand = at[1];
      if ((byte & DW_CFA_primary_mask) == DW_CFA_advance_loc)
	{
	  location += (byte & ~DW_CFA_primary_mask) * factor;
	  at += 1;
	  continue;
	}
      if (byte == DW_CFA_advance_loc1)
	location += operand * factor;
      else if (byte == DW_CFA_def_cfa_offset && operand < 0x80 && sets_cfa)
	row->cfa_operand = operand;
      else
	break;
      at += 2;
    }
  program->cursor.at = at;
  program->location = location;
  program->steps = steps;
  return location > pc;
}

/* Run the instructions in BYTES, a part of the entry, up to the PC.  */
static enum sframe_eh_status
run (struct program *program, struct sframe_eh_bytes bytes,
     struct sframe_eh_row *row)
{
  struct instruction instruction;

  program->cursor = sframe_eh_cursor (bytes);
  program->location = program->entry->start;
  while (!run_simple (program, row)
	 && program->cursor.at < program->cursor.end)
    {
      enum sframe_eh_status status = read_instruction (program, &instruction);
      if (status == SFRAME_EH_OK
	  && moves (&instruction, &program->location))
	{
	  if (program->location > program->pc)
	    return SFRAME_EH_OK;
	  continue;
	}
      if (status == SFRAME_EH_OK)
	status = apply (program, &instruction, row);
      if (status != SFRAME_EH_OK)
	return status;
    }
  return SFRAME_EH_OK;
}

enum sframe_eh_status
__sframe_eh_find_row (const struct sframe_eh_entry *entry, uintptr_t pc,
		      struct sframe_eh_row *row)
{
  struct program program
    = { .entry = entry, .pc = pc, .steps = SFRAME_EH_STEPS_MAX,
	.remembers = SFRAME_EH_REMEMBERS_MAX, .columns = ALL_COLUMNS };

  row->cfa_register = SFRAME_EH_COLUMNS;
  row->cfa_operand = 0;
  row->cfa_expression = false;
  memset (row->rule, SFRAME_EH_UNSET, sizeof row->rule);
  /* Part 0 is the CIE, part 1 the FDE, part 2 the CIE again if rules are to be
     restored.  */
  for (int part = 0; ; ++part)
    {
      enum sframe_eh_status status
	= run (&program, part == 1 ? entry->program : entry->initial, row);
      if (status != SFRAME_EH_OK)
	return status;
      /* DW_CFA_restore is invalid in the CIE itself.  */
      if (part == 0 && program.restored != 0)
	return SFRAME_EH_CORRUPT;
      if (part == 2 || (part == 1 && program.restored == 0))
	return SFRAME_EH_OK;
      if (part == 1)
	program.columns = program.restored;
    }
}
