/* Comparing the table that an object has with its .eh_frame.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-add.h.

   The table is read by libsframe, which knows both byte orders and shares
   nothing with what wrote it.  */

#include <sframe-api.h>
#include <stdlib.h>
#include <string.h>

#include "sframe-add.h"

/* The FDE of a table that is looked at.  */
struct fde
{
  sframe_decoder_ctx *table;
  unsigned int index;
  uint32_t count;		/* Of FREs.  */
  uint64_t start;
  uint32_t size;
  bool flexible, repeated, signal;
  unsigned char block;
};

/* Read FDE number INDEX of TABLE, which lies at ADDRESS.  */
static bool
read_fde (sframe_decoder_ctx *table, unsigned int index, uint64_t address,
	  struct fde *fde)
{
  int64_t offset;
  unsigned char info, info2;
  uint8_t block;
  int err = 0;

  *fde = (struct fde) { .table = table, .index = index };
  if (sframe_decoder_get_funcdesc_v3 (table, index, &fde->count, &fde->size,
				      &offset, &info, &info2, &block) != 0)
    return false;
  fde->start = address + offset;
  if ((sframe_decoder_get_flags (table) & SFRAME_F_FDE_FUNC_START_PCREL) != 0)
    fde->start += sframe_decoder_get_offsetof_fde_start_addr (table, index,
							      &err);
  fde->flexible = SFRAME_V3_FDE_TYPE (info2) == SFRAME_FDE_TYPE_FLEX;
  fde->repeated = SFRAME_V3_FDE_PC_TYPE (info) == SFRAME_V3_FDE_PCTYPE_MASK;
  fde->signal = SFRAME_V3_FDE_SIGNAL_P (info);
  fde->block = block;
  return err == 0;
}

/* A pair of a flexible FRE, from word *NEXT on.  */
static bool
read_pair (const sframe_frame_row_entry *fre, unsigned int *next,
	   struct sframe_place *place)
{
  static const unsigned char kinds[2][2]
    = { { SFRAME_CFA_VALUE, SFRAME_CFA_MEMORY },
	{ SFRAME_REGISTER_VALUE, SFRAME_REGISTER_MEMORY } };
  unsigned int count = SFRAME_V3_FRE_DATAWORD_COUNT (fre->fre_info);
  int err = 0;

  if (*next >= count)
    return true;
  uint32_t control = sframe_get_fre_udata (fre, (*next)++, &err);
  if (err != 0 || control == 0)
    return err == 0;
  bool is_register = SFRAME_V3_FLEX_FDE_CTRLWORD_REG_P (control);
  place->kind = kinds[is_register][SFRAME_V3_FLEX_FDE_CTRLWORD_DEREF_P
				   (control)];
  place->reg = (is_register
		? SFRAME_V3_FLEX_FDE_CTRLWORD_REGNUM (control) : 0);
  uint32_t word = sframe_get_fre_udata (fre, (*next)++, &err);
  /* The words of an FRE have one size.  */
  unsigned int bits = 8U << SFRAME_V3_FRE_DATAWORD_SIZE (fre->fre_info);
  place->offset = (int32_t) (word << (32 - bits)) >> (32 - bits);
  return err == 0;
}

static bool
read_flexible (const struct machine *machine,
	       const sframe_frame_row_entry *fre, struct sframe_rule *rule)
{
  unsigned int next = 0;

  if (!read_pair (fre, &next, &rule->cfa) || !read_pair (fre, &next, &rule->ra)
      || !read_pair (fre, &next, &rule->fp))
    return false;
  rule->cfa.offset = (rule->cfa.offset * machine->cfa_scale
		      + machine->cfa_adjustment);
  return true;
}

static bool
read_default (const struct machine *machine, const sframe_decoder_ctx *table,
	      const sframe_frame_row_entry *fre, struct sframe_rule *rule)
{
  int err = 0, none = 0;

  rule->cfa.kind = SFRAME_REGISTER_VALUE;
  rule->cfa.reg = (sframe_fre_get_base_reg_id (fre, &err) == SFRAME_BASE_REG_SP
		   ? machine->sp : machine->fp);
  rule->cfa.offset = sframe_fre_get_cfa_offset (table, fre,
						SFRAME_FDE_TYPE_DEFAULT, &err);
  int32_t offset = sframe_fre_get_ra_offset (table, fre,
					     SFRAME_FDE_TYPE_DEFAULT, &none);
  if (none == 0 && offset != SFRAME_FRE_RA_OFFSET_INVALID)
    rule->ra = (struct sframe_place) { offset, 0, SFRAME_CFA_MEMORY };
  none = 0;
  offset = sframe_fre_get_fp_offset (table, fre, SFRAME_FDE_TYPE_DEFAULT,
				     &none);
  if (none == 0)
    rule->fp = (struct sframe_place) { offset, 0, SFRAME_CFA_MEMORY };
  return err == 0;
}

/* Read FRE number INDEX of FDE to *ROW.  */
static bool
read_row (const struct machine *machine, const struct fde *fde,
	  unsigned int index, struct row *row)
{
  sframe_frame_row_entry fre;

  if (sframe_decoder_get_fre (fde->table, fde->index, index, &fre) != 0)
    return false;
  *row = (struct row) { .start = fre.fre_start_addr };
  row->rule.signal = fde->signal;
  row->rule.outermost = SFRAME_V3_FRE_DATAWORD_COUNT (fre.fre_info) == 0;
  if (row->rule.outermost)
    return true;
  if (machine->fixed_ra_offset != 0)
    row->rule.ra = (struct sframe_place) { machine->fixed_ra_offset, 0,
					   SFRAME_CFA_MEMORY };
  return (fde->flexible ? read_flexible (machine, &fre, &row->rule)
	  : read_default (machine, fde->table, &fre, &row->rule));
}

/* A function of the conversion, and the FDE that is compared with it.  */
struct walk
{
  const struct machine *machine;
  struct conversion *conversion;
  const struct function *function;
  struct fde fde;
};

/* Tell that the byte at PC differs.  Bytes come in ascending order.  */
static void
find (struct conversion *to, uint64_t pc, uint64_t size, bool missing)
{
  struct finding *last = to->findings + to->finding_count - 1;

  if (to->finding_count > 0 && last->missing == missing
      && last->start + last->size == pc)
    {
      last->size += size;
      return;
    }
  to->findings = grow (to->findings, &to->finding_capacity,
		       to->finding_count + 1, sizeof *to->findings);
  to->findings[to->finding_count++]
    = (struct finding) { pc, size, missing };
}

/* The rule of the function at PC.  */
static const struct sframe_rule *
our_rule (const struct walk *walk, uint64_t pc)
{
  const struct function *function = walk->function;
  const struct row *rows = walk->conversion->rows + function->first_row;
  uint64_t offset = pc - function->start;
  uint32_t low = 0, high = function->row_count;

  if (function->block != 0)
    offset %= function->block;
  while (high - low > 1)
    {
      uint32_t middle = low + (high - low) / 2;
      if (rows[middle].start <= offset)
	low = middle;
      else
	high = middle;
    }
  return &rows[low].rule;
}

/* The rows of an FDE.  */
static struct row *
read_rows (const struct walk *walk)
{
  const struct fde *fde = &walk->fde;
  size_t capacity = 0;
  struct row *rows = grow (NULL, &capacity, fde->count, sizeof *rows);

  for (uint32_t i = 0; i < fde->count; ++i)
    if (!read_row (walk->machine, fde, i, &rows[i])
	|| (i > 0 && rows[i].start < rows[i - 1].start))
      {
	free (rows);
	return NULL;
      }
  return rows;
}

/* Compare each byte that both the function and the FDE have, from FROM up to
   TO.  */
static const char *
compare_bytes (struct walk *walk, uint64_t from, uint64_t to)
{
  const struct fde *fde = &walk->fde;
  struct row *rows = read_rows (walk);
  uint32_t row = 0;

  if (fde->count == 0 || rows == NULL
      || (fde->repeated && fde->block == 0))
    {
      free (rows);
      return message ("its table is damaged: FDE %u", fde->index);
    }
  for (uint64_t pc = from; pc < to; ++pc)
    {
      uint64_t offset = pc - fde->start;
      if (fde->repeated)
	offset %= fde->block;
      if (offset < rows[row].start)
	row = 0;
      while (row + 1 < fde->count && rows[row + 1].start <= offset)
	++row;
      if (offset < rows[row].start)
	find (walk->conversion, pc, 1, true);
      else if (!same_rule (our_rule (walk, pc), &rows[row].rule))
	find (walk->conversion, pc, 1, false);
    }
  free (rows);
  return NULL;
}

/* Compare the function with those FDEs, from *INDEX on, that overlap it.  */
static const char *
compare_function (struct walk *walk, sframe_decoder_ctx *table,
		  uint64_t address, uint32_t *index)
{
  uint64_t pc = walk->function->start, limit = pc + walk->function->size;
  uint32_t count = sframe_decoder_get_num_fidx (table);

  for (; *index < count && pc < limit; ++*index)
    {
      if (!read_fde (table, *index, address, &walk->fde))
	return message ("its table is damaged: FDE %u", *index);
      uint64_t start = walk->fde.start, end = start + walk->fde.size;
      if (start >= limit)
	break;
      if (end <= pc)
	continue;
      if (start > pc)
	find (walk->conversion, pc, start - pc, true);
      const char *why = compare_bytes (walk, start > pc ? start : pc,
				       end < limit ? end : limit);
      if (why != NULL)
	return why;
      pc = end;
      if (end > limit)
	break;
    }
  if (pc < limit)
    find (walk->conversion, pc, limit - pc, true);
  return NULL;
}

/* The bytes of OBJECT's table; null if it has none.  */
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
  const GElf_Phdr *segment = object_segment (object, PT_GNU_SFRAME);
  struct walk walk = { .machine = object->machine, .conversion = conversion };
  const char *why = NULL;
  uint64_t size;
  uint32_t index = 0;
  int err = 0;

  const unsigned char *bytes = table_bytes (object, &size);
  sframe_decoder_ctx *table
    = bytes == NULL ? NULL : sframe_decode ((const char *) bytes, size, &err);
  if (table == NULL)
    return message ("its table is damaged: %s",
		    err != 0 ? sframe_errmsg (err) : "it is in no segment");
  if (sframe_decoder_get_version (table) != SFRAME_VERSION_3
      || sframe_decoder_get_abi_arch (table) != object->machine->abi)
    why = "its table is not of version 3 for this machine";
  for (size_t i = 0; i < conversion->function_count && why == NULL; ++i)
    {
      walk.function = &conversion->functions[i];
      why = compare_function (&walk, table, segment->p_vaddr, &index);
    }
  sframe_decoder_free (&table);
  return why;
}
