/* Convert the functions of .eh_frame, one after the other.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-add.h.  FDEs are found through .eh_frame_hdr, if there is
   one; each instruction is read once for each FDE that uses it.

   Documents: DWARF Debugging Information Format, version 5, section 6.4;
   Linux Standard Base Core Specification, "Exception Frames".

   libdw is not used, for two reasons: it runs all instructions again for each
   row; and tests compare this converter with libdw, so the two must share no
   code.  */

#include <sframe-dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "cfi.h"

/* The maximal depth of DW_CFA_remember_state.  Compilers need one.  */
#define REMEMBERED_MAX 64

/* Longer FDEs are split after this many rows: finding an FRE needs a linear
   search.  The format allows 65,535.  */
#define ROWS_MAX 256

/* An FDE with the data of its CIE.  */
struct entry
{
  uint64_t start, size;
  struct cursor initial, program;
  uint64_t code_factor;
  int64_t data_factor;
  uint64_t ra;
  unsigned char encoding;
  bool augmented, signal;
  uint64_t work;		/* Bytes of its records.  */
};

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

/* Reading numbers.  */

struct cursor
read_block (struct cursor *cursor, uint64_t size)
{
  struct cursor block = *cursor;

  if ((uint64_t) (cursor->end - cursor->at) < size)
    {
      cursor->at = cursor->end;
      cursor->failed = true;
      block.at = block.end;
      return block;
    }
  cursor->at += size;
  block.end = cursor->at;
  return block;
}

uint64_t
read_unsigned (struct cursor *cursor, unsigned int width)
{
  struct cursor bytes = read_block (cursor, width);
  uint64_t value = 0;

  for (unsigned int i = 0; i < width && bytes.at + i < bytes.end; ++i)
    value |= ((uint64_t) bytes.at[i]
	      << 8 * (cursor->big_endian ? width - 1 - i : i));
  return value;
}

/* Sign-extend the low BITS bits of VALUE.  */
static uint64_t
extend (uint64_t value, unsigned int bits)
{
  uint64_t sign = UINT64_C (1) << (bits - 1);
  return ((value & (sign | (sign - 1))) ^ sign) - sign;
}

uint64_t
read_signed (struct cursor *cursor, unsigned int width)
{
  return extend (read_unsigned (cursor, width), width * 8);
}

static uint64_t
read_leb128 (struct cursor *cursor, unsigned int *shift)
{
  uint64_t value = 0, byte;

  *shift = 0;
  do
    {
      byte = read_unsigned (cursor, 1);
      if (*shift < 64)
	{
	  value |= (byte & 0x7f) << *shift;
	  *shift += 7;
	}
    }
  while ((byte & 0x80) != 0);
  return value;
}

uint64_t
read_uleb128 (struct cursor *cursor)
{
  unsigned int shift;
  return read_leb128 (cursor, &shift);
}

uint64_t
read_sleb128 (struct cursor *cursor)
{
  unsigned int shift;
  uint64_t value = read_leb128 (cursor, &shift);
  return shift < 64 ? extend (value, shift) : value;
}

/* Read a number of FORMAT (an encoding & DW_EH_PE_format_mask); an unknown
   format sets FAILED.  */
static uint64_t
read_formatted (struct cursor *cursor, unsigned int format)
{
  switch (format)
    {
    case DW_EH_PE_absptr:
      return read_unsigned (cursor, 8);
    case DW_EH_PE_uleb128:
      return read_uleb128 (cursor);
    case DW_EH_PE_sleb128:
      return read_sleb128 (cursor);
    case DW_EH_PE_udata2:
    case DW_EH_PE_udata4:
    case DW_EH_PE_udata8:
      return read_unsigned (cursor, 1 << (format - 1));
    case DW_EH_PE_sdata2:
    case DW_EH_PE_sdata4:
    case DW_EH_PE_sdata8:
      return read_signed (cursor, 1 << (format - 9));
    default:
      cursor->failed = true;
      return 0;
    }
}

/* The address at which the byte AT of OBJECT's file is loaded.  */
static uint64_t
address_of (const struct object *object, const unsigned char *at)
{
  uint64_t offset = at - object->file.data;

  for (size_t i = 0; i < object->segment_count; ++i)
    {
      const GElf_Phdr *segment = &object->segments[i];
      if (segment->p_type == PT_LOAD
	  && offset - segment->p_offset < segment->p_filesz)
	return offset - segment->p_offset + segment->p_vaddr;
    }
  return 0;
}

/* Read an address of ENCODING; BASE is that of data-relative ones.  */
static uint64_t
read_address (const struct object *object, struct cursor *cursor,
	      unsigned int encoding, uint64_t base)
{
  uint64_t from = 0;

  switch (encoding & (DW_EH_PE_base_mask | DW_EH_PE_indirect))
    {
    case DW_EH_PE_pcrel:
      from = address_of (object, cursor->at);
      break;
    case DW_EH_PE_datarel:
      from = base;
      break;
    case 0:
      break;
    default:
      cursor->failed = true;
    }
  return from + read_formatted (cursor, encoding & DW_EH_PE_format_mask);
}

/* Reading CIEs and FDEs.  */

/* Set *CURSOR to the contents of the record at ADDRESS, after its length.
   Return whether they are in the file.  */
static bool
open_record (const struct object *object, uint64_t address,
	     struct cursor *cursor)
{
  uint64_t size;
  const unsigned char *bytes = object_bytes (object, address, &size);

  if (bytes == NULL)
    return false;
  *cursor = (struct cursor) { bytes, bytes + size,
			      object->machine->big_endian, false };
  uint64_t length = read_unsigned (cursor, 4);
  if (length == UINT32_MAX)
    length = read_unsigned (cursor, 8);
  struct cursor record = read_block (cursor, length);
  bool fits = !cursor->failed;
  *cursor = record;
  return fits && length > 0;
}

/* Read the augmentation data of a CIE.  AUGMENTATION is the string after its
   z.  */
static const char *
read_augmentation (struct cursor *cursor, const unsigned char *augmentation,
		   struct entry *entry)
{
  for (; *augmentation != '\0'; ++augmentation)
    switch (*augmentation)
      {
      case 'R':
	entry->encoding = read_unsigned (cursor, 1);
	break;
      case 'L':
	read_unsigned (cursor, 1);
	break;
      case 'P':
	read_formatted (cursor,
			read_unsigned (cursor, 1) & DW_EH_PE_format_mask);
	break;
      case 'S':
	entry->signal = true;
	break;
      default:
	return "its CIE has an unknown augmentation";
      }
  return cursor->failed ? "its CIE is damaged" : NULL;
}

/* Read a CIE up to its augmentation data into *ENTRY; *AUGMENTATION becomes
   the string.  */
static const char *
read_cie_head (struct cursor *cursor, struct entry *entry,
	       const unsigned char **augmentation)
{
  if (read_unsigned (cursor, 4) != 0)
    return "its CIE is damaged";
  unsigned int version = read_unsigned (cursor, 1);
  *augmentation = cursor->at;
  while (read_unsigned (cursor, 1) != 0)
    continue;
  entry->code_factor = read_uleb128 (cursor);
  entry->data_factor = read_sleb128 (cursor);
  entry->ra = (version == 1 ? read_unsigned (cursor, 1)
	       : read_uleb128 (cursor));
  if (cursor->failed)
    return "its CIE is damaged";
  if (version != 1 && version != 3)
    return "its CIE has an unknown version";
  entry->augmented = **augmentation == 'z';
  if (!entry->augmented && **augmentation != '\0')
    return "its CIE has an unknown augmentation";
  return NULL;
}

/* Read the CIE at ADDRESS into *ENTRY.  */
static const char *
read_cie (const struct object *object, uint64_t address, struct entry *entry)
{
  struct cursor cursor;
  const unsigned char *augmentation;

  if (!open_record (object, address, &cursor))
    return "its CIE is damaged";
  entry->work += cursor.end - cursor.at;
  const char *why = read_cie_head (&cursor, entry, &augmentation);
  if (why == NULL && entry->augmented)
    {
      struct cursor data = read_block (&cursor, read_uleb128 (&cursor));
      why = (cursor.failed ? "its CIE is damaged"
	     : read_augmentation (&data, augmentation + 1, entry));
    }
  entry->initial = cursor;
  return why;
}

/* Read the FDE at ADDRESS and its CIE into *ENTRY.  */
static const char *
read_fde (const struct object *object, uint64_t address, struct entry *entry)
{
  struct cursor cursor;

  *entry = (struct entry) { .encoding = DW_EH_PE_absptr };
  if (!open_record (object, address, &cursor))
    return "its FDE is damaged";
  entry->work = cursor.end - cursor.at;
  /* This field has the distance back to the CIE.  */
  uint64_t cie = address_of (object, cursor.at);
  cie -= read_unsigned (&cursor, 4);
  const char *why = read_cie (object, cie, entry);
  if (why != NULL)
    return why;
  entry->start = read_address (object, &cursor, entry->encoding, 0);
  entry->size = read_formatted (&cursor,
				entry->encoding & DW_EH_PE_format_mask);
  if (entry->augmented)
    read_block (&cursor, read_uleb128 (&cursor));
  entry->program = cursor;
  return cursor.failed ? "its FDE is damaged" : NULL;
}

/* Record that the SIZE bytes at START are left out, and why.  */
static void
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

/* Running instructions.  */

/* The rule for register REG in STATE, a state of RUN, or null if SFrame does
   not track REG.  */
static struct dwarf_rule *
rule_of (struct run *run, struct state *state, uint64_t reg)
{
  const struct machine *machine = run->object->machine;

  return (reg == machine->ra ? &state->ra : reg == machine->fp ? &state->fp
	  : reg == machine->sp ? &state->sp : NULL);
}

static void
set_rule (struct run *run, uint64_t reg, struct dwarf_rule rule)
{
  struct dwarf_rule *changed = rule_of (run, &run->state, reg);

  if (changed != NULL)
    *changed = rule;
}

static void
restore (struct run *run, uint64_t reg)
{
  struct dwarf_rule *initial = rule_of (run, &run->initial, reg);

  if (initial != NULL)
    set_rule (run, reg, *initial);
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
      .signal = run->entry->signal, .first_row = to->row_count };
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

/* Add a row with RULE at byte START of the current function.  */
static void
add_row (struct run *run, uint32_t start, const struct sframe_rule *rule)
{
  struct conversion *to = run->conversion;

  to->rows = grow (to->rows, &to->row_capacity, to->row_count + 1,
		   sizeof *to->rows);
  to->rows[to->row_count++] = (struct row) { start, *rule };
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
  add_row (run, 0, &rule);
  if (alternation->threshold < alternation->size
      && alternation->threshold < end - run->location)
    add_row (run, alternation->threshold, &pushed);
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
  if (current (run)->row_count == 0
      || !same_rule (rule, &to->rows[to->row_count - 1].rule))
    add_row (run, run->location - run->piece, rule);
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
    default:
      return "it has an unknown CFA instruction";
    }
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

/* Convert ENTRY, whose bytes are code.  */
static const char *
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

/* Convert the FDE at ADDRESS, of a function that .eh_frame_hdr has at START.
   LIMIT is the start of the next one, where a lookup by .eh_frame_hdr no
   longer finds this FDE.  *END is the end of the last converted one.  */
static void
convert_fde (const struct object *object, uint64_t address, uint64_t start,
	     uint64_t limit, struct conversion *conversion, uint64_t *end)
{
  struct entry entry;
  const char *why = read_fde (object, address, &entry);

  conversion->work += entry.work;
  if (why == NULL && entry.size == 0)
    return;
  if (why == NULL && entry.start != start)
    why = ".eh_frame_hdr has another start address for it";
  if (why == NULL && entry.size > limit - start)
    entry.size = limit - start;
  if (why == NULL && entry.size > UINT32_MAX)
    why = "it has 4 GiB of code or more";
  if (why == NULL && !object_is_code (object, entry.start, entry.size))
    why = "it is not in an executable segment";
  if (why == NULL && entry.start < *end)
    why = "it begins inside another function";
  if (why == NULL && entry.ra != object->machine->ra)
    why = "its CIE has an unknown return address column";
  if (why == NULL)
    why = convert_entry (object, &entry, conversion);
  if (why != NULL)
    leave_out (conversion, start, entry.size, why);
  else
    *end = entry.start + entry.size;
}

/* Finding FDEs.  */

/* Convert the FDEs in the table of .eh_frame_hdr at CURSOR, which has COUNT
   pairs of addresses.  */
static const char *
convert_pairs (const struct object *object, struct cursor *cursor,
	       unsigned int encoding, uint64_t count, uint64_t base,
	       struct conversion *conversion)
{
  uint64_t end = 0, last = 0;

  for (; count > 0; --count)
    {
      uint64_t start = read_address (object, cursor, encoding, base);
      uint64_t fde = read_address (object, cursor, encoding, base);
      struct cursor ahead = *cursor;
      uint64_t next = (count == 1 ? UINT64_MAX
		       : read_address (object, &ahead, encoding, base));
      if (cursor->failed)
	return "damaged .eh_frame_hdr: its table leaves the segment";
      if (conversion->work / WORK_MAX > object->file.size)
	return "damaged .eh_frame: too many FDEs share one CIE";
      if (start < last)
	return "damaged .eh_frame_hdr: its table is not sorted";
      last = start;
      convert_fde (object, fde, start, next > start ? next : UINT64_MAX,
		   conversion, &end);
    }
  return NULL;
}

/* Convert the FDEs that .eh_frame_hdr, the segment SEGMENT, lists.  */
static const char *
convert_listed (const struct object *object, const GElf_Phdr *segment,
		struct conversion *conversion)
{
  uint64_t size;

  const unsigned char *bytes = object_bytes (object, segment->p_vaddr, &size);
  if (bytes == NULL)
    return "damaged .eh_frame_hdr: it is in no segment";
  struct cursor cursor = { bytes, bytes + size,
			   object->machine->big_endian, false };
  unsigned int version = read_unsigned (&cursor, 1);
  unsigned int frame = read_unsigned (&cursor, 1);
  unsigned int count = read_unsigned (&cursor, 1);
  unsigned int table = read_unsigned (&cursor, 1);
  if (version != 1 || cursor.failed)
    return "damaged .eh_frame_hdr: its version is not 1";
  read_address (object, &cursor, frame, segment->p_vaddr);
  uint64_t functions = read_address (object, &cursor, count,
				     segment->p_vaddr);
  if (cursor.failed)
    return "no search table in .eh_frame_hdr";
  return convert_pairs (object, &cursor, table, functions, segment->p_vaddr,
			conversion);
}

/* Whether .eh_frame_hdr, the segment SEGMENT, has a search table.  Linkers leave
   it out if there is no function, or if they do not understand .eh_frame.  True
   if the segment is damaged, which convert_listed reports.  */
static bool
has_search_table (const struct object *object, const GElf_Phdr *segment)
{
  uint64_t size;
  const unsigned char *bytes = object_bytes (object, segment->p_vaddr, &size);

  return (bytes == NULL || size < 4
	  || (bytes[2] != DW_EH_PE_omit && bytes[3] != DW_EH_PE_omit));
}

/* The addresses of a function and of its FDE.  */
struct pair
{
  uint64_t start, fde;
};

static int
compare_pairs (const void *one, const void *other)
{
  const struct pair *a = one, *b = other;

  if (a->start != b->start)
    return a->start < b->start ? -1 : 1;
  return (a->fde > b->fde) - (a->fde < b->fde);
}

/* Store a pair for each FDE of .eh_frame, SIZE bytes at ADDRESS, in *PAIRS and
   return their number.  */
static size_t
read_pairs (const struct object *object, uint64_t address, uint64_t size,
	    struct pair **pairs)
{
  size_t count = 0, capacity = 0;
  uint64_t work = 0;
  uint64_t end = address + size;
  struct cursor record;
  struct entry entry;

  *pairs = NULL;
  while (address < end && open_record (object, address, &record))
    {
      uint64_t next = (address_of (object, record.at)
		       + (record.end - record.at));
      /* A CIE has 0 here.  convert_fde will report damaged FDEs.  */
      if (read_unsigned (&record, 4) != 0)
	{
	  read_fde (object, address, &entry);
	  work += entry.work;
	  *pairs = grow (*pairs, &capacity, count + 1, sizeof **pairs);
	  (*pairs)[count++] = (struct pair) { entry.start, address };
	}
      if (next <= address || work / WORK_MAX > object->file.size)
	break;
      address = next;
    }
  if (count > 0)
    qsort (*pairs, count, sizeof **pairs, compare_pairs);
  return count;
}

/* Convert all FDEs of an .eh_frame without search table, as in static
   programs.  */
static const char *
convert_section (const struct object *object, uint64_t address, uint64_t size,
		 struct conversion *conversion)
{
  struct pair *pairs;
  uint64_t end = 0;
  const char *why = NULL;
  size_t count = read_pairs (object, address, size, &pairs);

  for (size_t i = 0; i < count && why == NULL; ++i)
    {
      uint64_t next = i + 1 < count ? pairs[i + 1].start : UINT64_MAX;
      convert_fde (object, pairs[i].fde, pairs[i].start,
		   next > pairs[i].start ? next : UINT64_MAX, conversion,
		   &end);
      if (conversion->work / WORK_MAX > object->file.size)
	why = "damaged .eh_frame: too many FDEs share one CIE";
    }
  free (pairs);
  return why;
}

bool
has_frames (const struct object *object)
{
  uint64_t size;

  return (object_segment (object, PT_GNU_EH_FRAME) != NULL
	  || object_section (object, ".eh_frame", &size) != 0);
}

const char *
convert (const struct object *object, struct conversion *conversion)
{
  const GElf_Phdr *segment = object_segment (object, PT_GNU_EH_FRAME);
  uint64_t size = 0;

  *conversion = (struct conversion) { 0 };
  if (segment != NULL && has_search_table (object, segment))
    return convert_listed (object, segment, conversion);
  uint64_t address = object_section (object, ".eh_frame", &size);
  if (address == 0)
    return "no search table in .eh_frame_hdr, and no section .eh_frame";
  return convert_section (object, address, size, conversion);
}

void
conversion_free (struct conversion *conversion)
{
  free (conversion->functions);
  free (conversion->rows);
  free (conversion->left_out);
  free (conversion->findings);
}
