/* Compare the table of an object with its .eh_frame.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-add.h.  The table is untrusted.  libsframe is not used,
   since it aborts if a table is inconsistent.  Numbers have the byte order of
   the object.

   Document: "The SFrame Format, Version 3".  */

#include <sframe-format.h>
#include <stdlib.h>
#include <string.h>

#include "cfi.h"

/* The parts of a table.  */
struct table
{
  const struct machine *machine;
  /* Address of the first byte.  */
  uint64_t address;
  struct cursor bytes, index, fres;
  bool pcrel;
  int8_t fixed_fp_offset, fixed_ra_offset;
  uint32_t fde_count;
};

/* The current FDE of a table.  */
struct fde
{
  uint32_t index;
  uint32_t count;		/* Of FREs.  */
  struct cursor fres;
  uint64_t start;
  uint32_t size;
  unsigned int start_width;
  bool flexible, repeated, signal;
  enum ra_key key;		/* Of those rows whose RA is signed.  */
  unsigned char block;
};

/* SIZE bytes of WHOLE from OFFSET on; empty and failed if they are not
   there.  */
static struct cursor
part (struct cursor whole, uint64_t offset, uint64_t size)
{
  read_block (&whole, offset);
  struct cursor block = read_block (&whole, size);
  block.failed = whole.failed;
  return block;
}

/* Read the header.  Refuse what __sframe_read_header refuses, which reads only
   the byte order of its own machine.  */
static const char *
read_header (struct table *table)
{
  struct cursor cursor = table->bytes;
  unsigned int magic = read_unsigned (&cursor, 2);
  unsigned int version = read_unsigned (&cursor, 1);
  unsigned int flags = read_unsigned (&cursor, 1);
  unsigned int abi = read_unsigned (&cursor, 1);

  table->fixed_fp_offset = read_signed (&cursor, 1);
  table->fixed_ra_offset = read_signed (&cursor, 1);
  uint64_t base = (sizeof (struct sframe_header)
		   + read_unsigned (&cursor, 1));
  table->fde_count = read_unsigned (&cursor, 4);
  uint64_t fre_count = read_unsigned (&cursor, 4);
  uint64_t fre_length = read_unsigned (&cursor, 4);
  uint64_t index = read_unsigned (&cursor, 4);
  uint64_t fres = read_unsigned (&cursor, 4);
  table->pcrel = (flags & SFRAME_F_FDE_FUNC_START_PCREL) != 0;
  table->index = part (table->bytes, base + index,
		       (uint64_t) table->fde_count
		       * sizeof (struct sframe_fde));
  table->fres = part (table->bytes, base + fres, fre_length);
  if (cursor.failed || magic != SFRAME_MAGIC || version != SFRAME_VERSION_3
      || abi != table->machine->abi)
    return "its table is not one of version 3 for this machine";
  if ((flags & ~SFRAME_F_ALL) != 0 || (flags & SFRAME_F_FDE_SORTED) == 0)
    return "its table has unknown flags, or is not sorted";
  if (table->fde_count == 0)
    return "its table describes no function";
  if (table->index.failed || table->fres.failed
      || table->index.end > table->fres.at || table->address % 4 != 0
      || (base + index) % 4 != 0
      || sizeof (struct sframe_attribute) + fre_count * 2 > fre_length)
    return "its table is damaged: header";
  return NULL;
}

/* Read FDE number INDEX of TABLE.  */
static bool
read_sframe_fde (const struct table *table, uint32_t index, struct fde *fde)
{
  struct cursor cursor = part (table->index,
			       index * (uint64_t) sizeof (struct sframe_fde),
			       sizeof (struct sframe_fde));
  uint64_t field = table->address + (cursor.at - table->bytes.at);

  *fde = (struct fde) { .index = index };
  fde->start = ((table->pcrel ? field : table->address)
		+ read_unsigned (&cursor, 8));
  fde->size = read_unsigned (&cursor, 4);
  fde->fres = table->fres;
  read_block (&fde->fres, read_unsigned (&cursor, 4));
  fde->count = read_unsigned (&fde->fres, 2);
  unsigned int info = read_unsigned (&fde->fres, 1);
  unsigned int type = SFRAME_FDE_TYPE (read_unsigned (&fde->fres, 1));
  fde->block = read_unsigned (&fde->fres, 1);
  fde->start_width = 1U << SFRAME_FDE_FRE_TYPE (info);
  fde->flexible = type == SFRAME_FDE_TYPE_FLEXIBLE;
  fde->repeated = SFRAME_FDE_PC_TYPE_MASK (info);
  fde->signal = SFRAME_FDE_SIGNAL (info);
  fde->key = SFRAME_FDE_KEY_IS_B (info) ? RA_KEY_B : RA_KEY_A;
  return (!cursor.failed && !fde->fres.failed
	  && type <= SFRAME_FDE_TYPE_FLEXIBLE
	  && SFRAME_FDE_FRE_TYPE (info) <= SFRAME_FRE_TYPE_MAX
	  && (!fde->repeated || fde->block != 0));
}

/* Read a control word and its offset.  WORDS has *COUNT words of WIDTH bytes
   left.  */
static void
read_pair (struct cursor *words, unsigned int width, unsigned int *count,
	   struct sframe_place *place)
{
  if (*count == 0)
    return;
  --*count;
  uint32_t control = read_unsigned (words, width);
  if (control == 0)
    return;
  words->failed |= *count == 0;
  *count -= *count > 0;
  bool is_register = SFRAME_CONTROL_IS_REGISTER (control);
  bool in_memory = SFRAME_CONTROL_IN_MEMORY (control);
  place->kind = (is_register
		 ? in_memory ? SFRAME_REGISTER_MEMORY : SFRAME_REGISTER_VALUE
		 : in_memory ? SFRAME_CFA_MEMORY : SFRAME_CFA_VALUE);
  uint32_t reg = is_register ? SFRAME_CONTROL_REGISTER (control) : 0;
  words->failed |= reg > SFRAME_REGISTER_MAX;
  place->reg = reg;
  place->offset = read_signed (words, width);
}

/* Read the words of an FRE of a default FDE.  */
static void
read_default (const struct table *table, struct cursor *words,
	      unsigned int width, unsigned int count, unsigned int info,
	      struct sframe_rule *rule)
{
  const struct machine *machine = table->machine;

  rule->cfa = (struct sframe_place)
    { .kind = SFRAME_REGISTER_VALUE,
      .reg = SFRAME_FRE_BASE_IS_SP (info) ? machine->sp : machine->fp,
      .offset = read_signed (words, width) };
  --count;
  if (table->fixed_ra_offset == 0 && count > 0)
    {
      int32_t offset = read_signed (words, width);
      if (offset != 0)
	rule->ra = (struct sframe_place) { offset, 0, SFRAME_CFA_MEMORY };
      --count;
    }
  if (table->fixed_fp_offset == 0 && count > 0)
    rule->fp = (struct sframe_place) { read_signed (words, width), 0,
				       SFRAME_CFA_MEMORY };
}

/* Read the next FRE of FDE into *ROW.  */
static bool
read_row (const struct table *table, struct fde *fde, struct row *row)
{
  *row = (struct row) { .start = read_unsigned (&fde->fres,
						fde->start_width) };
  unsigned int info = read_unsigned (&fde->fres, 1);
  unsigned int count = SFRAME_FRE_WORD_COUNT (info);
  unsigned int size = SFRAME_FRE_WORD_SIZE (info), width = 1U << size;
  struct cursor words = read_block (&fde->fres, (uint64_t) count << size);
  struct sframe_rule *rule = &row->rule;

  if (SFRAME_FRE_RA_IS_SIGNED (info) && table->machine->signs_ra)
    row->key = fde->key;
  rule->signal = fde->signal;
  rule->outermost = count == 0;
  if (fde->fres.failed || size > SFRAME_FRE_WORD_SIZE_MAX)
    return false;
  if (table->fixed_ra_offset != 0)
    rule->ra = (struct sframe_place) { table->fixed_ra_offset, 0,
				       SFRAME_CFA_MEMORY };
  if (table->fixed_fp_offset != 0)
    rule->fp = (struct sframe_place) { table->fixed_fp_offset, 0,
				       SFRAME_CFA_MEMORY };
  if (fde->flexible)
    {
      read_pair (&words, width, &count, &rule->cfa);
      read_pair (&words, width, &count, &rule->ra);
      read_pair (&words, width, &count, &rule->fp);
    }
  else if (count > 0)
    read_default (table, &words, width, count, info, rule);
  int64_t offset = ((int64_t) rule->cfa.offset * table->machine->cfa_scale
		    + table->machine->cfa_adjustment);
  rule->cfa.offset = offset;
  return !words.failed && rule->cfa.offset == offset;
}

/* A function of the conversion, and the FDE that is compared with it.  */
struct walk
{
  struct table table;
  struct conversion *conversion;
  uint64_t file_size;
  const struct function *function;
  struct fde fde;
  /* The rows of the FDE, or null if they were not read.  */
  struct row *rows;
};

/* Record that the SIZE bytes at PC differ.  Calls are in ascending order.  */
static void
add_finding (struct conversion *to, uint64_t pc, uint64_t size, bool missing)
{
  if (to->finding_count > 0)
    {
      struct finding *last = &to->findings[to->finding_count - 1];
      if (last->missing == missing && last->start + last->size == pc)
	{
	  last->size += size;
	  return;
	}
    }
  to->findings = grow (to->findings, &to->finding_capacity,
		       to->finding_count + 1, sizeof *to->findings);
  to->findings[to->finding_count++]
    = (struct finding) { pc, size, missing };
}

/* Which of COUNT rows at ROWS, sorted by start, is the last one that starts at
   OFFSET or before; 0 if there is none.  */
static uint32_t
find_row (const struct row *rows, uint32_t count, uint64_t offset)
{
  uint32_t low = 0, high = count;

  while (high - low > 1)
    {
      uint32_t middle = low + (high - low) / 2;
      if (rows[middle].start <= offset)
	low = middle;
      else
	high = middle;
    }
  return low;
}

/* The converted row of the function at PC.  */
static const struct row *
our_row (const struct walk *walk, uint64_t pc)
{
  const struct function *function = walk->function;
  const struct row *rows = walk->conversion->rows + function->first_row;
  uint64_t offset = pc - function->start;

  if (function->block != 0)
    offset %= function->block;
  return &rows[find_row (rows, function->row_count, offset)];
}

/* End FDE where the next one begins, since a lookup takes the last FDE that
   begins at the PC or before.  But it skips a few without size that begin at
   the same address.  */
static const char *
end_fde (const struct table *table, struct fde *fde)
{
  struct fde next;

  for (uint32_t i = 1; i < table->fde_count - fde->index; ++i)
    {
      if (!read_sframe_fde (table, fde->index + i, &next)
	  || next.start < fde->start)
	return message ("its table is damaged: FDE %u", fde->index + i);
      if (next.start == fde->start && next.size == 0
	  && i <= SFRAME_EMPTY_FDES_MAX)
	continue;
      if (next.start - fde->start < fde->size)
	fde->size = next.start - fde->start;
      break;
    }
  return NULL;
}

/* Read FDE number INDEX, unless it is the one that was read last.  */
static const char *
get_fde (struct walk *walk, uint32_t index)
{
  struct fde *fde = &walk->fde;

  if (walk->rows != NULL && fde->index == index)
    return NULL;
  free (walk->rows);
  walk->rows = NULL;
  if (!read_sframe_fde (&walk->table, index, fde))
    return message ("its table is damaged: FDE %u", index);
  return end_fde (&walk->table, fde);
}

/* Read the rows of the FDE, unless that is done.  A default FDE without FREs
   marks an outermost frame: make it one row.  */
static const char *
get_rows (struct walk *walk)
{
  struct fde fde = walk->fde;
  size_t capacity = 0;

  if (walk->rows != NULL)
    return NULL;
  if (fde.count == 0)
    {
      walk->rows = grow (NULL, &capacity, 1, sizeof *walk->rows);
      walk->rows[0] = (struct row) { .rule.outermost = true };
      walk->fde.count = 1;
      return NULL;
    }
  walk->conversion->work += fde.count;
  if (walk->conversion->work / WORK_MAX > walk->file_size)
    return "its table is damaged: too many FDEs have the same FREs";
  walk->rows = grow (NULL, &capacity, fde.count, sizeof *walk->rows);
  for (uint32_t i = 0; i < fde.count; ++i)
    {
      struct row *row = &walk->rows[i];
      if (!read_row (&walk->table, &fde, row)
	  || (i > 0 && row->start < row[-1].start))
	return message ("its table is damaged: FDE %u", fde.index);
    }
  return NULL;
}

/* Whether FDE has a rule.  Without FREs, only one of default type has.  */
static bool
has_rule (const struct fde *fde)
{
  return fde->count > 0 || (!fde->flexible && !fde->repeated);
}

/* Compare the rules for each byte from FROM up to TO, which both the function
   and the FDE cover.  */
static const char *
compare_bytes (struct walk *walk, uint64_t from, uint64_t to)
{
  const struct fde *fde = &walk->fde;

  if (!has_rule (fde))
    {
      add_finding (walk->conversion, from, to - from, true);
      return NULL;
    }
  const char *why = get_rows (walk);
  if (why != NULL)
    return why;
  for (uint64_t pc = from; pc < to; ++pc)
    {
      uint64_t offset = pc - fde->start;
      if (fde->repeated)
	offset %= fde->block;
      const struct row *row
	= &walk->rows[find_row (walk->rows, fde->count, offset)];
      if (offset < row->start)
	add_finding (walk->conversion, pc, 1, true);
      else if (!same_row (our_row (walk, pc), row))
	add_finding (walk->conversion, pc, 1, false);
    }
  return NULL;
}

/* Compare the function with the FDEs, from *INDEX on, that overlap it.  */
static const char *
compare_function (struct walk *walk, uint32_t *index)
{
  uint64_t pc = walk->function->start, limit = pc + walk->function->size;

  for (; *index < walk->table.fde_count && pc < limit; ++*index)
    {
      const char *why = get_fde (walk, *index);
      if (why != NULL)
	return why;
      uint64_t start = walk->fde.start, end = start + walk->fde.size;
      if (start >= limit)
	break;
      if (end <= pc)
	continue;
      if (start > pc)
	add_finding (walk->conversion, pc, start - pc, true);
      why = compare_bytes (walk, start > pc ? start : pc,
			   end < limit ? end : limit);
      if (why != NULL)
	return why;
      pc = end;
      if (end > limit)
	break;
    }
  if (pc < limit)
    add_finding (walk->conversion, pc, limit - pc, true);
  return NULL;
}

/* The conversion has left out the code from FROM up to LIMIT, so the table
   must have no rule there.  Record those that it has, from FDE *INDEX on, as
   wrong.  */
static const char *
compare_left_out (struct walk *walk, uint64_t from, uint64_t limit,
		  uint32_t *index)
{
  for (; *index < walk->table.fde_count; ++*index)
    {
      const struct fde *fde = &walk->fde;
      const char *why = get_fde (walk, *index);
      if (why != NULL)
	return why;
      uint64_t start = fde->start, end = start + fde->size;
      if (start >= limit)
	break;
      start = start > from ? start : from;
      if (has_rule (fde) && start < (end < limit ? end : limit))
	add_finding (walk->conversion, start,
		     (end < limit ? end : limit) - start, false);
      if (end > limit)
	break;
    }
  return NULL;
}

/* Compare the code from FROM up to LIMIT, which was left out, except where
   FDEs of .eh_frame overlap and another function covers it.  *FUNCTION is the
   first one to look at.  */
static const char *
compare_gaps (struct walk *walk, uint64_t from, uint64_t limit,
	      size_t *function, uint32_t *index)
{
  const struct conversion *conversion = walk->conversion;
  const char *why = NULL;

  while (from < limit && why == NULL)
    {
      const struct function *next = &conversion->functions[*function];
      if (*function == conversion->function_count || next->start >= limit)
	return compare_left_out (walk, from, limit, index);
      if (next->start > from)
	why = compare_left_out (walk, from, next->start, index);
      if (next->start + next->size > from)
	from = next->start + next->size;
      if (from < limit)
	++*function;
    }
  return why;
}

/* Compare all code that was left out, in ascending order.  */
static const char *
compare_all_left_out (struct walk *walk)
{
  const struct conversion *conversion = walk->conversion;
  const char *why = NULL;
  uint64_t done = 0;
  size_t function = 0;
  uint32_t index = 0;

  for (size_t i = 0; i < conversion->left_out_count && why == NULL; ++i)
    {
      const struct left_out *part = &conversion->left_out[i];
      uint64_t limit = part->start + part->size;
      if (limit <= done || limit < part->start)
	continue;
      why = compare_gaps (walk, part->start > done ? part->start : done, limit,
			  &function, &index);
      done = limit;
    }
  return why;
}

/* The bytes of OBJECT's table, or null if it has none.  */
static const unsigned char *
table_bytes (const struct object *object, uint64_t *size)
{
  const GElf_Phdr *segment = object_segment (object, PT_GNU_SFRAME);
  uint64_t available;

  if (segment == NULL)
    return NULL;
  const unsigned char *bytes = object_bytes (object, segment->p_vaddr,
					     &available);
  *size = segment->p_filesz;
  return bytes != NULL && *size <= available ? bytes : NULL;
}

bool
has_table (const struct object *object)
{
  uint64_t size;
  const unsigned char *bytes = table_bytes (object, &size);

  /* The magic number has two bytes, the version follows.  */
  return bytes != NULL && size > 2 && bytes[2] == SFRAME_VERSION_3;
}

const char *
check_table (const struct object *object, struct conversion *conversion)
{
  struct walk walk = { .table.machine = object->machine,
		       .conversion = conversion,
		       .file_size = object->file.size };
  const char *why = NULL;
  uint64_t size = 0;
  uint32_t index = 0;

  const unsigned char *bytes = table_bytes (object, &size);
  if (bytes == NULL)
    return "its table is in no segment";
  walk.table.address = object_segment (object, PT_GNU_SFRAME)->p_vaddr;
  walk.table.bytes = (struct cursor) { bytes, bytes + size,
				       object->machine->big_endian, false };
  why = read_header (&walk.table);
  for (size_t i = 0; i < conversion->function_count && why == NULL; ++i)
    {
      walk.function = &conversion->functions[i];
      why = compare_function (&walk, &index);
    }
  if (why == NULL)
    why = compare_all_left_out (&walk);
  free (walk.rows);
  return why;
}
