/* Write an SFrame section.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-add.h.  If a value does not fit in its field, the whole
   section is refused.

   Document: "The SFrame Format, Version 3".  */

#include <sframe-format.h>
#include <stdlib.h>

#include "sframe-add.h"

/* The data words of one FRE.  */
struct words
{
  unsigned int count;
  int64_t word[6];
  bool base_is_sp;
};

/* Whether RA is saved at the fixed offset of the header.  */
static bool
is_fixed (const struct machine *machine, const struct sframe_place *ra)
{
  return (machine->fixed_ra_offset != 0 && ra->kind == SFRAME_CFA_MEMORY
	  && ra->offset == machine->fixed_ra_offset);
}

/* Whether an FDE of default type can express RULE.  */
static bool
is_default (const struct machine *machine, const struct sframe_rule *rule)
{
  if (rule->outermost)
    return true;
  return (rule->cfa.kind == SFRAME_REGISTER_VALUE
	  && (rule->cfa.reg == machine->sp || rule->cfa.reg == machine->fp)
	  && (is_fixed (machine, &rule->ra)
	      || (machine->fixed_ra_offset == 0
		  && (rule->ra.kind == SFRAME_UNCHANGED
		      || (rule->ra.kind == SFRAME_CFA_MEMORY
			  && rule->ra.offset != 0))))
	  && (rule->fp.kind == SFRAME_UNCHANGED
	      || rule->fp.kind == SFRAME_CFA_MEMORY));
}

static int64_t
cfa_word (const struct machine *machine, int32_t offset)
{
  return (((int64_t) offset - machine->cfa_adjustment) / machine->cfa_scale);
}

/* Chapter "Default FDE Type Interpretation".  */
static void
default_words (const struct machine *machine, const struct sframe_rule *rule,
	       struct words *words)
{
  words->base_is_sp = rule->cfa.reg == machine->sp;
  words->word[words->count++] = cfa_word (machine, rule->cfa.offset);
  bool has_fp = rule->fp.kind != SFRAME_UNCHANGED;
  /* A word of 0 is padding: RA is not saved.  */
  if (machine->fixed_ra_offset == 0
      && (has_fp || rule->ra.kind != SFRAME_UNCHANGED))
    words->word[words->count++] = (rule->ra.kind == SFRAME_UNCHANGED
				   ? 0 : rule->ra.offset);
  if (has_fp)
    words->word[words->count++] = rule->fp.offset;
}

static void
add_pair (struct words *words, const struct sframe_place *place,
	  int64_t offset)
{
  bool is_register = (place->kind == SFRAME_REGISTER_VALUE
		      || place->kind == SFRAME_REGISTER_MEMORY);
  bool in_memory = (place->kind == SFRAME_CFA_MEMORY
		    || place->kind == SFRAME_REGISTER_MEMORY);

  words->word[words->count++] = ((is_register ? place->reg << 3 : 0)
				 | in_memory << 1 | is_register);
  words->word[words->count++] = offset;
}

/* Chapter "Flexible FDE Type Interpretation".  A control word of 0 is padding:
   RA is at the fixed offset of the header, or unchanged.  */
static void
flexible_words (const struct machine *machine, const struct sframe_rule *rule,
		struct words *words)
{
  bool has_ra = (rule->ra.kind != SFRAME_UNCHANGED
		 && !is_fixed (machine, &rule->ra));
  bool has_fp = rule->fp.kind != SFRAME_UNCHANGED;

  add_pair (words, &rule->cfa, cfa_word (machine, rule->cfa.offset));
  if (has_ra)
    add_pair (words, &rule->ra, rule->ra.offset);
  else if (has_fp)
    words->word[words->count++] = 0;
  if (has_fp)
    add_pair (words, &rule->fp, rule->fp.offset);
}

/* The log2 of the number of bytes that hold each of WORDS as a signed
   number.  */
static unsigned int
word_size (const struct words *words)
{
  unsigned int size = 0;

  for (unsigned int i = 0; i < words->count; ++i)
    {
      int64_t word = words->word[i];
      if (word != (int16_t) word)
	return 2;
      if (word != (int8_t) word)
	size = 1;
    }
  return size;
}

static void
write_row (const struct machine *machine, const struct row *row, bool flexible,
	   unsigned int start_type, struct buffer *out)
{
  struct words words = { .base_is_sp = true };

  if (!row->rule.outermost && flexible)
    flexible_words (machine, &row->rule, &words);
  else if (!row->rule.outermost)
    default_words (machine, &row->rule, &words);
  unsigned int size = word_size (&words);
  put_number (out, row->start, 1U << start_type);
  put_number (out, (words.base_is_sp | words.count << 1 | size << 5
		    | (row->key != RA_UNSIGNED) << 7), 1);
  for (unsigned int i = 0; i < words.count; ++i)
    put_number (out, words.word[i], 1U << size);
}

/* The FRE type for start addresses up to LAST.  */
static unsigned int
start_type (uint32_t last)
{
  return last <= UINT8_MAX ? 0 : last <= UINT16_MAX ? 1 : 2;
}

/* Write the attribute and the FREs of FUNCTION.  */
static void
write_function (const struct machine *machine,
		const struct function *function, const struct row *rows,
		struct buffer *out)
{
  bool flexible = false;

  for (uint32_t i = 0; i < function->row_count; ++i)
    flexible |= !is_default (machine, &rows[i].rule);
  unsigned int type = start_type (rows[function->row_count - 1].start);
  put_number (out, function->row_count, 2);
  put_number (out, (type | (function->block != 0) << 4
		    | (function->key == RA_KEY_B) << 5
		    | function->signal << 7), 1);
  put_number (out, (flexible ? SFRAME_FDE_TYPE_FLEXIBLE
		    : SFRAME_FDE_TYPE_DEFAULT), 1);
  put_number (out, function->block, 1);
  for (uint32_t i = 0; i < function->row_count; ++i)
    write_row (machine, &rows[i], flexible, type, out);
}

static void
write_header (const struct machine *machine,
	      const struct conversion *conversion, size_t fre_length,
	      struct buffer *out)
{
  put_number (out, SFRAME_MAGIC, 2);
  put_number (out, SFRAME_VERSION_3, 1);
  put_number (out, SFRAME_F_FDE_SORTED | SFRAME_F_FDE_FUNC_START_PCREL, 1);
  put_number (out, machine->abi, 1);
  put_number (out, 0, 1);
  put_number (out, machine->fixed_ra_offset, 1);
  put_number (out, 0, 1);
  put_number (out, conversion->function_count, 4);
  put_number (out, conversion->row_count, 4);
  put_number (out, fre_length, 4);
  put_number (out, 0, 4);
  put_number (out, conversion->function_count * sizeof (struct sframe_fde), 4);
}

/* Write the FRE sub-section to FRES, and the offset of each function's
   attribute in it to OFFSETS.  Return false if it has 4 GiB or more.  */
static bool
write_fres (const struct machine *machine,
	    const struct conversion *conversion, struct buffer *fres,
	    uint32_t *offsets)
{
  for (size_t i = 0; i < conversion->function_count; ++i)
    {
      const struct function *function = &conversion->functions[i];
      if (fres->size > UINT32_MAX)
	return false;
      offsets[i] = fres->size;
      write_function (machine, function,
		      conversion->rows + function->first_row, fres);
    }
  return fres->size <= UINT32_MAX;
}

const char *
table_write (const struct object *object, const struct conversion *conversion,
	     uint64_t address, struct buffer *table)
{
  const struct machine *machine = object->machine;
  struct buffer fres = { .big_endian = machine->big_endian };
  size_t count = conversion->function_count, capacity = 0;
  const size_t start = table->size;

  if (count > UINT32_MAX / sizeof (struct sframe_fde)
      || conversion->row_count > UINT32_MAX)
    return "it has too many functions for a table";
  uint32_t *offsets = grow (NULL, &capacity, count, sizeof *offsets);
  bool fits = write_fres (machine, conversion, &fres, offsets);
  write_header (machine, conversion, fres.size, table);
  for (size_t i = 0; i < count; ++i)
    {
      uint64_t field = address + (table->size - start);
      put_number (table, conversion->functions[i].start - field, 8);
      put_number (table, conversion->functions[i].size, 4);
      put_number (table, offsets[i], 4);
    }
  put_bytes (table, fres.data, fres.size);
  free (fres.data);
  free (offsets);
  return fits ? NULL : "its table would have 4 GiB or more";
}
