/* Lookups in damaged sections: no fault, and no result that contradicts
   itself.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: fuzz NAME FILE COUNT [FIRST]

   COUNT times, some functions of the SFrame section of FILE are put into a
   small section of their own, damaged and looked up.  Sections are small so
   that most damage has an effect.  Input number N depends only on N and FILE.
   If the program dies, it prints N, and "fuzz NAME FILE 1 N" repeats that
   input.  Compiled with -DFUZZ_ENTRY_ONLY it has no main, for libFuzzer.

   The sanitizers detect reads outside the section and undefined arithmetic.
   check_result has the other conditions on a result.  */

#include <sframe-read.h>
#include <sanitizer/common_interface_defs.h>

#include "chance.h"
#include "elf-section.h"
#include "fuzz-input.h"

/* Layout of the format, see craft.h for why it is not taken from
   sframe-format.h.  */
enum { AT_ABI = 4, AT_FDE_COUNT = 8, AT_FRE_COUNT = 12, AT_FRE_LENGTH = 16,
       AT_FDE_OFFSET = 20, AT_FRE_OFFSET = 24, HEADER_SIZE = 28 };
enum { FDE_SIZE = 16, ATTRIBUTE_SIZE = 5 };
enum { AMD64 = 3 };
enum { SP = 7, FP = 6 };

/* Results by status, so that a run that only ever meets one fails.  */
static unsigned long int header_results[SFRAME_HEADER_COUNTS + 1];
static unsigned long int find_results[SFRAME_CORRUPT + 1];
static unsigned long int outermost_results;

static uint64_t
load (const unsigned char *p, size_t width)
{
  uint64_t d;
  uint32_t w;
  uint16_t h;

  switch (width)
    {
    case 1:
      return *p;
    case 2:
      memcpy (&h, p, sizeof h);
      return h;
    case 4:
      memcpy (&w, p, sizeof w);
      return w;
    default:
      memcpy (&d, p, sizeof d);
      return d;
    }
}

static void
store (unsigned char *p, uint64_t value, size_t width)
{
  uint32_t w = value;
  uint16_t h = value;

  switch (width)
    {
    case 1:
      *p = value;
      break;
    case 2:
      memcpy (p, &h, sizeof h);
      break;
    case 4:
      memcpy (p, &w, sizeof w);
      break;
    default:
      memcpy (p, &value, sizeof value);
    }
}

/* Start of FDE number INDEX relative to the section.  */
static uint64_t
start_of (const struct sframe_section *section, uint32_t index)
{
  const unsigned char *fde = section->fdes + (uint64_t) index * FDE_SIZE;
  uint64_t origin = section->flags & 4 ? fde - section->start : 0;

  return load (fde, 8) + origin;
}

static uint32_t
size_of (const struct sframe_section *section, uint32_t index)
{
  return load (section->fdes + (uint64_t) index * FDE_SIZE + 8, 4);
}

/* Whether any FDE covers PC, by the definition rather than by a search.  */
static bool
covered (const struct sframe_section *section, uint64_t pc)
{
  for (uint32_t i = 0; i < section->fde_count; ++i)
    if (pc - start_of (section, i) < size_of (section, i))
      return true;
  return false;
}

static void
check_place (const struct sframe_place *place)
{
  hold (place->kind <= SFRAME_REGISTER_MEMORY, "kind of a place");
  if (place->kind >= SFRAME_REGISTER_VALUE)
    hold (place->reg <= SFRAME_REGISTER_MAX, "register number");
}

static void
check_result (const struct sframe_section *section, uint64_t pc,
	      enum sframe_find_status status, const struct sframe_rule *rule)
{
  hold (status <= SFRAME_CORRUPT, "status");
  if (status != SFRAME_FOUND)
    return;
  hold (covered (section, pc), "a rule is of a function around the PC");
  if (rule->outermost)
    return;
  hold (rule->cfa.kind == SFRAME_REGISTER_VALUE
	|| rule->cfa.kind == SFRAME_REGISTER_MEMORY, "CFA from a register");
  check_place (&rule->cfa);
  check_place (&rule->ra);
  check_place (&rule->fp);
}

static bool
equal_place (const struct sframe_place *a, const struct sframe_place *b)
{
  return (a->kind == b->kind
	  && (a->kind == SFRAME_UNCHANGED || a->offset == b->offset)
	  && (a->kind < SFRAME_REGISTER_VALUE || a->reg == b->reg));
}

/* Look PC up among the functions of several PCs.  Which of two functions is
   found in an index that is not sorted is not defined.  */
static void
look_up_among (const struct sframe_section *section, uint64_t pc)
{
  const uint64_t pcs[] = { pc + 1, pc, pc - 0x1000, pc + 0x10000 };
  struct sframe_functions functions;
  struct sframe_rule rule;

  __sframe_find_functions (section, pcs, sizeof pcs / sizeof pcs[0],
			   &functions);
  for (int i = 0; i < 4; ++i)
    {
      enum sframe_find_status status
	= __sframe_find_rule_of (section, &functions, pc, SP, FP, &rule);
      check_result (section, pc, status, &rule);
    }
}

/* Look PC up twice, over different garbage: each member that the caller may
   read must have been written.  */
static void
look_up (const struct sframe_section *section, uint64_t pc)
{
  struct sframe_rule rule, again;

  memset (&rule, 0, sizeof rule);
  memset (&again, 1, sizeof again);
  enum sframe_find_status status
    = __sframe_find_rule (section, pc, SP, FP, &rule);
  hold (__sframe_find_rule (section, pc, SP, FP, &again) == status,
	"same status twice");
  check_result (section, pc, status, &rule);
  look_up_among (section, pc);
  ++find_results[status];
  if (status != SFRAME_FOUND)
    return;
  hold (rule.outermost == again.outermost && rule.signal == again.signal,
	"same flags twice");
  outermost_results += rule.outermost;
  if (!rule.outermost)
    hold (equal_place (&rule.cfa, &again.cfa)
	  && equal_place (&rule.ra, &again.ra)
	  && equal_place (&rule.fp, &again.fp), "same rule twice");
}

/* The edges of functions, some PCs inside, and the ends of the world.  */
static void
look_up_many (const struct sframe_section *section)
{
  static const uint64_t pcs[] = { 0, UINT64_MAX, INT64_MAX,
				  UINT64_C (1) << 63, UINT32_MAX };
  uint32_t step = section->fde_count / 16 + 1;

  for (uint32_t i = 0; i < section->fde_count; i += step)
    {
      uint64_t start = start_of (section, i);
      uint32_t size = size_of (section, i);
      look_up (section, start - 1);
      look_up (section, start);
      for (uint32_t part = 1; part < 4; ++part)
	look_up (section, start + size / 4 * part);
      look_up (section, start + size - 1);
      look_up (section, start + size);
    }
  for (size_t i = 0; i < sizeof pcs / sizeof pcs[0]; ++i)
    look_up (section, pcs[i]);
}

static void
check_view (const struct sframe_section *section,
	    const unsigned char *bytes, size_t size)
{
  size_t fdes = section->fdes - bytes;
  size_t fres = section->fres - bytes;

  hold (section->start == bytes, "start of the section");
  hold (section->fde_count > 0, "an FDE");
  hold (fdes >= HEADER_SIZE && fdes <= size
	&& (size - fdes) / FDE_SIZE >= section->fde_count,
	"index in the section");
  hold (fres >= HEADER_SIZE && fres <= size
	&& size - fres >= section->fre_length,
	"FRE sub-section in the section");
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  struct sframe_section section;
  unsigned int abi = size > AT_ABI ? data[AT_ABI] & 7 : AMD64;
  unsigned char *bytes = malloc (size);

  hold (bytes != NULL || size == 0, "memory");
  if (size > 0)
    memcpy (bytes, data, size);
  enum sframe_header_status status
    = __sframe_read_header (bytes, size, abi, &section);
  hold (status <= SFRAME_HEADER_COUNTS, "header status");
  hold ((section.start != NULL) == (status == SFRAME_HEADER_OK),
	"a section if and only if the header is good");
  ++header_results[status];
  if (status == SFRAME_HEADER_OK)
    {
      check_view (&section, bytes, size);
      look_up_many (&section);
    }
  free (bytes);
  return 0;
}

#ifndef FUZZ_ENTRY_ONLY

/* The input being made.  */
enum { INPUT_MAX = 1 << 20 };
static unsigned char input[INPUT_MAX];
static size_t input_size;

/* The undamaged section.  */
static struct sframe_section whole;

/* Bytes of the attribute and the rows at P, which are undamaged.  */
static size_t
length_of_rows (const unsigned char *p)
{
  const unsigned char *row = p + ATTRIBUTE_SIZE;
  unsigned int address = 1 << (p[2] & 15);

  for (unsigned int count = load (p, 2); count > 0; --count)
    {
      unsigned char info = row[address];
      row += address + 1 + ((info >> 1 & 15) << (info >> 5 & 3));
    }
  return row - p;
}

/* Append function number INDEX of the whole section as number TO of an input
   whose FREs begin at FRES_AT and have FRE_LENGTH bytes so far.  Return the
   bytes that were added.  */
static size_t
copy_function (uint32_t index, uint32_t to, size_t fres_at,
	       size_t fre_length)
{
  const unsigned char *from = whole.fdes + (uint64_t) index * FDE_SIZE;
  unsigned char *fde = input + HEADER_SIZE + to * FDE_SIZE;
  const unsigned char *attribute = whole.fres + load (from + 12, 4);
  size_t length = length_of_rows (attribute);
  uint64_t origin = whole.flags & 4 ? fde - input : 0;

  hold (fres_at + fre_length + length <= INPUT_MAX, "room for an input");
  store (fde, start_of (&whole, index) - origin, 8);
  memcpy (fde + 8, from + 8, 4);
  store (fde + 12, fre_length, 4);
  memcpy (input + fres_at + fre_length, attribute, length);
  return length;
}

/* Make the input of COUNT functions from number FIRST on.  The gap after the
   index lets damage shift the index.  */
static void
cut_out (uint32_t first, uint32_t count)
{
  size_t fres_at = HEADER_SIZE + count * FDE_SIZE + below (4);
  size_t length = 0;
  uint32_t rows = 0;

  memset (input, 0, fres_at);
  memcpy (input, whole.start, HEADER_SIZE);
  for (uint32_t i = 0; i < count; ++i)
    {
      size_t added = copy_function (first + i, i, fres_at, length);
      rows += load (input + fres_at + length, 2);
      length += added;
    }
  store (input + 7, 0, 1);
  store (input + AT_FDE_COUNT, count, 4);
  store (input + AT_FRE_COUNT, rows, 4);
  store (input + AT_FRE_LENGTH, length, 4);
  store (input + AT_FDE_OFFSET, 0, 4);
  store (input + AT_FRE_OFFSET, fres_at - HEADER_SIZE, 4);
  input_size = fres_at + length;
}

/* A byte of the header, of the index or of the FREs, each as likely as the
   others.  */
static size_t
somewhere (void)
{
  size_t fres_at = HEADER_SIZE + load (input + AT_FRE_OFFSET, 4);

  if (input_size <= HEADER_SIZE)
    return below (input_size);
  if (fres_at >= input_size || fres_at <= HEADER_SIZE)
    return HEADER_SIZE + below (input_size - HEADER_SIZE);
  switch (below (4))
    {
    case 0:
      return below (HEADER_SIZE);
    case 1:
      return HEADER_SIZE + below (fres_at - HEADER_SIZE);
    default:
      return fres_at + below (input_size - fres_at);
    }
}

static void
damage_value (void)
{
  static const uint64_t values[] =
    {
      0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff,
      0x80000000, 0xfffffff0, UINT32_MAX, INT64_MAX, UINT64_C (1) << 63
    };
  size_t width = (size_t) 1 << below (4);
  size_t at = somewhere ();

  if (at + width > input_size)
    width = 1;
  if (below (2) == 0)
    store (input + at, values[below (sizeof values / sizeof values[0])],
	   width);
  else
    /* A small change keeps much of the rest meaningful.  */
    store (input + at, load (input + at, width) + below (33) - 16, width);
}

/* Take bytes off the end; half of the time the header learns of it.  */
static void
damage_size (void)
{
  size_t cut = 1 + below (below (4) == 0 ? input_size : 16);

  if (cut >= input_size)
    cut = input_size - 1;
  input_size -= cut;
  if (below (2) == 0 && input_size >= HEADER_SIZE)
    {
      uint32_t length = load (input + AT_FRE_LENGTH, 4);
      store (input + AT_FRE_LENGTH, length > cut ? length - cut : 0, 4);
      store (input + AT_FRE_COUNT, 0, 4);
    }
}

/* Swap two neighbours, as the other byte order has them.  */
static void
damage_order (void)
{
  size_t at = somewhere () & -2;

  if (at + 1 < input_size)
    {
      unsigned char byte = input[at];
      input[at] = input[at + 1];
      input[at + 1] = byte;
    }
}

static void
damage (void)
{
  switch (below (9))
    {
    case 0:
      damage_size ();
      break;
    case 3:
      damage_order ();
      break;
    case 1:
      input[somewhere ()] = next_random ();
      break;
    case 2:
      input[somewhere ()] ^= 1 << below (8);
      break;
    case 4:
      /* Otherwise only few inputs have an index that is not aligned.  */
      input[below (HEADER_SIZE)] ^= 1 << below (8);
      break;
    default:
      damage_value ();
    }
}

static void
run_input (uint64_t number)
{
  current = number;
  random_state = (number + 1) * UINT64_C (0x9e3779b97f4a7c15);
  uint32_t count = 1 + below (6);
  if (count > whole.fde_count)
    count = whole.fde_count;
  cut_out (below (whole.fde_count - count + 1), count);
  /* One in 16 stays whole.  */
  if (below (16) != 0)
    for (uint64_t times = 1 + below (4); times > 0; --times)
      damage ();
  LLVMFuzzerTestOneInput (input, input_size);
}

/* Every status must occur, otherwise the inputs are damaged too little or too
   much.  The ABI is taken from the input, so SFRAME_HEADER_ABI means a number
   over 7.  */
static bool
all_met (void)
{
  bool all = outermost_results > 0;

  printf ("headers:");
  for (int i = 0; i <= SFRAME_HEADER_COUNTS; ++i)
    {
      printf (" %lu", header_results[i]);
      all = all && header_results[i] > 0;
    }
  printf ("\nfound %lu (outermost %lu), not found %lu, corrupt %lu\n",
	  find_results[SFRAME_FOUND], outermost_results,
	  find_results[SFRAME_NOT_FOUND], find_results[SFRAME_CORRUPT]);
  for (int i = 0; i <= SFRAME_CORRUPT; ++i)
    all = all && find_results[i] > 0;
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
  const char *name = argv[1];
  struct elf_section section = read_sframe_section (argv[2]);
  uint64_t count = strtoull (argv[3], NULL, 10);
  uint64_t first = argc == 5 ? strtoull (argv[4], NULL, 10) : 0;

  hold (section.size > AT_ABI
	&& __sframe_read_header (section.bytes, section.size,
				 section.bytes[AT_ABI], &whole)
	   == SFRAME_HEADER_OK, "the file has a good section");
  __sanitizer_set_death_callback (tell_current);
  for (uint64_t i = first; i < first + count; ++i)
    run_input (i);
  /* Single inputs are for the debugger.  */
  bool good = all_met () || argc == 5;
  printf ("%s: %s\n", good ? "PASS" : "FAIL", name);
  free (section.bytes);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif /* FUZZ_ENTRY_ONLY  */
