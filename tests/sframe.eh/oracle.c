/* Compare steps by .eh_frame with libdw, at every row of object files.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: oracle [--scan] FILE...

   The FILE "vDSO" is the vDSO of the running kernel.  With --scan, libc's code
   does not use .eh_frame_hdr, as in a program that has none.

   Both sides are evaluated with the same made-up values, see libdw-row.h.
   They share only the list of functions, which is read from .eh_frame_hdr
   here.  If a row can be converted to an SFrame rule, the step by that rule
   must lead to the same caller.  Files that are no objects, or have no table,
   are skipped.  For each reason for which rows are not supported, a line says
   how many there are.  */

#include <sframe-eh-step.h>
#include <sframe-strip.h>

#include "image.h"
#include "libdw-row.h"

static struct
{
  unsigned long int files, entries, understood, rows, different, unevaluated;
  /* Steps, and those that SFrame has words for.  */
  unsigned long int steps, simple;
  /* Rows by result.  */
  unsigned long int by_status[SFRAME_EH_BROKEN + 1];
} total;

static void
tell (const struct image *image, uintptr_t pc, const char *what,
      unsigned int number)
{
  if (total.different++ < 20)
    printf ("%s: at %#lx: %s %u\n", image->name,
	    (unsigned long int) (pc - image->base), what, number);
}

/* Whether CALLER knows register NUMBER.  If RA was in another column, the
   register that usually has it may still have the caller's.  */
static bool
is_known (const struct sframe_registers *caller, unsigned int number,
	  unsigned int ra)
{
  uint64_t known = caller->known;

  if (number == SFRAME_MACHINE_RA && ra != number)
    known |= caller->kept;
  return (known & UINT64_C (1) << number) != 0;
}

/* Compare the caller's registers.  The RA register is not known in a caller
   that was not interrupted.  */
static void
compare_registers (const struct image *image, uintptr_t pc,
		   const struct sframe_registers *caller, Dwarf_Frame *frame,
		   const struct machine *machine, unsigned int ra, bool signal)
{
  uint64_t value = 0;

  for (unsigned int i = 0; i < SFRAME_MACHINE_REGISTERS; ++i)
    switch (i == ra && !signal ? told_undefined
	    : is_restored (frame, machine, i) ? told_unchanged
	    : corrected (oracle_register (frame, machine, i, &value), i))
      {
      case told_unchanged:
	value = unchanged (frame, machine, i);
	/* Fall through.  */
      case told_value:
	if (!is_known (caller, i, ra))
	  tell (image, pc, "not known: register", i);
	else if (caller->value[i] != value)
	  tell (image, pc, "another value of register", i);
	break;
      case told_undefined:
	/* In a signal frame, libdw keeps registers without a rule.  */
	if (!signal && (caller->known & UINT64_C (1) << i) != 0)
	  tell (image, pc, "known, and should not be: register", i);
	break;
      default:
	++total.unevaluated;
      }
  enum told told = oracle_register (frame, machine, ra, &value);
  /* To libdw a register that calls may change is undefined without a rule, even
     if it is the column of the return address.  */
  if (told == told_undefined && ra != SFRAME_MACHINE_RA)
    told = told_unchanged;
  if (told == told_unchanged && ra < SFRAME_MACHINE_REGISTERS)
    value = machine->registers->value[ra];
  else if (told != told_value)
    tell (image, pc, "a return address in column", ra);
  if (caller->pc != sframe_strip (value))
    tell (image, pc, "another return address in column", ra);
}

/* Compare the step to CALLER, with result STATUS, with a step by RULE, the
   SFrame rule for the same frame in *REGISTERS.  */
static void
compare_rule (const struct image *image, struct sframe_registers *registers,
	      const struct sframe_rule *rule, enum sframe_eh_status status,
	      const struct sframe_registers *caller)
{
  struct sframe_stack stack = { .unreadable = 1, .same_stack = false };
  uintptr_t pc = registers->pc;

  ++total.simple;
  if (rule->outermost != (status == SFRAME_EH_OUTERMOST))
    tell (image, pc, "the rule should be outermost:", !rule->outermost);
  if (status != SFRAME_EH_OK)
    return;
  if (__sframe_step (registers, rule, &stack) != SFRAME_STEP_CALLER)
    tell (image, pc, "no step by the rule of register", rule->cfa.reg);
  else if (registers->pc != caller->pc
	   || registers->interrupted != caller->interrupted)
    tell (image, pc, "another return address by rule", 0);
  else if (registers->value[SFRAME_MACHINE_SP]
	   != caller->value[SFRAME_MACHINE_SP])
    tell (image, pc, "another SP by rule", SFRAME_MACHINE_SP);
  else if (registers->value[SFRAME_MACHINE_FP]
	   != caller->value[SFRAME_MACHINE_FP])
    tell (image, pc, "another FP by rule", SFRAME_MACHINE_FP);
}

/* How many of 1,000 steps must have a rule that can be cached.  Where a call
   leaves the return address in a register, that takes it out of all rows
   before it is saved; on s390x later rows have a rule for SP, too.  */
#ifdef __s390x__
enum { SIMPLE = 0 };
#else
enum { SIMPLE = SFRAME_MACHINE_RA < SFRAME_MACHINE_REGISTERS ? 400 : 995 };
#endif

/* The option --scan.  */
static bool scan;

/* Step by our code.  */
static enum sframe_eh_status
step_at (const struct image *image, uintptr_t pc,
	 struct sframe_registers *registers)
{
  struct sframe_stack stack = { .unreadable = 1, .same_stack = false };
  struct sframe_eh_entry entry;
  struct sframe_eh_row row;
  struct sframe_rule rule;
  struct sframe_registers before = *registers;
  struct sframe_eh_table table = image->table;

  if (scan)
    {
      table.records = table.header + 4 + *(const int32_t *) (table.header + 4);
      table.header = NULL;
    }
  enum sframe_eh_status status = __sframe_eh_find (&table, pc, &entry);

  if (status == SFRAME_EH_OK)
    status = __sframe_eh_find_row (&entry, pc, &row);
  if (status != SFRAME_EH_OK)
    return status;
  ++total.steps;
  bool simple = __sframe_eh_rule (&entry, &row, &rule);
  status = __sframe_eh_step (registers, &entry, &row, &stack);
  if (simple)
    compare_rule (image, &before, &rule, status, registers);
  return status;
}

/* Compare both at PC.  Return whether it is understood.  */
static bool
compare_at (const struct image *image, uintptr_t pc, Dwarf_Frame *frame)
{
  struct sframe_registers registers, caller;
  struct machine machine = { .registers = &registers };
  Dwarf_Op *ops;
  size_t count;
  bool signal;
  uint64_t value;

  make_registers (&registers, pc);
  caller = registers;
  enum sframe_eh_status status = step_at (image, pc, &caller);
  ++total.by_status[status];
  if (status != SFRAME_EH_OK && status != SFRAME_EH_OUTERMOST)
    return false;

  int ra = dwarf_frame_info (frame, NULL, NULL, &signal);
  if (dwarf_frame_cfa (frame, &ops, &count) != 0
      || compute (&machine, ops, count, false, &machine.cfa) != told_value)
    ++total.unevaluated;
  else if (status == SFRAME_EH_OUTERMOST)
    {
      if (oracle_register (frame, &machine, ra, &value) != told_undefined)
	tell (image, pc, "not outermost: column", ra);
    }
  else
    {
      if (caller.interrupted != signal)
	tell (image, pc, "signal frame: should be", signal);
      compare_registers (image, pc, &caller, frame, &machine, ra, signal);
    }
  return true;
}

/* libdw has no row for the function at START: there are no bytes in it, or
   libdw rejects its entry.  There must be no step either.  Return whether libc
   supports the entry.  */
static bool
compare_missing (const struct image *image, Dwarf_Addr start)
{
  struct sframe_registers registers;
  uint64_t pc = image->base + start;

  make_registers (&registers, pc);
  enum sframe_eh_status status = step_at (image, pc, &registers);
  if (status == SFRAME_EH_OK)
    tell (image, pc, "libdw has no row; ours is", status);
  return status != SFRAME_EH_NOT_UNDERSTOOD;
}

/* Compare the rows of the function at START, which ends at or before
   LIMIT.  */
static void
compare_entry (const struct image *image, Dwarf_CFI *cfi, Dwarf_Addr start,
	       Dwarf_Addr limit)
{
  Dwarf_Frame *frame;
  Dwarf_Addr pc = start, from, end;
  bool understood = true, signal;

  ++total.entries;
  while (pc < limit && dwarf_cfi_addrframe (cfi, pc, &frame) == 0)
    {
      dwarf_frame_info (frame, &from, &end, &signal);
      ++total.rows;
      understood &= compare_at (image, image->base + pc, frame);
      understood &= compare_at (image, image->base + end - 1, frame);
      free (frame);
      if (end <= pc)
	break;
      pc = end;
    }
  if (pc == start)
    understood = compare_missing (image, start);
  total.understood += understood;
  if (!understood)
    printf ("%s: not understood: function at %#lx\n", image->name,
	    (unsigned long int) start);
}

/* The table's pairs of 4-byte offsets, read independently of libc.  */
static void
compare_image (const struct image *image, Dwarf_CFI *cfi)
{
  const unsigned char *header = image->table.header;
  Dwarf_Addr address = (uintptr_t) header - image->base;
  const int32_t *pairs = (const void *) (header + 12);
  uint32_t count;

  if (memcmp (header, "\1\x1b\3\x3b", 4) != 0)
    {
      printf ("%s: table of another kind: %02x %02x %02x %02x\n", image->name,
	      header[0], header[1], header[2], header[3]);
      return;
    }
  memcpy (&count, header + 8, sizeof count);
  ++total.files;
  for (uint32_t i = 0; i < count; ++i)
    compare_entry (image, cfi, address + pairs[2 * i],
		   i + 1 < count ? address + pairs[2 * i + 2] : UINT64_MAX);
}

static void
compare_file (const char *name)
{
  struct image image;

  if (image_load (&image, name))
    {
      Elf *elf = elf_memory ((char *) image.file, image.file_size);
      Dwarf_CFI *cfi = elf == NULL ? NULL : dwarf_getcfi_elf (elf);
      if (cfi == NULL)
	{
	  printf ("%s: %s\n", name, dwarf_errmsg (-1));
	  ++total.different;
	}
      else
	{
	  compare_image (&image, cfi);
	  dwarf_cfi_end (cfi);
	}
      elf_end (elf);
    }
  image_unload (&image);
}

int
main (int argc, char **argv)
{
  static const char *const names[] =
    { "found", "outermost", "no entry", "not understood", "corrupt",
      "register not known", "broken" };

  elf_version (EV_CURRENT);
  scan = argc > 1 && strcmp (argv[1], "--scan") == 0;
  for (int i = 1 + scan; i < argc; ++i)
    compare_file (argv[i]);
  printf ("%lu files, %lu entries, %lu understood; %lu rows, %lu different, "
	  "%lu not to be compared\n", total.files, total.entries,
	  total.understood, total.rows, total.different, total.unevaluated);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    printf ("%s: %lu\n", names[i], total.by_status[i]);
  printf ("%lu of %lu steps in the words of SFrame\n", total.simple,
	  total.steps);
  bool good = (total.entries > 0 && total.different == 0
	       && total.unevaluated == 0);
  printf ("%s: same as libdw\n", good ? "PASS" : "FAIL");
  good = good && total.understood == total.entries;
  printf ("%s: all entries are supported\n", good ? "PASS" : "FAIL");
  /* For all of Debian it is 99.95 %: the others are expressions of PLTs, and
     functions that realign their stack.  The host's vDSO has few functions,
     which differ from kernel to kernel.  */
  if (SIMPLE > 0 && strcmp (argv[argc - 1], "vDSO") != 0)
    {
      good = good && total.simple * 1000 >= total.steps * SIMPLE;
      printf ("%s: %g %% of the steps can be cached\n",
	      good ? "PASS" : "FAIL", SIMPLE / 10.0);
    }
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
