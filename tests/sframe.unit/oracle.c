/* Compare the reader with libsframe at every PC of an ELF file's SFrame
   section.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: oracle [--all-shapes] NAME FILE

   Prints "PASS: NAME" if both agree on every byte of every function of FILE
   and on the byte before and after each, and prints what was compared.  With
   --all-shapes FILE must contain every kind of FDE and FRE that the tools can
   make.

   The ABI is taken from the section.  The byte order is the machine's: on
   s390x this compares s390x files.

   Cases in which libsframe's result is not used:

   - It assumes that every function start is relative to its own field; a
     section without SFRAME_F_FDE_FUNC_START_PCREL is refused here.
   - sframe_find_fre fails in the same way for a PC outside all functions and
     for a function without FREs.  The index, also read by libsframe, tells
     which.
   - It reduces the distance of a PC from a function to 32 bits before
     comparing it with the size.  No PC here is 4 GiB away.
   - Its binary search stops at any function that covers the PC, and can skip
     one that has the same start as a function of no bytes.  So this file finds
     the function by a linear search and, where libsframe's search fails, takes
     the row from sframe_decoder_get_fre.
   - sframe_fre_get_ra_offset, for a flexible row with the padding word in
     place of the RA, returns the word after it, which is the control word of
     the FP.  By the specification the header's fixed offset applies and is
     expected.  */

#include <sframe-api.h>
#include <sframe-read.h>
#include <stdbool.h>

#include "elf-section.h"

struct range
{
  int64_t start;		/* From the start of the section.  */
  uint32_t size;
  uint32_t row_count;
  uint8_t info;
  uint8_t info2;
  uint8_t repetition;
};

static sframe_decoder_ctx *decoder;
static struct sframe_section section;
static struct range *ranges;
static uint32_t range_count;
static unsigned int sp, fp;

/* Counts for the report and for --all-shapes.  */
static struct
{
  unsigned long int pcs, outside, outermost, before_first_row, mask, signal;
  unsigned long int by_search, by_scan;
  unsigned long int flexible, padding, in_register, base_sp, base_fp;
  unsigned long int fp_saved, fp_unchanged;
  unsigned long int address_size[3], word_size[3];
} seen;

static unsigned long int differences;

static void
fail (const char *name, const char *what)
{
  printf ("%s: %s\nFAIL: %s\n", name, what, name);
  exit (EXIT_FAILURE);
}

/* DWARF numbers of stack and frame pointer, from the ABI supplements.  */
static bool
set_registers (unsigned int abi)
{
  switch (abi)
    {
    case SFRAME_ABI_AMD64_ENDIAN_LITTLE:
      sp = 7, fp = 6;
      return true;
    case SFRAME_ABI_AARCH64_ENDIAN_LITTLE:
      sp = 31, fp = 29;
      return true;
    case SFRAME_ABI_S390X_ENDIAN_BIG:
      sp = 15, fp = 11;
      return true;
    default:
      return false;
    }
}

/* Read the index by libsframe.  */
static void
read_ranges (const char *name)
{
  range_count = sframe_decoder_get_num_fidx (decoder);
  ranges = calloc (range_count, sizeof *ranges);
  if (ranges == NULL)
    fail (name, "no memory");
  for (uint32_t i = 0; i < range_count; ++i)
    {
      struct range *r = &ranges[i];
      int err = 0;
      if (sframe_decoder_get_funcdesc_v3 (decoder, i, &r->row_count,
					  &r->size, &r->start, &r->info,
					  &r->info2, &r->repetition) != 0)
	fail (name, "libsframe cannot read an FDE");
      r->start += sframe_decoder_get_offsetof_fde_start_addr (decoder, i,
							      &err);
      if (i > 0 && r->start < r[-1].start)
	fail (name, "the index is not sorted");
    }
}

/* The function around PC, which lies near function number INDEX; NULL if
   there is none.  Overlapping functions would make this ambiguous, main
   refuses them.  */
static const struct range *
range_of (uint32_t index, int64_t pc)
{
  while (index > 0 && ranges[index].start > pc)
    --index;
  while (index > 0 && ranges[index - 1].start == ranges[index].start)
    --index;
  for (; index < range_count && ranges[index].start <= pc; ++index)
    if (pc - ranges[index].start < ranges[index].size)
      return &ranges[index];
  return NULL;
}

/* The row of PC in R by libsframe's rows, not by its search.  Rows are
   numbered and found in order, so the last that starts at or before PC is
   the one.  */
static bool
scan_rows (const struct range *r, int64_t pc, sframe_frame_row_entry *row)
{
  sframe_frame_row_entry next;
  uint32_t offset = pc - r->start;
  bool found = false;

  if (SFRAME_V3_FDE_PC_TYPE (r->info) == SFRAME_V3_FDE_PCTYPE_MASK)
    offset %= r->repetition;
  for (uint32_t i = 0; i < r->row_count; ++i)
    {
      if (sframe_decoder_get_fre (decoder, r - ranges, i, &next) != 0
	  || next.fre_start_addr > offset)
	break;
      *row = next;
      found = true;
    }
  return found;
}

/* The offset of the RA of ROW; *ERR is set if it was not saved.  */
static int32_t
ra_offset (const sframe_frame_row_entry *row, uint32_t type, int *err)
{
  int padding_err = 0;

  if (type == SFRAME_FDE_TYPE_FLEX
      && (sframe_get_fre_udata (row, 2, &padding_err)
	  == SFRAME_FRE_RA_OFFSET_INVALID)
      && padding_err == 0)
    {
      int8_t fixed = sframe_decoder_get_fixed_ra_offset (decoder);
      *err = fixed == 0;
      return fixed;
    }
  return sframe_fre_get_ra_offset (decoder, row, type, err);
}

/* Rule of one place at control word INDEX of a flexible row.  Return the index
   after it.  */
static int
expect_flexible (const sframe_frame_row_entry *row, int index,
		 struct sframe_place *place)
{
  int err = 0;
  uint32_t control = sframe_get_fre_udata (row, index, &err);

  if (err != 0)
    return index;
  if (control == SFRAME_FRE_RA_OFFSET_INVALID)
    {
      ++seen.padding;
      return index + 1;
    }
  bool deref = SFRAME_V3_FLEX_FDE_CTRLWORD_DEREF_P (control);
  if (SFRAME_V3_FLEX_FDE_CTRLWORD_REG_P (control))
    {
      ++seen.in_register;
      place->kind = deref ? SFRAME_REGISTER_MEMORY : SFRAME_REGISTER_VALUE;
      place->reg = SFRAME_V3_FLEX_FDE_CTRLWORD_REGNUM (control);
    }
  else
    place->kind = deref ? SFRAME_CFA_MEMORY : SFRAME_CFA_VALUE;
  return index + 2;
}

/* Offsets from libsframe's getters, which handle fixed offsets, the padding
   word and the form of s390x.  An error of a getter means that the value was
   not saved; so does, on s390x, an RA offset of 0 in a default FDE.  */
static struct sframe_rule
expected_rule (const struct range *r, const sframe_frame_row_entry *row)
{
  uint32_t type = SFRAME_V3_FDE_TYPE (r->info2);
  bool flexible = type == SFRAME_FDE_TYPE_FLEX;
  struct sframe_rule rule = { .signal = SFRAME_V3_FDE_SIGNAL_P (r->info) };
  int cfa_err = 0, ra_err = 0, fp_err = 0;

  if (r->row_count == 0
      || sframe_fre_get_ra_undefined_p (decoder, row, &cfa_err))
    {
      rule.outermost = true;
      return rule;
    }
  rule.cfa.offset = sframe_fre_get_cfa_offset (decoder, row, type, &cfa_err);
  rule.ra.offset = ra_offset (row, type, &ra_err);
  rule.fp.offset = sframe_fre_get_fp_offset (decoder, row, type, &fp_err);
  if (ra_err == 0 && (flexible
		      || rule.ra.offset != SFRAME_FRE_RA_OFFSET_INVALID))
    rule.ra.kind = SFRAME_CFA_MEMORY;
  if (fp_err == 0)
    rule.fp.kind = SFRAME_CFA_MEMORY;

  if (flexible)
    {
      int index = expect_flexible (row, 0, &rule.cfa);
      index = expect_flexible (row, index, &rule.ra);
      expect_flexible (row, index, &rule.fp);
      return rule;
    }
  bool base_sp
    = sframe_fre_get_base_reg_id (row, &cfa_err) == SFRAME_BASE_REG_SP;
  rule.cfa.kind = SFRAME_REGISTER_VALUE;
  rule.cfa.reg = base_sp ? sp : fp;
  return rule;
}

static bool
equal_place (const struct sframe_place *a, const struct sframe_place *b)
{
  if (a->kind != b->kind)
    return false;
  if (a->kind == SFRAME_UNCHANGED)
    return true;
  return (a->offset == b->offset
	  && (a->kind < SFRAME_REGISTER_VALUE || a->reg == b->reg));
}

static bool
equal_rule (const struct sframe_rule *a, const struct sframe_rule *b)
{
  if (a->outermost != b->outermost || a->signal != b->signal)
    return false;
  return a->outermost || (equal_place (&a->cfa, &b->cfa)
			  && equal_place (&a->ra, &b->ra)
			  && equal_place (&a->fp, &b->fp));
}

static void
count_row (const struct range *r, const sframe_frame_row_entry *row,
	   const struct sframe_rule *rule)
{
  seen.mask += SFRAME_V3_FDE_PC_TYPE (r->info) == SFRAME_V3_FDE_PCTYPE_MASK;
  seen.signal += rule->signal;
  seen.outermost += rule->outermost;
  if (r->row_count == 0)
    return;
  ++seen.address_size[SFRAME_V3_FDE_FRE_TYPE (r->info)];
  if (rule->outermost)
    return;
  ++seen.word_size[SFRAME_V3_FRE_DATAWORD_SIZE (row->fre_info)];
  seen.flexible += SFRAME_V3_FDE_TYPE (r->info2) == SFRAME_FDE_TYPE_FLEX;
  seen.base_sp += rule->cfa.reg == sp;
  seen.base_fp += rule->cfa.reg == fp;
  seen.fp_saved += rule->fp.kind != SFRAME_UNCHANGED;
  seen.fp_unchanged += rule->fp.kind == SFRAME_UNCHANGED;
}

/* libsframe's row for PC in R.  */
static bool
oracle_row (const struct range *r, int64_t pc, sframe_frame_row_entry *row)
{
  if (sframe_find_fre (decoder, pc, row) == 0)
    {
      ++seen.by_search;
      return true;
    }
  if (!scan_rows (r, pc, row))
    return false;
  ++seen.by_scan;
  return true;
}

/* libsframe's rule for PC, which is in or near function INDEX.  */
static enum sframe_find_status
oracle (uint32_t index, int64_t pc, struct sframe_rule *rule)
{
  sframe_frame_row_entry row = { 0 };
  const struct range *r = range_of (index, pc);

  if (r == NULL)
    {
      ++seen.outside;
      return (sframe_find_fre (decoder, pc, &row) == 0
	      ? SFRAME_CORRUPT : SFRAME_NOT_FOUND);
    }
  if (r->row_count != 0 && !oracle_row (r, pc, &row))
    {
      ++seen.before_first_row;
      return SFRAME_NOT_FOUND;
    }
  *rule = expected_rule (r, &row);
  count_row (r, &row, rule);
  return SFRAME_FOUND;
}

static void
print_place (const char *name, const struct sframe_place *p)
{
  static const char *const kinds[]
    = { "unchanged", "CFA+", "*CFA+", "reg+", "*reg+" };

  printf (" %s %s", name, kinds[p->kind]);
  if (p->kind >= SFRAME_REGISTER_VALUE)
    printf ("(%u)", p->reg);
  if (p->kind != SFRAME_UNCHANGED)
    printf (" %d", p->offset);
}

static void
print_rule (const char *whose, const struct sframe_rule *rule)
{
  printf ("  %s:", whose);
  if (rule->outermost)
    printf (" outermost");
  else
    {
      print_place ("CFA", &rule->cfa);
      print_place ("RA", &rule->ra);
      print_place ("FP", &rule->fp);
    }
  puts (rule->signal ? ", signal" : "");
}

static void
compare (uint32_t index, int64_t pc)
{
  struct sframe_rule ours, theirs;
  enum sframe_find_status expected = oracle (index, pc, &theirs);
  enum sframe_find_status status
    = __sframe_find_rule (&section, pc, sp, fp, &ours);

  ++seen.pcs;
  if (status == expected
      && (status != SFRAME_FOUND || equal_rule (&ours, &theirs)))
    return;
  if (++differences > 20)
    return;
  printf ("FDE %u, PC %#llx from the section: status %d, expected %d\n",
	  index, (long long int) pc, status, expected);
  if (status == SFRAME_FOUND && expected == SFRAME_FOUND)
    {
      print_rule ("reader", &ours);
      print_rule ("libsframe", &theirs);
    }
}

static void
compare_all (void)
{
  for (uint32_t i = 0; i < range_count; ++i)
    {
      const struct range *r = &ranges[i];
      for (int64_t pc = r->start - 1; pc <= r->start + r->size; ++pc)
	compare (i, pc);
    }
}

/* A function must end where the next one starts or before, or no PC in both
   has a right answer.  */
static void
refuse_overlap (const char *name)
{
  int64_t end = INT64_MIN;

  for (uint32_t i = 0; i < range_count; ++i)
    {
      if (ranges[i].size == 0)
	continue;
      if (ranges[i].start < end)
	fail (name, "functions overlap");
      end = ranges[i].start + ranges[i].size;
    }
}

static void
report (void)
{
  printf ("%lu PCs of %u FDEs (%lu by libsframe's search, %lu by its rows,"
	  " %lu outside)\n", seen.pcs, range_count, seen.by_search,
	  seen.by_scan, seen.outside);
  printf ("flexible %lu, padding words %lu, in registers %lu, mask %lu,"
	  " signal %lu, outermost %lu, before first row %lu\n",
	  seen.flexible, seen.padding, seen.in_register, seen.mask,
	  seen.signal, seen.outermost, seen.before_first_row);
  printf ("CFA from SP %lu, from FP %lu; FP saved %lu, unchanged %lu\n",
	  seen.base_sp, seen.base_fp, seen.fp_saved, seen.fp_unchanged);
  printf ("start of 1, 2, 4 bytes: %lu %lu %lu; words of 1, 2, 4 bytes:"
	  " %lu %lu %lu\n", seen.address_size[0], seen.address_size[1],
	  seen.address_size[2], seen.word_size[0], seen.word_size[1],
	  seen.word_size[2]);
}

/* Repeated blocks are those of the PLT, for which ld does not always write a
   table on s390x.  */
static bool
all_shapes (void)
{
  return (seen.flexible > 0 && seen.padding > 0 && seen.in_register > 0
	  && (seen.mask > 0
	      || section.abi != SFRAME_ABI_AMD64_ENDIAN_LITTLE)
	  && seen.outermost > 0 && seen.outside > 0
	  && seen.base_sp > 0 && seen.base_fp > 0 && seen.fp_saved > 0
	  && seen.fp_unchanged > 0 && seen.address_size[0] > 0
	  && seen.address_size[1] > 0 && seen.address_size[2] > 0
	  && seen.word_size[0] > 0 && seen.word_size[1] > 0
	  && seen.word_size[2] > 0);
}

static void
open_both (const char *name, const struct elf_section *bytes)
{
  int err = 0;

  decoder = sframe_decode ((const char *) bytes->bytes, bytes->size, &err);
  if (decoder == NULL)
    fail (name, sframe_errmsg (err));
  unsigned int abi = sframe_decoder_get_abi_arch (decoder);
  if (!set_registers (abi))
    fail (name, "unknown ABI");
  if ((sframe_decoder_get_flags (decoder) & SFRAME_F_FDE_FUNC_START_PCREL)
      == 0)
    fail (name, "function starts are not relative to their fields");

  enum sframe_header_status status
    = __sframe_read_header (bytes->bytes, bytes->size, abi, &section);
  if (status != SFRAME_HEADER_OK)
    fail (name, __sframe_header_message (status));
}

int
main (int argc, char **argv)
{
  bool want_all = argc > 1 && strcmp (argv[1], "--all-shapes") == 0;
  if (argc != 3 + want_all)
    {
      fputs ("Usage: oracle [--all-shapes] NAME FILE\n", stderr);
      return 2;
    }
  const char *name = argv[argc - 2];
  struct elf_section bytes = read_sframe_section (argv[argc - 1]);

  open_both (name, &bytes);
  read_ranges (name);
  refuse_overlap (name);
  compare_all ();
  report ();
  if (seen.pcs == 0 || seen.by_search == 0)
    fail (name, "nothing was compared");
  if (want_all && !all_shapes ())
    fail (name, "not every shape occurs");
  if (differences > 0)
    fail (name, "the reader and libsframe differ");

  sframe_decoder_free (&decoder);
  free (ranges);
  free (bytes.bytes);
  printf ("PASS: %s\n", name);
  return EXIT_SUCCESS;
}
