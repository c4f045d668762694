/* libc's SFrame reader at every PC of sections that libFuzzer makes.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The input is a section, whose header names the machine.  It is looked up in
   two copies: each ends where readable memory ends, and the second one has
   only the alignment that the format demands.  Both must give the same rule
   for each PC, twice and with different contents of the result before: the
   rule depends only on the bytes of the section.  Independently of the reader,
   this file finds the functions, by the header of binutils.  */

#include <sframe.h>
#include <sframe-read.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hold.h"

/* PCs of one function, and functions, that are looked up at most.  */
enum { PCS_MAX = 80, FUNCTIONS_MAX = 8 };
/* How the second copy is aligned.  */
enum { ALIGNMENT = 4 };

struct copy
{
  unsigned char *memory;
  unsigned char *bytes;
  size_t size;
  enum sframe_header_status status;
  struct sframe_section section;
};

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static unsigned int
abi_of (const struct copy *copy)
{
  size_t at = offsetof (struct sframe_header, sfh_abi_arch);

  return copy->size > at ? copy->bytes[at] : 0;
}

static void
open_copy (struct copy *copy, const uint8_t *data, size_t size, size_t gap)
{
  copy->memory = malloc (gap + size);
  copy->bytes = copy->memory + gap;
  copy->size = size;
  memset (copy->memory, 0xa5, gap);
  if (size > 0)
    memcpy (copy->bytes, data, size);
  copy->status = __sframe_read_header (copy->bytes, size, abi_of (copy),
				       &copy->section);
}

struct function
{
  uint64_t start;		/* From the start of the section.  */
  uint32_t size;
};

static struct function
function_of (const struct sframe_section *section, uint32_t index)
{
  struct sframe_header header;
  struct sframe_func_desc_idx_v3 fde;
  const unsigned char *at = section->start;

  memcpy (&header, at, sizeof header);
  at += (sizeof header + header.sfh_auxhdr_len + header.sfh_fdeoff
	 + (size_t) index * sizeof fde);
  memcpy (&fde, at, sizeof fde);
  struct function function = { (uint64_t) fde.sfdi_func_start_offset,
			       fde.sfdi_func_size };
  if ((header.sfh_preamble.sfp_flags & SFRAME_F_FDE_FUNC_START_PCREL) != 0)
    function.start += (uint64_t) (at - section->start);
  return function;
}

static uint32_t
count_functions (const struct sframe_section *section)
{
  struct sframe_header header;

  memcpy (&header, section->start, sizeof header);
  return header.sfh_num_fdes;
}

/* Whether a function covers PC, by the definition rather than by a search.  */
static bool
covered (const struct sframe_section *section, uint64_t pc)
{
  for (uint32_t i = 0; i < count_functions (section); ++i)
    {
      struct function function = function_of (section, i);
      if (pc - function.start < function.size)
	return true;
    }
  return false;
}

static void
check_place (const struct sframe_place *place)
{
  hold (place->kind <= SFRAME_REGISTER_MEMORY, "kind of a place");
  hold (place->kind < SFRAME_REGISTER_VALUE
	|| place->reg <= SFRAME_REGISTER_MAX, "number of a register");
}

/* Clear the members of RULE that are undefined.  */
static void
normalize (struct sframe_rule *rule)
{
  struct sframe_place *places[] = { &rule->cfa, &rule->ra, &rule->fp };
  struct sframe_rule clean = { .outermost = rule->outermost,
			       .signal = rule->signal,
			       .repeated = rule->repeated,
			       .block_offset = rule->block_offset };
  struct sframe_place *to[] = { &clean.cfa, &clean.ra, &clean.fp };

  for (int i = 0; i < 3 && !rule->outermost; ++i)
    {
      to[i]->kind = places[i]->kind;
      if (places[i]->kind != SFRAME_UNCHANGED)
	to[i]->offset = places[i]->offset;
      if (places[i]->kind >= SFRAME_REGISTER_VALUE)
	to[i]->reg = places[i]->reg;
    }
  *rule = clean;
}

static void
check_rule (const struct sframe_section *section, uint64_t pc,
	    const struct sframe_rule *rule)
{
  hold (covered (section, pc), "a rule is of a function around the PC");
  hold (rule->repeated || rule->block_offset == 0, "offset into a block");
  if (rule->outermost)
    return;
  hold (rule->cfa.kind >= SFRAME_REGISTER_VALUE, "CFA from a register");
  check_place (&rule->cfa);
  check_place (&rule->ra);
  check_place (&rule->fp);
}

/* Look PC up in COPY; *RULE is garbage made of FILL.  */
static enum sframe_find_status
look_up (const struct copy *copy, uint64_t pc, int fill,
	 struct sframe_rule *rule)
{
  bool s390x = abi_of (copy) == SFRAME_ABI_S390X_ENDIAN_BIG;

  memset (rule, fill, sizeof *rule);
  enum sframe_find_status status
    = __sframe_find_rule (&copy->section, pc, s390x ? 15 : 7, s390x ? 11 : 6,
			  rule);
  hold (status <= SFRAME_CORRUPT, "status");
  if (status == SFRAME_FOUND)
    {
      check_rule (&copy->section, pc, rule);
      normalize (rule);
    }
  return status;
}

static bool
same_place (const struct sframe_place *a, const struct sframe_place *b)
{
  return a->kind == b->kind && a->reg == b->reg && a->offset == b->offset;
}

static bool
same_rule (const struct sframe_rule *a, const struct sframe_rule *b)
{
  return (same_place (&a->cfa, &b->cfa) && same_place (&a->ra, &b->ra)
	  && same_place (&a->fp, &b->fp) && a->outermost == b->outermost
	  && a->signal == b->signal && a->repeated == b->repeated
	  && a->block_offset == b->block_offset);
}

static void
compare (const struct copy *copies, uint64_t pc)
{
  struct sframe_rule first, second;
  enum sframe_find_status status = look_up (&copies[0], pc, 0, &first);

  for (int i = 0; i < 2; ++i)
    {
      hold (look_up (&copies[i], pc, 1, &second) == status, "same status");
      hold (status != SFRAME_FOUND || same_rule (&first, &second),
	    "same rule");
    }
}

/* The PCs around the start and the end of each function, and the ends of the
   world.  */
static void
compare_all (const struct copy *copies)
{
  static const uint64_t pcs[] = { 0, INT64_MAX, UINT64_C (1) << 63, -1 };
  const struct sframe_section *section = &copies[0].section;

  for (uint32_t i = 0; i < count_functions (section) && i < FUNCTIONS_MAX; ++i)
    {
      struct function function = function_of (section, i);
      uint64_t pc = function.start - 1;
      for (uint32_t j = 0; j <= function.size && j < PCS_MAX; ++j)
	compare (copies, pc + j);
      compare (copies, pc + function.size);
      compare (copies, pc + function.size + 1);
    }
  for (size_t i = 0; i < sizeof pcs / sizeof pcs[0]; ++i)
    compare (copies, pcs[i]);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  struct copy copies[2], shifted;

  open_copy (&copies[0], data, size, 0);
  open_copy (&copies[1], data, size, ALIGNMENT);
  hold (copies[0].status <= SFRAME_HEADER_COUNTS, "status of the header");
  hold (copies[0].status == copies[1].status, "same status of the header");
  hold ((copies[0].section.start != NULL)
	== (copies[0].status == SFRAME_HEADER_OK),
	"a section if and only if the header is good");
  /* Less aligned than the format allows.  */
  open_copy (&shifted, data, size, 1);
  hold (shifted.status != SFRAME_HEADER_OK, "an odd address");
  if (copies[0].status == SFRAME_HEADER_OK)
    compare_all (copies);
  free (copies[0].memory);
  free (copies[1].memory);
  free (shifted.memory);
  return 0;
}
