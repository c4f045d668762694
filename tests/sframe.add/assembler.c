/* Compare the tables that assembler and linker wrote with .eh_frame, at each
   PC.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: assembler NAMES FILE...

   The table is read by libc's reader, and .eh_frame by that of sframe-add,
   which oracle.c compares with libdw.  Each difference must have a known
   cause; for each cause a function here recognizes it.  NAMES has the symbols
   of libgcc.a, which was not assembled with --gsframe, one in a line.  */

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <sframe-format.h>
#include <sframe-machine.h>
#include <sframe-read.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sframe-add.h"

/* A file with both tables.  */
struct file
{
  struct object object;
  struct conversion conversion;
  struct sframe_section section;
  uint64_t address;		/* Of the table.  */
  Dwarf_CFI *cfi;
  /* The pairs of .eh_frame_hdr.  */
  const int32_t *pairs;
  uint32_t pair_count;
  uint64_t base;
};

/* A PC where they differ; null for no rule.  */
struct point
{
  const struct file *file;
  uint64_t pc;
  const struct sframe_rule *table, *frames;
};

/* The function of .eh_frame around a PC.  */
struct range
{
  uint64_t start, end;
};

static char **names;
static size_t name_count;

static bool
table_rule (const struct file *file, uint64_t pc, struct sframe_rule *rule)
{
  return (__sframe_find_rule (&file->section, pc - file->address,
			      SFRAME_MACHINE_SP, SFRAME_MACHINE_FP, rule)
	  == SFRAME_FOUND);
}

static const struct sframe_rule *
frames_rule (const struct file *file, uint64_t pc)
{
  const struct conversion *conversion = &file->conversion;
  const struct function *function = conversion->functions;
  size_t low = 0, high = conversion->function_count;

  while (high - low > 1)
    {
      size_t middle = low + (high - low) / 2;
      *(function[middle].start <= pc ? &low : &high) = middle;
    }
  function += low;
  uint64_t offset = pc - function->start;
  if (high == 0 || offset >= function->size)
    return NULL;
  if (function->block != 0)
    offset %= function->block;
  const struct row *row = conversion->rows + function->first_row;
  for (low = function->row_count - 1; row[low].start > offset; --low)
    ;
  return &row[low].rule;
}

/* The function of .eh_frame that PC is in; empty if none.  */
static struct range
function_of (const struct file *file, uint64_t pc)
{
  Dwarf_Frame *frame;
  Dwarf_Addr end;
  bool signal;
  uint32_t low = 0, high = file->pair_count;

  while (high - low > 1)
    {
      uint32_t middle = low + (high - low) / 2;
      *(file->base + file->pairs[2 * middle] <= pc ? &low : &high) = middle;
    }
  struct range range = { .start = file->base + file->pairs[2 * low] };
  for (range.end = range.start;
       (low + 1 == file->pair_count
	|| range.end < file->base + file->pairs[2 * low + 2])
       && dwarf_cfi_addrframe (file->cfi, range.end, &frame) == 0;
       range.end = end)
    {
      dwarf_frame_info (frame, NULL, &end, &signal);
      free (frame);
    }
  return pc < range.end ? range : (struct range) { 0 };
}

/* Whether the table has no rule for anything in RANGE.  */
static bool
is_absent (const struct file *file, struct range range)
{
  struct sframe_rule rule;

  for (uint64_t pc = range.start; pc < range.end; ++pc)
    if (table_rule (file, pc, &rule))
      return false;
  return range.start < range.end;
}

static bool
same_place (const struct sframe_place *a, const struct sframe_place *b)
{
  return a->kind == b->kind && a->reg == b->reg && a->offset == b->offset;
}

static bool
is_in_section (const struct point *place, const char *name)
{
  uint64_t size, start = object_section (&place->file->object, name, &size);

  return start != 0 && place->pc >= start && place->pc - start < size;
}

/* Causes.  */

/* ld takes entries of .plt.got, which push nothing, to be like those of .plt:
   patches/reports/binutils-plt-got.txt.  */
static bool
is_plt_got (const struct point *place)
{
  return (SFRAME_MACHINE_ABI == SFRAME_ABI_AMD64_LE
	  && is_in_section (place, ".plt.got")
	  && place->table != NULL && place->frames != NULL
	  && place->table->cfa.reg == SFRAME_MACHINE_SP
	  && place->frames->cfa.reg == SFRAME_MACHINE_SP
	  && place->table->cfa.offset == place->frames->cfa.offset + 8);
}

/* ld writes no SFrame for PLTs of s390x.  */
static bool
is_plt (const struct point *place)
{
  return (SFRAME_MACHINE_ABI == SFRAME_ABI_S390X_BE && place->table == NULL
	  && (is_in_section (place, ".plt") || is_in_section (place, ".iplt")));
}

/* gas takes .cfi_restore for a return to the first row of the function, not to
   the CIE: patches/reports/binutils-restore.txt.  */
static bool
is_restored (const struct point *place)
{
  const struct sframe_rule *table = place->table, *frames = place->frames;
  struct sframe_rule first;

  if (table == NULL || frames == NULL
      || !same_place (&table->cfa, &frames->cfa)
      || !table_rule (place->file, function_of (place->file,
						place->pc).start, &first))
    return false;
  bool fp = same_place (&table->fp, &frames->fp);
  bool ra = same_place (&table->ra, &frames->ra);
  return ((fp || (frames->fp.kind == SFRAME_UNCHANGED
		  && same_place (&table->fp, &first.fp)))
	  && (ra || (frames->ra.kind == SFRAME_UNCHANGED
		     && same_place (&table->ra, &first.ra)))
	  && !(fp && ra));
}

/* The kind of libdw's rule for register NUMBER. *OTHER becomes the register
   that it is saved in.  */
enum told { told_nothing, told_cfa_offset, told_register, told_expression };

static enum told
told_of (Dwarf_Frame *frame, int number, unsigned int *other)
{
  Dwarf_Op memory[3], *ops;
  size_t count;

  if (dwarf_frame_register (frame, number, memory, &ops, &count) != 0
      || count == 0)
    return told_nothing;
  /* Expressions of CFI begin with the CFA, too.  CFA as a value is how the ABI
     has SP on x86-64.  */
  if (ops[0].atom == DW_OP_call_frame_cfa)
    return (count == 1
	    || (count == 2 && (ops[1].atom == DW_OP_plus_uconst
			       || ops[1].atom == DW_OP_stack_value))
	    ? told_cfa_offset : told_expression);
  if (count != 1)
    return told_expression;
  *other = (ops[0].atom == DW_OP_regx ? ops[0].number
	    : ops[0].atom - DW_OP_reg0);
  return told_register;
}

/* A difference in SP on s390x, if only the table of gas has a rule.  */
static enum told
told_of_sp (const struct point *place, unsigned int *other)
{
  Dwarf_Frame *frame;

  if (SFRAME_MACHINE_ABI != SFRAME_ABI_S390X_BE || place->table == NULL
      || place->frames != NULL
      || dwarf_cfi_addrframe (place->file->cfi, place->pc, &frame) != 0)
    return told_expression;
  enum told told = told_of (frame, SFRAME_MACHINE_SP, other);
  free (frame);
  return told;
}

/* gas keeps a row where SP is in a floating-point register, which SFrame has
   no words for: patches/reports/binutils-s390x-sp-in-fpr.txt.  */
static bool
is_sp_in_fpr (const struct point *place)
{
  unsigned int other;

  return told_of_sp (place, &other) == told_register && other >= 16;
}

/* SFrame implies that the caller's SP is CFA - 160.  Here .eh_frame says that
   SP was saved elsewhere than the ABI does, or that SP is unchanged while the
   CFA is computed from another register.  Both may give the same value, but
   sframe-add cannot prove that.  */
static bool
is_sp_implied (const struct point *place)
{
  unsigned int other;

  switch (told_of_sp (place, &other))
    {
    case told_cfa_offset:
      return true;
    case told_nothing:
      return place->table->cfa.reg != SFRAME_MACHINE_SP;
    default:
      return false;
    }
}

/* Whether libdw's FRAME has a rule for which gas leaves out the whole
   function: a CFA from another register than SP and FP, an expression
   (.cfi_escape), or SP, FP or RA in a register.  */
static bool
is_beyond_gas (Dwarf_Frame *frame)
{
  Dwarf_Op *ops;
  size_t count;
  unsigned int other;

  if (dwarf_frame_cfa (frame, &ops, &count) != 0 || count != 1
      || ops[0].atom != DW_OP_bregx
      || (ops[0].number != SFRAME_MACHINE_SP
	  && ops[0].number != SFRAME_MACHINE_FP))
    return true;
  for (int i = 0; i < SFRAME_MACHINE_REGISTERS; ++i)
    {
      enum told told = told_of (frame, i, &other);
      if (told == told_expression
	  || (told == told_register
	      && (i == SFRAME_MACHINE_SP || i == SFRAME_MACHINE_FP)))
	return true;
    }
  return false;
}

static bool
is_skipped (const struct point *place)
{
  struct range range = function_of (place->file, place->pc);
  bool found = false;
  Dwarf_Frame *frame;
  Dwarf_Addr end;
  bool signal;

  if (!is_absent (place->file, range))
    return false;
  for (uint64_t pc = range.start; pc < range.end && !found; pc = end)
    {
      if (dwarf_cfi_addrframe (place->file->cfi, pc, &frame) != 0)
	return false;
      dwarf_frame_info (frame, NULL, &end, &signal);
      found = is_beyond_gas (frame);
      free (frame);
    }
  return found;
}

static int
compare_names (const void *one, const void *other)
{
  return strcmp (*(char *const *) one, *(char *const *) other);
}

/* Whether a symbol of FILE at ADDRESS is one of the names.  */
static bool
has_known_name (const struct file *file, uint64_t address)
{
  Elf *elf = file->object.elf;
  Elf_Scn *section = NULL;
  GElf_Shdr header;
  GElf_Sym symbol;

  while ((section = elf_nextscn (elf, section)) != NULL)
    {
      Elf_Data *data = elf_getdata (section, NULL);
      if (gelf_getshdr (section, &header) == NULL
	  || header.sh_type != SHT_SYMTAB)
	continue;
      for (int i = 0; gelf_getsym (data, i, &symbol) != NULL; ++i)
	{
	  char *name = elf_strptr (elf, header.sh_link, symbol.st_name);
	  if (symbol.st_value == address && name != NULL
	      && bsearch (&name, names, name_count, sizeof name,
			  compare_names) != NULL)
	    return true;
	}
    }
  return false;
}

static bool
is_of_libgcc (const struct point *place)
{
  struct range range = function_of (place->file, place->pc);

  return (is_absent (place->file, range)
	  && has_known_name (place->file, range.start));
}

static struct cause
{
  const char *name;
  bool (*holds) (const struct point *);
  unsigned long int bytes, places;
} causes[] =
  {
    { "ld: .plt.got", is_plt_got, 0, 0 },
    { "ld: no rows for the PLT", is_plt, 0, 0 },
    { "gas: .cfi_restore", is_restored, 0, 0 },
    { "gas: SP in a floating-point register", is_sp_in_fpr, 0, 0 },
    { "gas: SP by the ABI", is_sp_implied, 0, 0 },
    { "gas: CFI that it leaves a function out for", is_skipped, 0, 0 },
    { "libgcc.a: not assembled with --gsframe", is_of_libgcc, 0, 0 },
    { "NOT KNOWN", NULL, 0, 0 }
  };

static struct cause *
cause_of (const struct point *place)
{
  struct cause *cause = causes;

  while (cause->holds != NULL && !cause->holds (place))
    ++cause;
  return cause;
}

/* Files.  */

static bool
same_as_frames (const struct sframe_rule *table,
		const struct sframe_rule *frames)
{
  if (table == NULL || frames == NULL)
    return table == frames;
  return same_rule (table, frames);
}

/* Whether A and B, neighbours, differ in the same way.  */
static bool
same_difference (const struct point *a, const struct point *b)
{
  return a->frames == b->frames && same_as_frames (a->table, b->table);
}

/* Look for the cause of PLACE, and count it.  */
static struct cause *
count_place (const struct point *place)
{
  struct cause *cause = cause_of (place);

  ++cause->places;
  if (cause->holds == NULL)
    printf ("%s: %#lx: no known cause\n", place->file->object.name,
	    (unsigned long int) place->pc);
  return cause;
}

/* Compare the bytes from START up to END, which are code.  Return how many
   differ.  */
static unsigned long int
compare_code (const struct file *file, uint64_t start, uint64_t end)
{
  struct sframe_rule rules[2];
  unsigned long int different = 0;
  struct cause *cause = NULL;
  struct point last = { 0 };

  for (uint64_t pc = start; pc < end; ++pc)
    {
      struct sframe_rule *rule = &rules[pc & 1];
      struct point place = { file, pc, NULL, frames_rule (file, pc) };
      place.table = table_rule (file, pc, rule) ? rule : NULL;
      if (same_as_frames (place.table, place.frames))
	cause = NULL;
      else
	{
	  if (cause == NULL || !same_difference (&place, &last))
	    cause = count_place (&place);
	  ++cause->bytes;
	  ++different;
	}
      last = place;
    }
  return different;
}

/* --check must find the same ranges of code.  */
static bool
check_finds (struct file *file, unsigned long int different)
{
  unsigned long int found = 0;

  const char *why = check_table (&file->object, &file->conversion);
  if (why != NULL)
    printf ("%s: %s\n", file->object.name, why);
  for (size_t i = 0; i < file->conversion.finding_count; ++i)
    found += file->conversion.findings[i].size;
  if (found != different)
    printf ("%s: %lu bytes differ, --check finds %lu\n", file->object.name,
	    different, found);
  return why == NULL && found == different;
}

static bool
find_tables (struct file *file)
{
  const struct object *object = &file->object;
  const GElf_Phdr *table = object_segment (object, PT_GNU_SFRAME);
  const GElf_Phdr *header = object_segment (object, PT_GNU_EH_FRAME);
  const unsigned char *bytes = object->file.data;

  if (table == NULL || header == NULL
      || memcmp (bytes + header->p_offset, "\1\x1b\3\x3b", 4) != 0
      || convert (object, &file->conversion) != NULL)
    return false;
  memcpy (&file->pair_count, bytes + header->p_offset + 8, 4);
  file->pairs = (const void *) (bytes + header->p_offset + 12);
  file->base = header->p_vaddr;
  file->address = table->p_vaddr;
  file->cfi = dwarf_getcfi_elf (object->elf);
  return (file->cfi != NULL
	  && (__sframe_read_header (bytes + table->p_offset, table->p_filesz,
				    SFRAME_MACHINE_ABI, &file->section)
	      == SFRAME_HEADER_OK));
}

static bool
compare_file (const char *name)
{
  struct file file = { .object.name = name };
  struct file_at at;
  struct stat status;
  enum outcome outcome;
  unsigned long int different = 0;

  if (file_at_output (name, &at) != NULL
      || load_file (&at, &file.object.file, &status, &outcome) != NULL
      || object_open (&file.object, &outcome) != NULL || !find_tables (&file))
    {
      printf ("%s: it has not both tables\n", name);
      return false;
    }
  for (size_t i = 0; i < file.object.segment_count; ++i)
    {
      const GElf_Phdr *segment = &file.object.segments[i];
      if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X) != 0)
	different += compare_code (&file, segment->p_vaddr,
				   segment->p_vaddr + segment->p_filesz);
    }
  bool good = check_finds (&file, different);
  dwarf_cfi_end (file.cfi);
  conversion_free (&file.conversion);
  object_close (&file.object);
  file_at_close (&at);
  return good;
}

static void
read_names (const char *file)
{
  FILE *stream = fopen (file, "r");
  size_t capacity = 0, size = 0;
  char *line = NULL;

  while (stream != NULL && getline (&line, &size, stream) > 0)
    {
      names = grow (names, &capacity, name_count + 1, sizeof *names);
      line[strcspn (line, "\n")] = '\0';
      names[name_count++] = line;
      line = NULL;
      size = 0;
    }
  if (name_count > 0)
    qsort (names, name_count, sizeof *names, compare_names);
}

int
main (int argc, char **argv)
{
  bool good = argc > 2;

  elf_version (EV_CURRENT);
  if (good)
    read_names (argv[1]);
  for (int i = 2; i < argc; ++i)
    good &= compare_file (argv[i]);
  for (size_t i = 0; i < sizeof causes / sizeof *causes; ++i)
    printf ("%s: %lu bytes in %lu places\n", causes[i].name, causes[i].bytes,
	    causes[i].places);
  good &= causes[sizeof causes / sizeof *causes - 1].bytes == 0;
  printf ("%s: each difference has a known cause\n", good ? "PASS" : "FAIL");
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
