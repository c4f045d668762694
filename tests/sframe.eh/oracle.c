/* Compare steps by .eh_frame with libdw at every row of object files.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: oracle FILE...; the name "vDSO" is that of the running kernel.

   Each register has a made-up value, each word of memory too (see
   sframe-stack.h), and libdw's decoded rules are computed with the same ones.
   So two rules are equal if they lead to equal values.  Nothing that the two
   sides use is common but the list of functions, read from the table here.

   What of a row can be said in the words of SFrame must lead to the same place.

   Files that are no objects, or have no table, are passed over.  One line for
   each reason for which rows are not understood tells how many.  */

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <sframe-eh-step.h>
#include <sframe-machine.h>

#include "image.h"

/* libdw's names of the numbers are the same as those of sframe-dwarf.h, which
   is not included here on purpose.  */

static struct
{
  unsigned long int files, entries, understood, rows, different, unevaluated;
  /* Steps, and those that SFrame has words for.  */
  unsigned long int steps, simple;
  /* Rows by result.  */
  unsigned long int by_status[SFRAME_EH_BROKEN + 1];
} total;

/* A frame at PC with a made-up value in each register.  SP is the lowest, so
   that the caller lies above it.  */
static void
make_registers (struct sframe_registers *registers, uintptr_t pc)
{
  memset (registers, 0, sizeof *registers);
  for (unsigned int i = 0; i < SFRAME_MACHINE_REGISTERS; ++i)
    registers->value[i] = (word_at (i + 1) & 0x7fffffffffc0) | 1UL << 47;
  registers->value[SFRAME_MACHINE_SP] = 0x700000000000;
  registers->known = (UINT64_C (1) << SFRAME_MACHINE_REGISTERS) - 1;
  registers->pc = pc;
  registers->interrupted = true;
}

/* What libdw says of a column.  */
enum told { told_value, told_unchanged, told_undefined, told_unevaluated };

struct machine
{
  const struct sframe_registers *registers;
  uint64_t cfa;
};

static uint64_t
register_of (const struct machine *machine, uint64_t number)
{
  return (number < SFRAME_MACHINE_REGISTERS
	  ? machine->registers->value[number] : machine->registers->pc);
}

/* Apply the operation ATOM to the top values of a stack, of which *TOP is the
   last.  Return the new top, null if this file does not know it.  */
static uint64_t *
binary (uint64_t *top, unsigned int atom)
{
  uint64_t b = *top--, a = *top;

  switch (atom)
    {
    case DW_OP_plus: *top = a + b; return top;
    case DW_OP_minus: *top = a - b; return top;
    case DW_OP_mul: *top = a * b; return top;
    case DW_OP_and: *top = a & b; return top;
    case DW_OP_or: *top = a | b; return top;
    case DW_OP_shl: *top = a << (b & 63); return top;
    case DW_OP_shr: *top = a >> (b & 63); return top;
    case DW_OP_ge: *top = (int64_t) a >= (int64_t) b; return top;
    case DW_OP_lt: *top = (int64_t) a < (int64_t) b; return top;
    default:
      printf ("libdw's operation %#x is not computed here\n", atom);
      return NULL;
    }
}

/* Compute COUNT operations.  A result is a place in memory unless they say
   otherwise.  */
static enum told
compute (const struct machine *machine, const Dwarf_Op *ops, size_t count,
	 bool is_place, uint64_t *value)
{
  uint64_t values[64] = { 0 }, *top = values;

  if (count == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
    {
      *value = register_of (machine, ops[0].atom - DW_OP_reg0);
      return told_value;
    }
  if (count == 1 && ops[0].atom == DW_OP_regx)
    {
      *value = register_of (machine, ops[0].number);
      return told_value;
    }
  for (size_t i = 0; i < count && top != NULL && top < values + 62; ++i)
    {
      unsigned int atom = ops[i].atom;
      if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
	*++top = register_of (machine, atom - DW_OP_breg0) + ops[i].number;
      else if (atom == DW_OP_bregx)
	*++top = register_of (machine, ops[i].number) + ops[i].number2;
      else if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
	*++top = atom - DW_OP_lit0;
      else if (atom >= DW_OP_const1u && atom <= DW_OP_consts)
	*++top = ops[i].number;
      else if (atom == DW_OP_call_frame_cfa)
	*++top = machine->cfa;
      else if (atom == DW_OP_plus_uconst)
	*top += ops[i].number;
      else if (atom == DW_OP_deref)
	*top = word_at (*top);
      else if (atom == DW_OP_drop)
	--top;
      else if (atom == DW_OP_stack_value)
	is_place = false;
      else
	top = binary (top, atom);
    }
  if (top == NULL || top <= values)
    return told_unevaluated;
  *value = is_place ? word_at (*top) : *top;
  return told_value;
}

static enum told
oracle_register (Dwarf_Frame *frame, const struct machine *machine,
		 unsigned int number, uint64_t *value)
{
  Dwarf_Op memory[3], *ops;
  size_t count;

  if (dwarf_frame_register (frame, number, memory, &ops, &count) != 0)
    return told_unevaluated;
  if (count == 0 && ops == memory)
    return told_undefined;
  if (count == 0)
    {
      *value = register_of (machine, number);
      return told_unchanged;
    }
  return compute (machine, ops, count, true, value);
}

/* libdw, which adds rules of the ABI where a table has none, takes the number
   of RAX for that of RBX.  */
static enum told
corrected (enum told told, unsigned int number)
{
#ifdef __x86_64__
  if (told == told_unchanged && number == 0)
    return told_undefined;
  if (told == told_undefined && number == 3)
    return told_unchanged;
#endif
  return told;
}

static void
tell (const struct image *image, uintptr_t pc, const char *what,
      unsigned int number)
{
  if (total.different++ < 20)
    printf ("%s: at %#lx: %s %u\n", image->name,
	    (unsigned long int) (pc - image->base), what, number);
}

/* Compare the caller's registers.  */
static void
compare_registers (const struct image *image, uintptr_t pc,
		   const struct sframe_registers *caller, Dwarf_Frame *frame,
		   const struct machine *machine, unsigned int ra, bool signal)
{
  uint64_t value = 0;

  for (unsigned int i = 0; i < SFRAME_MACHINE_REGISTERS; ++i)
    switch (corrected (oracle_register (frame, machine, i, &value), i))
      {
      case told_unchanged:
	value = machine->registers->value[i];
	/* Fall through.  */
      case told_value:
	if ((caller->known & UINT64_C (1) << i) == 0)
	  tell (image, pc, "not known: register", i);
	else if (caller->value[i] != value)
	  tell (image, pc, "another value of register", i);
	break;
      case told_undefined:
	/* libdw leaves alone what it is not told of a signal frame, too.  */
	if (!signal && (caller->known & UINT64_C (1) << i) != 0)
	  tell (image, pc, "known, and should not be: register", i);
	break;
      default:
	++total.unevaluated;
      }
  if (oracle_register (frame, machine, ra, &value) != told_value)
    tell (image, pc, "a return address in column", ra);
  else if (caller->pc != value)
    tell (image, pc, "another return address in column", ra);
}

/* Compare the step to CALLER that took STATUS with one by RULE, which was told
   for the same frame in *REGISTERS.  */
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
  enum sframe_eh_status status = __sframe_eh_find (&image->table, pc, &entry);

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

/* Go through the rows of the function at START, which ends at or before
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
    {
      struct sframe_registers registers;
      make_registers (&registers, image->base + pc);
      enum sframe_eh_status status
	= step_at (image, image->base + pc, &registers);
      /* An entry for no bytes, or one that libdw rejects.  */
      understood = status != SFRAME_EH_NOT_UNDERSTOOD;
      if (status == SFRAME_EH_OK)
	tell (image, image->base + pc, "libdw has no row; ours is", status);
    }
  total.understood += understood;
  if (!understood)
    printf ("%s: not understood: function at %#lx\n", image->name,
	    (unsigned long int) start);
}

/* The table's pairs of 4-byte offsets, read here once more.  */
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
	printf ("%s: %s\n", name, dwarf_errmsg (-1));
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
  for (int i = 1; i < argc; ++i)
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
  good = good && total.understood * 1000 >= total.entries * 999;
  printf ("%s: 99.9 %% of the entries are understood\n",
	  good ? "PASS" : "FAIL");
  if (total.steps > 1000)
    {
      good = good && total.simple * 10 >= total.steps * 9;
      printf ("%s: nine in ten steps can be remembered\n",
	      good ? "PASS" : "FAIL");
    }
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
