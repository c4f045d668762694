/* Steps by a damaged .eh_frame: no fault, and no result that contradicts
   itself.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: fuzz NAME FILE COUNT [FIRST]

   COUNT times, some entries of the .eh_frame of FILE are put into a small
   table of their own, damaged and used for steps.  Input number N depends only
   on N and FILE.  If the program dies, it prints N, and "fuzz NAME FILE 1 N"
   repeats that input.  Compiled with -DFUZZ_ENTRY_ONLY it has no main, for
   libFuzzer.

   The sanitizers detect reads outside the table and undefined arithmetic.
   check_entry and check_step have the other conditions on a result.  */

#include <sanitizer/common_interface_defs.h>
#include <sframe-eh-step.h>
#include <sframe-machine.h>

#include "../sframe.unit/chance.h"
#include "../sframe.unit/fuzz-input.h"
#include "image.h"

/* The start of the code, relative to the table, and the size of each function.
   The encodings are defined here for the reason given in eh-craft.h.  */
enum { CODE = 0x100000, CODE_SIZE = 0x10000, FUNCTIONS_MAX = 6 };
enum { PCREL_SDATA4 = 0x1b, UDATA4 = 3, DATAREL_SDATA4 = 0x3b };
enum { HEADER_SIZE = 12, PAIR_SIZE = 8 };
#if defined __x86_64__
enum { RA_COLUMN = 16 };
#elif defined __s390x__
enum { RA_COLUMN = 14 };
#elif defined __aarch64__
enum { RA_COLUMN = 30 };
#endif

/* Results by status, so that a run that only ever meets one fails.  */
static unsigned long int results[SFRAME_EH_BROKEN + 1];

static bool
inside (const struct sframe_eh_bytes *bytes,
	const struct sframe_eh_bytes *memory)
{
  return (bytes->at >= memory->at && bytes->at <= bytes->end
	  && bytes->end <= memory->end);
}

static void
check_entry (const struct sframe_eh_table *table,
	     const struct sframe_eh_entry *entry, uintptr_t pc)
{
  hold (pc - entry->start < entry->size, "the entry is for the PC");
  hold (inside (&entry->initial, &table->memory)
	&& inside (&entry->program, &table->memory), "entry in the table");
  hold (entry->ra_column < SFRAME_EH_COLUMNS, "return address column");
}

static void
check_row (const struct sframe_eh_table *table,
	   const struct sframe_eh_row *row)
{
  for (unsigned int i = 0; i < SFRAME_EH_COLUMNS; ++i)
    {
      hold (row->rule[i] <= SFRAME_EH_EXPRESSION_MEMORY, "rule");
      if (row->rule[i] >= SFRAME_EH_EXPRESSION_VALUE)
	hold (row->operand[i] >= (uintptr_t) table->memory.at
	      && row->operand[i] < (uintptr_t) table->memory.end,
	      "expression in the table");
    }
}

/* Whether a step by ENTRY and ROW may have left SP alone: the frame was
   interrupted, or had RA in a register or its caller's save area.  */
static bool
can_keep_sp (const struct sframe_registers *before,
	     const struct sframe_registers *after,
	     const struct sframe_eh_entry *entry,
	     const struct sframe_eh_row *row)
{
  return (SFRAME_MACHINE_SAVE_AREA || before->interrupted
	  || row->rule[entry->ra_column] == SFRAME_EH_IN_REGISTER
	  || ((before->known & ~after->known) >> entry->ra_column & 1) != 0);
}

static void
check_step (const struct sframe_registers *before,
	    const struct sframe_registers *after,
	    const struct sframe_eh_entry *entry,
	    const struct sframe_eh_row *row)
{
  uintptr_t old = before->value[SFRAME_MACHINE_SP];
  uintptr_t sp = after->value[SFRAME_MACHINE_SP];

  hold (after->known >> SFRAME_MACHINE_REGISTERS == 0, "registers known");
  hold ((after->known >> SFRAME_MACHINE_SP & 1) != 0, "SP is known");
  hold (after->interrupted == entry->signal, "interrupted by a signal");
  /* One stack, on which the caller is above.  */
  if (!entry->signal)
    hold (sp > old || (sp == old && can_keep_sp (before, after, entry, row)),
	  "SP rises");
}

/* Step from PC.  REGISTERS lacks some that are random.  */
static enum sframe_eh_status
step (const struct sframe_eh_table *table, uintptr_t pc, uint64_t seed,
      struct sframe_registers *registers)
{
  struct sframe_stack stack
    = { .unreadable = word_at (seed), .same_stack = true };
  struct sframe_eh_entry entry;
  struct sframe_eh_row row;

  enum sframe_eh_status status = __sframe_eh_find (table, pc, &entry);
  if (status != SFRAME_EH_OK)
    return status;
  check_entry (table, &entry, pc);
  status = __sframe_eh_find_row (&entry, pc, &row);
  if (status != SFRAME_EH_OK)
    return status;
  check_row (table, &row);

  memset (registers, 0, sizeof *registers);
  for (unsigned int i = 0; i < SFRAME_MACHINE_REGISTERS; ++i)
    registers->value[i] = word_at (seed + i);
  registers->value[SFRAME_MACHINE_SP] = UINT64_C (1) << 40;
  registers->known = word_at (seed + 99) >> 32 & word_at (seed + 98) >> 32;
  registers->known |= UINT64_C (1) << SFRAME_MACHINE_SP;
  registers->known &= (UINT64_C (1) << SFRAME_MACHINE_REGISTERS) - 1;
  registers->pc = pc;
  registers->interrupted = seed % 2;
  struct sframe_registers before = *registers;
  status = __sframe_eh_step (registers, &entry, &row, &stack);
  if (status == SFRAME_EH_OK)
    check_step (&before, registers, &entry, &row);
  return status;
}

/* The same twice, over different garbage.  */
static void
step_twice (const struct sframe_eh_table *table, uintptr_t pc, uint64_t seed)
{
  struct sframe_registers first, second;

  enum sframe_eh_status status = step (table, pc, seed, &first);
  hold (status <= SFRAME_EH_BROKEN, "status");
  ++results[status];
  hold (step (table, pc, seed, &second) == status, "same status twice");
  if (status != SFRAME_EH_OK)
    return;
  hold (first.pc == second.pc && first.known == second.known,
	"same step twice");
  for (unsigned int i = 0; i < SFRAME_MACHINE_REGISTERS; ++i)
    hold ((first.known >> i & 1) == 0 || first.value[i] == second.value[i],
	  "same registers twice");
}

/* Where the records begin: after the table, or at the end if that does not
   fit.  */
static size_t
records_offset (const unsigned char *bytes, size_t size)
{
  uint32_t count;

  if (size < HEADER_SIZE)
    return size;
  memcpy (&count, bytes + 8, sizeof count);
  size_t offset = HEADER_SIZE + (size_t) count * PAIR_SIZE;
  return offset < size ? offset : size;
}

/* Step from some places of each function that starts at CODE or above.  */
static void
step_everywhere (const struct sframe_eh_table *table, uintptr_t code,
		 size_t size)
{
  static const unsigned int offsets[]
    = { 0, 1, 4, 11, 40, 200, 1000, CODE_SIZE - 1 };

  for (unsigned int i = 0; i < FUNCTIONS_MAX; ++i)
    for (size_t j = 0; j < sizeof offsets / sizeof offsets[0]; ++j)
      step_twice (table, code + i * CODE_SIZE + offsets[j],
		  size + i * 16 + j);
  step_twice (table, 0, 1);
  step_twice (table, UINTPTR_MAX, 2);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  unsigned char *bytes = malloc (size);
  uintptr_t code = (uintptr_t) bytes + CODE;

  hold (bytes != NULL || size == 0, "memory");
  if (size > 0)
    memcpy (bytes, data, size);
  struct sframe_eh_table table
    = { .header = bytes, .header_size = size,
	.memory = { bytes, bytes + size } };
  step_everywhere (&table, code, size);
  /* The same without the search table.  */
  table.header = NULL;
  table.records = bytes + records_offset (bytes, size);
  step_everywhere (&table, code, size);
  free (bytes);
  return 0;
}

#ifndef FUZZ_ENTRY_ONLY

/* The input being made.  */
enum { INPUT_MAX = 1 << 16, RECORD_MAX = 4096 };
static unsigned char input[INPUT_MAX];
static size_t input_size;

/* The undamaged table.  */
static struct image whole;

static uint32_t
load (const unsigned char *at)
{
  uint32_t value;

  memcpy (&value, at, sizeof value);
  return value;
}

static void
store (size_t at, uint32_t value)
{
  memcpy (input + at, &value, sizeof value);
}

/* Append the record at FROM, its length included, and return where.  */
static size_t
copy_record (const unsigned char *from)
{
  size_t at = input_size, size = 4 + load (from);

  hold (at + size <= INPUT_MAX, "room for an input");
  memcpy (input + at, from, size);
  input_size += size;
  return at;
}

/* Append function number INDEX of the whole table as number TO.  Return
   whether it has the usual size and encoding.  */
static bool
copy_function (uint32_t index, uint32_t to)
{
  const unsigned char *header = whole.table.header;
  const unsigned char *fde
    = header + (int32_t) load (header + HEADER_SIZE + index * PAIR_SIZE + 4);
  const unsigned char *cie = fde + 4 - load (fde + 4);

  if (load (fde) > RECORD_MAX || load (cie) > RECORD_MAX
      || memchr (cie + 9, PCREL_SDATA4, 16) == NULL)
    return false;
  size_t cie_at = copy_record (cie);
  size_t fde_at = copy_record (fde);
  store (fde_at + 4, fde_at + 4 - cie_at);
  store (fde_at + 8, CODE + to * CODE_SIZE - (fde_at + 8));
  if (load (input + fde_at + 12) > CODE_SIZE)
    store (fde_at + 12, CODE_SIZE);
  store (HEADER_SIZE + to * PAIR_SIZE, CODE + to * CODE_SIZE);
  store (HEADER_SIZE + to * PAIR_SIZE + 4, fde_at);
  return true;
}

/* Make the input of up to COUNT functions of the whole table.  */
static void
cut_out (uint32_t count)
{
  uint32_t all = load (whole.table.header + 8), to = 0;

  input_size = HEADER_SIZE + count * PAIR_SIZE;
  memset (input, 0, input_size);
  memcpy (input, (unsigned char[]) { 1, PCREL_SDATA4, UDATA4,
				     DATAREL_SDATA4 }, 4);
  for (uint32_t tries = 0; tries < 4 * count && to < count; ++tries)
    to += copy_function (below (all), to);
  store (8, to);
  /* The end of the records.  */
  store (input_size, 0);
  input_size += 4;
}

/* Values that have most effects: opcodes at the ends of their ranges, lengths,
   large numbers.  */
static const unsigned char values[] =
  {
    0, 1, 2, 4, 0x0a, 0x0b, 0x0c, 0x0f, 0x10, 0x11, 0x16, 0x2f, 0x3f, 0x40,
    0x7f, 0x80, 0x81, 0x90, 0xc0, 0xc7, 0xff
  };

static void
damage (void)
{
  size_t at = below (4) == 0 ? below (input_size)
	      : HEADER_SIZE + below (input_size - HEADER_SIZE);
  size_t cut;

  switch (below (9))
    {
    case 0:
      input[at] = next_random ();
      break;
    case 1:
      input[at] ^= 1 << below (8);
      break;
    case 2:
      input[at] += below (9) - 4;
      break;
    case 3:
      if (at + 4 <= input_size)
	store (at, load (input + at) + below (65) - 32);
      break;
    case 4:
      /* Shift the following bytes, as an operand of another length does.  */
      memmove (input + at, input + at + 1, input_size - at - 1);
      break;
    case 5:
      cut = below (below (4) == 0 ? input_size : 16);
      input_size = (cut + HEADER_SIZE < input_size
		    ? input_size - cut : HEADER_SIZE + 1);
      break;
    case 6:
      /* An undefined return address, which ends a trace.  */
      if (at + 2 <= input_size)
	memcpy (input + at, (unsigned char[]) { 7, RA_COLUMN }, 2);
      break;
    default:
      input[at] = values[below (sizeof values)];
    }
}

static void
run_input (uint64_t number)
{
  current = number;
  random_state = (number + 1) * UINT64_C (0x9e3779b97f4a7c15);
  cut_out (1 + below (FUNCTIONS_MAX));
  /* One in 16 stays whole.  */
  if (below (16) != 0)
    for (uint64_t times = 1 + below (8); times > 0; --times)
      damage ();
  LLVMFuzzerTestOneInput (input, input_size);
}

/* Every status must have been met, or the inputs are too good or too
   bad.  */
static bool
all_met (void)
{
  bool all = true;

  printf ("by status:");
  for (int i = 0; i <= SFRAME_EH_BROKEN; ++i)
    {
      printf (" %lu", results[i]);
      all = all && results[i] > 0;
    }
  printf ("\n");
  return all;
}

int
main (int argc, char **argv)
{
  if (argc != 4 && argc != 5)
    {
      fputs ("Usage: fuzz NAME FILE COUNT [FIRST]\n", stderr);
      return 2;
    }
  uint64_t count = strtoull (argv[3], NULL, 10);
  uint64_t first = argc == 5 ? strtoull (argv[4], NULL, 10) : 0;

  hold (image_load (&whole, argv[2]), "the file has a table");
  hold (whole.table.header[3] == DATAREL_SDATA4, "of the usual kind");
  __sanitizer_set_death_callback (tell_current);
  for (uint64_t i = first; i < first + count; ++i)
    run_input (i);
  /* Single inputs are for the debugger.  */
  bool good = all_met () || argc == 5;
  printf ("%s: %s\n", good ? "PASS" : "FAIL", argv[1]);
  image_unload (&whole);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif /* FUZZ_ENTRY_ONLY  */
