/* Run the CFA instructions of an FDE, and collect the rows that they give.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-add.h.  Each instruction is read once for each FDE that
   uses it.

   Document: DWARF Debugging Information Format, version 5, section 6.4.

   libdw is not used: it runs all instructions again for each row.  */

#include <sframe-dwarf.h>

#include "cfi.h"

/* The maximal depth of DW_CFA_remember_state.  Compilers need one.  */
#define REMEMBERED_MAX 64

/* Longer FDEs are split after this many rows: finding an FRE needs a linear
   search.  The format allows 65,535.  */
#define ROWS_MAX 256

/* The state of running the instructions of one FDE.  */
struct run
{
  const struct object *object;
  const struct entry *entry;
  struct conversion *conversion;
  struct state state;
  struct state initial;
  struct state remembered[REMEMBERED_MAX];
  unsigned int remembered_count;
  /* The offset in the function from which STATE holds.  */
  uint64_t location;
  /* The offset at which the current struct function begins.  */
  uint64_t piece;
};

void
leave_out (struct conversion *conversion, uint64_t start, uint64_t size,
	   const char *reason)
{
  conversion->left_out = grow (conversion->left_out,
			       &conversion->left_out_capacity,
			       conversion->left_out_count + 1,
			       sizeof *conversion->left_out);
  conversion->left_out[conversion->left_out_count++]
    = (struct left_out) { start, size, reason };
}

/* The rule for register REG in STATE, a state of RUN, or null if SFrame does
   not track REG.  */
static struct dwarf_rule *
rule_of (struct run *run, struct state *state, uint64_t reg)
{
  const struct machine *machine = run->object->machine;

  return (reg == machine->ra ? &state->ra : reg == machine->fp ? &state->fp
	  : reg == machine->sp ? &state->sp : NULL);
}

/* Whether REG is the register of AArch64 that says whether the RA is signed;
   DW_CFA_AARCH64_negate_ra_state changes it.  */
static bool
is_sign_state (const struct run *run, uint64_t reg)
{
  enum { RA_SIGN_STATE = 34 };

  return run->object->machine->signs_ra && reg == RA_SIGN_STATE;
}

static void
set_rule (struct run *run, uint64_t reg, struct dwarf_rule rule)
{
  struct dwarf_rule *changed = rule_of (run, &run->state, reg);

  if (changed != NULL)
    *changed = rule;
  if (is_sign_state (run, reg))
    run->state.ra_is_unclear = true;
}

static void
restore (struct run *run, uint64_t reg)
{
  struct dwarf_rule *initial = rule_of (run, &run->initial, reg);

  if (initial != NULL)
    set_rule (run, reg, *initial);
  if (is_sign_state (run, reg))
    {
      run->state.ra_is_signed = run->initial.ra_is_signed;
      run->state.ra_is_unclear = run->initial.ra_is_unclear;
    }
}

/* The function that rows are added to.  */
static struct function *
current (struct run *run)
{
  return &run->conversion->functions[run->conversion->function_count - 1];
}

/* Begin a function at LOCATION.  */
static void
open_piece (struct run *run, uint64_t location, unsigned int block)
{
  struct conversion *to = run->conversion;

  to->functions = grow (to->functions, &to->function_capacity,
			to->function_count + 1, sizeof *to->functions);
  to->functions[to->function_count++] = (struct function)
    { .start = run->entry->start + location, .block = block,
      .signal = run->entry->signal, .key = run->entry->key,
      .first_row = to->row_count };
  run->piece = location;
}

/* End the function at LOCATION; drop it if it has no rows.  */
static void
close_piece (struct run *run, uint64_t location)
{
  current (run)->size = location - run->piece;
  if (current (run)->row_count == 0)
    --run->conversion->function_count;
}

/* The row of the current state with RULE at byte START of a function.  */
static struct row
make_row (const struct run *run, uint32_t start,
	  const struct sframe_rule *rule)
{
  return (struct row) { start, *rule,
			run->state.ra_is_signed ? run->entry->key
			: RA_UNSIGNED };
}

/* Add ROW to the current function.  */
static void
add_row (struct run *run, struct row row)
{
  struct conversion *to = run->conversion;

  to->rows = grow (to->rows, &to->row_capacity, to->row_count + 1,
		   sizeof *to->rows);
  to->rows[to->row_count++] = row;
  ++current (run)->row_count;
}

/* SFrame cannot describe the code up to END: leave it out.  */
static void
emit_hole (struct run *run, const char *reason, uint64_t end)
{
  close_piece (run, run->location);
  leave_out (run->conversion, run->entry->start + run->location,
	     end - run->location, reason);
  open_piece (run, end, 0);
}

/* Make the blocks up to END, whose CFA alternates, a function of their own.
   Return null, or why that is impossible.  */
static const char *
emit_blocks (struct run *run, const struct alternation *alternation,
	     uint64_t end)
{
  struct state state = run->state;
  struct sframe_rule rule, pushed;

  if (((run->entry->start + run->location) & (alternation->size - 1)) != 0)
    return "its repeated blocks are not aligned";
  state.cfa = (struct dwarf_rule) { .kind = RULE_REGISTER,
				    .reg = run->object->machine->sp,
				    .offset = alternation->offset };
  const char *why = judge (run->object->machine, &state, run->entry->signal,
			   &rule);
  if (why != NULL)
    return why;
  pushed = rule;
  if (__builtin_add_overflow (rule.cfa.offset, alternation->pushed,
			      &pushed.cfa.offset))
    return "SFrame cannot express its CFA";
  close_piece (run, run->location);
  open_piece (run, run->location, alternation->size);
  add_row (run, make_row (run, 0, &rule));
  if (alternation->threshold < alternation->size
      && alternation->threshold < end - run->location)
    add_row (run, make_row (run, alternation->threshold, &pushed));
  close_piece (run, end);
  open_piece (run, end, 0);
  return NULL;
}

/* Record that RULE holds from the current location.  */
static void
emit_row (struct run *run, const struct sframe_rule *rule)
{
  const struct conversion *to = run->conversion;

  if (current (run)->row_count == ROWS_MAX)
    {
      close_piece (run, run->location);
      open_piece (run, run->location, 0);
    }
  struct row row = make_row (run, run->location - run->piece, rule);
  if (current (run)->row_count == 0
      || !same_row (&row, &to->rows[to->row_count - 1]))
    add_row (run, row);
}

static uint64_t
expression_size (const struct dwarf_rule *rule)
{
  return rule->expression.end - rule->expression.at;
}

/* Record that the state holds from the current location up to END.  */
static void
emit (struct run *run, uint64_t end)
{
  struct alternation alternation;
  struct sframe_rule rule;
  const char *why;

  /* The expressions are read for each row.  */
  run->conversion->work += (expression_size (&run->state.cfa)
			    + expression_size (&run->state.ra)
			    + expression_size (&run->state.fp)
			    + expression_size (&run->state.sp));
  if (judge_alternation (run->object->machine, &run->state, &alternation))
    why = emit_blocks (run, &alternation, end);
  else
    {
      why = judge (run->object->machine, &run->state, run->entry->signal,
		   &rule);
      if (why == NULL)
	emit_row (run, &rule);
    }
  if (why != NULL)
    emit_hole (run, why, end);
}

/* Advance to LOCATION.  */
static const char *
advance (struct run *run, uint64_t location)
{
  if (location < run->location)
    return "its rows are not in ascending order";
  if (location > run->entry->size)
    location = run->entry->size;
  if (location > run->location)
    emit (run, location);
  if (run->conversion->work / WORK_MAX > run->object->file.size)
    return "its expressions are too long";
  run->location = location;
  return NULL;
}

/* The kind of rule that instruction CODE sets for its register; RULE_UNSET if
   it sets none.  */
static enum rule_kind
kind_set_by (unsigned int code)
{
  switch (code)
    {
    case DW_CFA_undefined:
      return RULE_UNDEFINED;
    case DW_CFA_same_value:
      return RULE_SAME_VALUE;
    case DW_CFA_register:
      return RULE_REGISTER;
    case DW_CFA_offset_extended:
    case DW_CFA_offset_extended_sf:
    case DW_CFA_GNU_negative_offset_extended:
      return RULE_OFFSET;
    case DW_CFA_val_offset:
    case DW_CFA_val_offset_sf:
      return RULE_VAL_OFFSET;
    case DW_CFA_expression:
      return RULE_EXPRESSION;
    case DW_CFA_val_expression:
      return RULE_VAL_EXPRESSION;
    default:
      return RULE_UNSET;
    }
}

/* The offset of instruction CODE.  */
static uint64_t
read_offset (struct run *run, struct cursor *cursor, unsigned int code)
{
  int64_t factor = run->entry->data_factor;

  if (code == DW_CFA_offset_extended_sf || code == DW_CFA_val_offset_sf)
    return read_sleb128 (cursor) * factor;
  if (code == DW_CFA_GNU_negative_offset_extended)
    factor = -(uint64_t) factor;
  return read_uleb128 (cursor) * factor;
}

/* Instructions that set the rule of a register.  Return whether CODE is
   one.  */
static bool
run_register (struct run *run, struct cursor *cursor, unsigned int code)
{
  struct dwarf_rule rule = { .kind = kind_set_by (code) };

  if (rule.kind == RULE_UNSET && code != DW_CFA_restore_extended)
    return false;
  uint64_t reg = read_uleb128 (cursor);
  switch (rule.kind)
    {
    case RULE_UNSET:
      restore (run, reg);
      return true;
    case RULE_REGISTER:
      rule.reg = read_uleb128 (cursor);
      break;
    case RULE_OFFSET:
    case RULE_VAL_OFFSET:
      rule.offset = read_offset (run, cursor, code);
      break;
    case RULE_EXPRESSION:
    case RULE_VAL_EXPRESSION:
      rule.expression = read_block (cursor, read_uleb128 (cursor));
      break;
    default:
      break;
    }
  set_rule (run, reg, rule);
  return true;
}

/* Instructions that set the whole rule of the CFA.  Return whether CODE is
   one.  */
static bool
set_cfa (struct run *run, struct cursor *cursor, unsigned int code)
{
  struct dwarf_rule *cfa = &run->state.cfa;

  switch (code)
    {
    case DW_CFA_def_cfa:
    case DW_CFA_def_cfa_sf:
      *cfa = (struct dwarf_rule) { .kind = RULE_REGISTER,
				   .reg = read_uleb128 (cursor) };
      cfa->offset = (code == DW_CFA_def_cfa ? read_uleb128 (cursor)
		     : read_sleb128 (cursor) * run->entry->data_factor);
      return true;
    case DW_CFA_def_cfa_expression:
      *cfa = (struct dwarf_rule) { .kind = RULE_VAL_EXPRESSION };
      cfa->expression = read_block (cursor, read_uleb128 (cursor));
      return true;
    default:
      return false;
    }
}

/* Instructions that change the register or the offset in the rule of the CFA,
   which must have both.  Return whether CODE is one.  */
static bool
change_cfa (struct run *run, struct cursor *cursor, unsigned int code)
{
  struct dwarf_rule *cfa = &run->state.cfa;

  switch (code)
    {
    case DW_CFA_def_cfa_register:
      cfa->reg = read_uleb128 (cursor);
      break;
    case DW_CFA_def_cfa_offset:
      cfa->offset = read_uleb128 (cursor);
      break;
    case DW_CFA_def_cfa_offset_sf:
      cfa->offset = read_sleb128 (cursor) * run->entry->data_factor;
      break;
    default:
      return false;
    }
  cursor->failed |= cfa->kind != RULE_REGISTER;
  return true;
}

/* Instructions that move the location.  Return whether CODE is one.  */
static bool
run_advance (struct run *run, struct cursor *cursor, unsigned int code,
	     const char **why)
{
  uint64_t location;

  switch (code)
    {
    case DW_CFA_set_loc:
      location = (read_address (run->object, cursor, run->entry->encoding, 0)
		  - run->entry->start);
      break;
    case DW_CFA_advance_loc1:
    case DW_CFA_advance_loc2:
    case DW_CFA_advance_loc4:
      location = (read_unsigned (cursor, 1 << (code - DW_CFA_advance_loc1))
		  * run->entry->code_factor + run->location);
      break;
    default:
      return false;
    }
  if (!cursor->failed)
    *why = advance (run, location);
  return true;
}

/* All other instructions.  */
static const char *
run_other (struct run *run, struct cursor *cursor, unsigned int code)
{
  switch (code)
    {
    case DW_CFA_nop:
      return NULL;
    case DW_CFA_GNU_args_size:
      read_uleb128 (cursor);
      return NULL;
    case DW_CFA_remember_state:
      if (run->remembered_count == REMEMBERED_MAX)
	return "too many DW_CFA_remember_state are open";
      run->remembered[run->remembered_count++] = run->state;
      return NULL;
    case DW_CFA_restore_state:
      if (run->remembered_count == 0)
	return "DW_CFA_restore_state without DW_CFA_remember_state";
      run->state = run->remembered[--run->remembered_count];
      return NULL;
    case DW_CFA_AARCH64_negate_ra_state:
      if (!run->object->machine->signs_ra)
	break;
      run->state.ra_is_signed = !run->state.ra_is_signed;
      return NULL;
    }
  return "it has an unknown CFA instruction";
}

static const char *
run_instruction (struct run *run, struct cursor *cursor)
{
  unsigned int code = read_unsigned (cursor, 1);
  unsigned int low = code & ~DW_CFA_primary_mask;
  const char *why = NULL;

  switch (code & DW_CFA_primary_mask)
    {
    case DW_CFA_advance_loc:
      return advance (run, low * run->entry->code_factor + run->location);
    case DW_CFA_offset:
      set_rule (run, low,
		(struct dwarf_rule)
		{ .kind = RULE_OFFSET,
		  .offset = read_offset (run, cursor,
					 DW_CFA_offset_extended) });
      return NULL;
    case DW_CFA_restore:
      restore (run, low);
      return NULL;
    }
  if (run_register (run, cursor, code) || set_cfa (run, cursor, code)
      || change_cfa (run, cursor, code)
      || run_advance (run, cursor, code, &why))
    return why;
  return run_other (run, cursor, code);
}

static const char *
run_all (struct run *run, struct cursor cursor)
{
  const char *why = NULL;

  while (why == NULL && cursor.at < cursor.end)
    {
      why = run_instruction (run, &cursor);
      if (why == NULL && cursor.failed)
	why = "its CFA instructions are damaged";
    }
  return why;
}

const char *
convert_entry (const struct object *object, const struct entry *entry,
	       struct conversion *conversion)
{
  struct run run = { .object = object, .entry = entry,
		     .conversion = conversion };
  size_t functions = conversion->function_count;
  size_t rows = conversion->row_count;
  size_t left_out = conversion->left_out_count;

  open_piece (&run, 0, 0);
  const char *why = run_all (&run, entry->initial);
  if (why == NULL && run.location > 0)
    why = "its CIE advances the location";
  run.initial = run.state;
  if (why == NULL)
    why = run_all (&run, entry->program);
  if (why == NULL)
    why = advance (&run, entry->size);
  if (why == NULL)
    close_piece (&run, entry->size);
  else
    {
      conversion->function_count = functions;
      conversion->row_count = rows;
      conversion->left_out_count = left_out;
    }
  return why;
}
