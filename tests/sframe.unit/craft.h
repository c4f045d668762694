/* Build an SFrame section byte by byte, and look it up at the edge of readable
   memory.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The offsets and bits below are those of the tables in the specification's
   chapter "SFrame Section", not those of sframe-format.h: otherwise a mistake
   there would not be detected.  The byte order is that of the machine.  */

#ifndef CRAFT_H
#define CRAFT_H

#include <sframe-read.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "check.h"

/* Offsets in the header.  */
enum
{
  AT_MAGIC = 0, AT_VERSION = 2, AT_FLAGS = 3, AT_ABI = 4, AT_FIXED_FP = 5,
  AT_FIXED_RA = 6, AT_AUXILIARY_LENGTH = 7, AT_FDE_COUNT = 8,
  AT_FRE_COUNT = 12, AT_FRE_LENGTH = 16, AT_FDE_OFFSET = 20,
  AT_FRE_OFFSET = 24, HEADER_SIZE = 28
};

/* Offsets in an FDE and in an attribute.  */
enum
{
  FDE_START = 0, FDE_LENGTH = 8, FDE_ATTRIBUTE = 12, FDE_SIZE = 16,
  ATTRIBUTE_COUNT = 0, ATTRIBUTE_INFO = 2, ATTRIBUTE_INFO2 = 3,
  ATTRIBUTE_REPETITION = 4, ATTRIBUTE_SIZE = 5
};

enum { SORTED = 1, PCREL = 4 };
enum { AARCH64 = 2, AMD64 = 3, S390X = 4 };
/* FDE info byte.  */
enum { ADDR1 = 0, ADDR2 = 1, ADDR4 = 2, MASK = 0x10, SIGNAL = 0x80 };
/* Second FDE info byte.  */
enum { DEFAULT = 0, FLEXIBLE = 1 };
/* FRE info byte: base register and size of the words.  */
enum { BASE_FP = 0, BASE_SP = 1, WORD1 = 0 << 5, WORD2 = 1 << 5,
       WORD4 = 2 << 5, WORD_BAD = 3 << 5 };
/* Control word of a flexible rule.  */
enum { IS_REGISTER = 1, IN_MEMORY = 2 };
#define CONTROL(reg, bits) ((reg) << 3 | (bits))

/* Numbers for SP and FP that no ABI uses, so that a test fails if a reader
   ignores its arguments; a reader without such arguments defines its own.  */
#ifndef CRAFT_SP
# define CRAFT_SP 77
# define CRAFT_FP 66
#endif
enum { SP = CRAFT_SP, FP = CRAFT_FP };

enum { FUNCTIONS_MAX = 64, FRES_MAX = 1 << 21 };

struct function
{
  int64_t start;		/* From the start of the section.  */
  uint32_t length;
  uint32_t attribute;		/* Offset in the FRE sub-section.  */
};

/* The section being built.  Members may be set between begin and finish;
   BYTES may be changed in place afterwards.  */
static struct
{
  unsigned int abi;
  uint8_t flags;
  int8_t fixed_fp, fixed_ra;
  uint8_t auxiliary_length;
  /* Bytes between header and index.  */
  uint32_t index_gap;
  unsigned int function_count;
  unsigned int row_count;
  struct function functions[FUNCTIONS_MAX];
  uint32_t fre_length;
  unsigned char fres[FRES_MAX];
  /* Set by finish.  */
  size_t index_at, fres_at, size;
  unsigned char bytes[FRES_MAX + 4096];
} craft;

static inline void
poke (size_t at, uint64_t value, size_t width)
{
  union { uint8_t b; uint16_t h; uint32_t w; uint64_t d; } v;

  require (at + width <= sizeof craft.bytes, "room in the section");
  switch (width)
    {
    case 1: v.b = value; break;
    case 2: v.h = value; break;
    case 4: v.w = value; break;
    default: v.d = value;
    }
  memcpy (craft.bytes + at, &v, width);
}

static inline void
begin (unsigned int abi)
{
  memset (&craft, 0, sizeof craft);
  craft.abi = abi;
  craft.flags = SORTED | PCREL;
  craft.fixed_ra = abi == AMD64 ? -8 : 0;
}

/* Append VALUE to the FRE sub-section.  */
static inline void
emit (uint64_t value, size_t width)
{
  require (craft.fre_length + width <= FRES_MAX, "room for FREs");
  poke (0, value, width);
  memcpy (craft.fres + craft.fre_length, craft.bytes, width);
  craft.fre_length += width;
}

/* Begin a function of LENGTH bytes at START.  */
static inline void
function (int64_t start, uint32_t length, uint8_t info, uint8_t info2,
	  uint8_t repetition)
{
  require (craft.function_count < FUNCTIONS_MAX, "room for FDEs");
  craft.functions[craft.function_count++]
    = (struct function) { start, length, craft.fre_length };
  emit (0, 2);
  emit (info, 1);
  emit (info2, 1);
  emit (repetition, 1);
}

static inline struct function *
last_function (void)
{
  return &craft.functions[craft.function_count - 1];
}

/* Append a row to the last function.  INFO gives base register and word
   size; the COUNT words are cut to that size.  */
static inline void
row_words (uint32_t start, uint8_t info, const int64_t *words, size_t count)
{
  unsigned char *attribute = craft.fres + last_function ()->attribute;
  uint16_t rows;

  memcpy (&rows, attribute, sizeof rows);
  ++rows;
  memcpy (attribute, &rows, sizeof rows);
  ++craft.row_count;

  emit (start, (size_t) 1 << (attribute[ATTRIBUTE_INFO] & 3));
  emit (info | count << 1, 1);
  for (size_t i = 0; i < count; ++i)
    emit (words[i], (size_t) 1 << (info >> 5 & 3));
}

#define ROW(start, info, ...)						\
  row_words (start, info, (const int64_t[]) { __VA_ARGS__ },		\
	     sizeof ((const int64_t[]) { __VA_ARGS__ }) / sizeof (int64_t))
#define EMPTY_ROW(start, info) row_words (start, info, NULL, 0)

static inline void
write_header (void)
{
  poke (AT_MAGIC, 0xdee2, 2);
  poke (AT_VERSION, 3, 1);
  poke (AT_FLAGS, craft.flags, 1);
  poke (AT_ABI, craft.abi, 1);
  poke (AT_FIXED_FP, craft.fixed_fp, 1);
  poke (AT_FIXED_RA, craft.fixed_ra, 1);
  poke (AT_AUXILIARY_LENGTH, craft.auxiliary_length, 1);
  poke (AT_FDE_COUNT, craft.function_count, 4);
  poke (AT_FRE_COUNT, craft.row_count, 4);
  poke (AT_FRE_LENGTH, craft.fre_length, 4);
  size_t base = HEADER_SIZE + craft.auxiliary_length;
  poke (AT_FDE_OFFSET, craft.index_at - base, 4);
  poke (AT_FRE_OFFSET, craft.fres_at - base, 4);
}

/* Lay the section out in BYTES.  The gap before the FRE sub-section makes the
   size a multiple of 8, so that a section that ends with a page is
   aligned.  */
static inline void
finish (void)
{
  memset (craft.bytes, 0xee, 4096);
  craft.index_at = HEADER_SIZE + craft.auxiliary_length + craft.index_gap;
  size_t index_end = craft.index_at + craft.function_count * FDE_SIZE;
  craft.size = (index_end + craft.fre_length + 7) & -8;
  craft.fres_at = craft.size - craft.fre_length;
  write_header ();

  for (unsigned int i = 0; i < craft.function_count; ++i)
    {
      const struct function *f = &craft.functions[i];
      size_t at = craft.index_at + i * FDE_SIZE;
      uint64_t origin = craft.flags & PCREL ? at : 0;
      poke (at + FDE_START, (uint64_t) f->start - origin, 8);
      poke (at + FDE_LENGTH, f->length, 4);
      poke (at + FDE_ATTRIBUTE, f->attribute, 4);
    }
  memcpy (craft.bytes + craft.fres_at, craft.fres, craft.fre_length);
}

/* Where in BYTES member MEMBER of FDE number INDEX and of its attribute
   lie.  */
static inline size_t
in_fde (unsigned int index, size_t member)
{
  return craft.index_at + index * FDE_SIZE + member;
}

static inline size_t
in_attribute (unsigned int index, size_t member)
{
  return craft.fres_at + craft.functions[index].attribute + member;
}

/* Where a copy of the section lies while it is read.  */
enum placement { AT_END_OF_PAGE, AT_START_OF_PAGE, ON_HEAP, PLACEMENTS };

struct placed
{
  unsigned char *start;
  unsigned char *mapping;
  size_t mapping_size;
};

/* Copy the section into readable memory between two unreadable pages.  If its
   size is not a multiple of 4, up to 3 readable bytes follow it.
   AddressSanitizer also detects an access to these in a copy on the heap.  */
static inline struct placed
place (enum placement where)
{
  struct placed placed = { NULL, NULL, 0 };

  if (where == ON_HEAP)
    {
      placed.start = malloc (craft.size);
      require (placed.start != NULL, "malloc");
      memcpy (placed.start, craft.bytes, craft.size);
      return placed;
    }
  size_t page = sysconf (_SC_PAGESIZE);
  size_t inside = (craft.size + page - 1) / page * page;
  placed.mapping_size = inside + 2 * page;
  placed.mapping = mmap (NULL, placed.mapping_size, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require (placed.mapping != MAP_FAILED, "mmap");
  require (mprotect (placed.mapping + page, inside,
		     PROT_READ | PROT_WRITE) == 0, "mprotect");
  placed.start = placed.mapping + page;
  if (where == AT_END_OF_PAGE)
    placed.start += (inside - craft.size) & -4;
  memcpy (placed.start, craft.bytes, craft.size);
  return placed;
}

static inline void
unplace (const struct placed *placed)
{
  if (placed->mapping != NULL)
    munmap (placed->mapping, placed->mapping_size);
  else
    free (placed->start);
}

/* Read the header at START for the ABI being crafted.  Whatever *SECTION held
   before, a refused header must leave it zero.  */
static inline enum sframe_header_status
checked_header (const void *start, uint64_t size,
		struct sframe_section *section)
{
  static const struct sframe_section none;

  memset (section, 0xa5, sizeof *section);
  enum sframe_header_status status
    = __sframe_read_header (start, size, craft.abi, section);
  if (status != SFRAME_HEADER_OK)
    CHECK (section->start == none.start && section->fdes == none.fdes
	   && section->fres == none.fres && section->fde_count == 0
	   && section->fre_length == 0 && section->flags == 0
	   && section->abi == 0 && section->fixed_fp_offset == 0
	   && section->fixed_ra_offset == 0);
  return status;
}

/* The status of the section's header, the same at every placement.  */
static inline enum sframe_header_status
header_status (void)
{
  enum sframe_header_status statuses[PLACEMENTS];

  for (int where = 0; where < PLACEMENTS; ++where)
    {
      struct sframe_section section;
      struct placed placed = place (where);
      statuses[where] = checked_header (placed.start, craft.size, &section);
      unplace (&placed);
      CHECK (statuses[where] == statuses[0]);
    }
  return statuses[0];
}

static inline bool
equal_place (const struct sframe_place *a, const struct sframe_place *b)
{
  if (a->kind != b->kind)
    return false;
  if (a->kind == SFRAME_UNCHANGED)
    return true;
  if (a->kind >= SFRAME_REGISTER_VALUE && a->reg != b->reg)
    return false;
  return a->offset == b->offset;
}

static inline bool
equal_rule (const struct sframe_rule *a, const struct sframe_rule *b)
{
  if (a->outermost != b->outermost || a->signal != b->signal)
    return false;
  return (a->outermost
	  || (equal_place (&a->cfa, &b->cfa) && equal_place (&a->ra, &b->ra)
	      && equal_place (&a->fp, &b->fp)));
}

/* Look PC up; the answer is the same at every placement and whatever *RULE
   held before: once that looks like a rule.  */
static inline enum sframe_find_status
find (uint64_t pc, struct sframe_rule *rule)
{
  enum sframe_find_status statuses[PLACEMENTS];
  struct sframe_rule rules[PLACEMENTS];

  for (int where = 0; where < PLACEMENTS; ++where)
    {
      struct sframe_section section;
      struct placed placed = place (where);
      memset (&rules[where], where == 0 ? SFRAME_REGISTER_VALUE : 0x5a + where,
	      sizeof rules[where]);
      CHECK (checked_header (placed.start, craft.size, &section)
	     == SFRAME_HEADER_OK);
      statuses[where] = SFRAME_NOT_FOUND;
      if (section.start != NULL)
	statuses[where] = __sframe_find_rule (&section, pc, SP, FP,
					      &rules[where]);
      unplace (&placed);
      CHECK (statuses[where] == statuses[0]);
      if (statuses[where] == SFRAME_FOUND)
	{
	  CHECK (equal_rule (&rules[where], &rules[0]));
	  CHECK (rules[where].outermost || rules[where].repeated
		 || rules[where].block_offset == 0);
	}
    }
  *rule = rules[0];
  return statuses[0];
}

static inline enum sframe_find_status
find_status (uint64_t pc)
{
  struct sframe_rule rule;
  return find (pc, &rule);
}

/* The CFA offset of the row that covers PC; NO_ROW if none does.  */
enum { NO_ROW = INT32_MIN };

static inline int32_t
find_cfa (uint64_t pc)
{
  struct sframe_rule rule;

  if (find (pc, &rule) != SFRAME_FOUND || rule.outermost)
    return NO_ROW;
  return rule.cfa.offset;
}

static inline bool
find_outermost (uint64_t pc)
{
  struct sframe_rule rule;
  return find (pc, &rule) == SFRAME_FOUND && rule.outermost;
}

#endif /* CRAFT_H  */
