/* Find the SFrame rule for a PC in a section whose header was checked.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: pure, see sframe-read.h.  The header's promises (sub-sections
   inside the section, sorted index) are taken from struct sframe_section;
   everything else in the bytes is checked here, where it is read.  */

#include <sframe-format.h>
#include <sframe-read.h>
#include <limits.h>
#include <string.h>

/* An FRE that was found: its information byte and its data words, which lie
   inside the FRE sub-section.  */
struct fre
{
  const unsigned char *words;
  unsigned char info;
};

/* Load 1 << LOG2_SIZE bytes at P, of any alignment; LOG2_SIZE is 0, 1 or
   2.  */
static inline uint32_t
load_unsigned (const unsigned char *p, unsigned int log2_size)
{
  uint16_t half;
  uint32_t word;

  switch (log2_size)
    {
    case 0:
      return *p;
    case 1:
      memcpy (&half, p, sizeof half);
      return half;
    default:
      memcpy (&word, p, sizeof word);
      return word;
    }
}

/* Load the four bytes that end where data word INDEX of FRE ends.  Return them
   with the data word in the most significant bits, and store the number of the
   other bits in *REST.  No branch depends on the size of a data word, which
   the processor cannot predict.  FRE must have the data word.  The bytes
   before it are readable: a start address and an information byte precede the
   first data word of an FRE, and the function's attribute precedes these.  */
static inline uint32_t
load_word (const struct fre *fre, unsigned int index, unsigned int *rest)
{
  unsigned int size = SFRAME_FRE_WORD_SIZE (fre->info);
  uint32_t word;

  memcpy (&word, fre->words + ((index + 1) << size) - sizeof word,
	  sizeof word);
  *rest = 32 - (8 << size);
  return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? word << *rest : word;
}

/* Data word INDEX of FRE as a control word and as an offset.  */
static inline uint32_t
control_word (const struct fre *fre, unsigned int index)
{
  unsigned int rest;
  uint32_t word = load_word (fre, index, &rest);
  return word >> rest;
}

static inline int32_t
offset_word (const struct fre *fre, unsigned int index)
{
  unsigned int rest;
  uint32_t word = load_word (fre, index, &rest);
  return (int32_t) word >> rest;
}

/* Whether the start of a function is relative to the field that holds it, not
   to the start of the section.  */
static inline bool
is_pcrel (const struct sframe_section *section)
{
  return (section->flags & SFRAME_F_FDE_FUNC_START_PCREL) != 0;
}

/* The start of the function whose FDE is AT bytes from the start of the
   section, relative to the start of the section.  A nonsensical start may
   wrap; it then describes another range of addresses, like any wrong but
   well-formed table.  */
static inline int64_t
fde_start (const struct sframe_section *section, bool pcrel, size_t at)
{
  uint64_t start;

  memcpy (&start, section->start + at, sizeof start);
  return (int64_t) (start + (pcrel ? at : 0));
}

/* Copy the FDE that is AT bytes from the start of the section to *FDE, the
   start of its function as above.  */
static inline void
read_fde (const struct sframe_section *section, size_t at,
	  struct sframe_fde *fde)
{
  memcpy (fde, section->start + at, sizeof *fde);
  fde->start = fde_start (section, is_pcrel (section), at);
}

/* Into how many parts each round of the search divides the rest of the index.
   The entries between the parts are loaded in parallel; in a binary search
   most of the time is spent waiting for one entry after the other.  More parts
   would touch more pages.  */
enum { SEARCH_PARTS = 4 };

/* BYTES if the function of the FDE that is AT bytes from the start of the
   section begins after PC, otherwise 0.  Branchless: the processor cannot
   predict on which side of an entry PC is.  */
static inline size_t
if_after (const struct sframe_section *section, bool pcrel, size_t at,
	  int64_t pc, size_t bytes)
{
  size_t result = fde_start (section, pcrel, at) > pc ? bytes : 0;

  /* Keep the compiler from counting the entries and multiplying, which takes
     longer.  */
  __asm ("" : "+r" (result));
  return result;
}

/* The position in the section of the last of SEARCH_PARTS + 1 FDEs that starts
   at or before PC: of the one at LOW and those PART bytes apart after it.
   LOW if none does.  */
static inline size_t
search_parts (const struct sframe_section *section, const bool pcrel,
	      size_t low, size_t part, int64_t pc)
{
  size_t last = low + (SEARCH_PARTS - 1) * part, after = 0;

#pragma GCC unroll SEARCH_PARTS
  for (size_t i = 0; i < SEARCH_PARTS - 1; ++i)
    after += if_after (section, pcrel, last - i * part, pc, part);
  return last - after;
}

/* Store in AT[I] the position in the section of the last FDE that starts at or
   before PC[I], or of the first FDE if none does, for all I below COUNT.  If
   there are several, the searches go on side by side, so that the entries that
   they need are loaded in parallel; then halving reads the fewest of them.
   Inlined so that PCREL is constant, and COUNT if it is 1.  */
static inline void __attribute__ ((always_inline))
search_fdes (const struct sframe_section *section, const bool pcrel,
	     const uint64_t *pc, size_t *at, unsigned int count)
{
  size_t rest = section->fde_count;

  for (unsigned int i = 0; i < count; ++i)
    at[i] = section->fdes - section->start;
  /* Invariant: the FDE is one of the REST FDEs (at least one) from AT[I] on.
     The last part also has the remainder of the division.  */
  while (count == 1 && rest >= SEARCH_PARTS)
    {
      size_t part = rest / SEARCH_PARTS;
      *at = search_parts (section, pcrel, *at,
			  part * sizeof (struct sframe_fde), *pc);
      rest -= part * (SEARCH_PARTS - 1);
    }
  while (rest > 1)
    {
      size_t half = rest / 2 * sizeof (struct sframe_fde);
      for (unsigned int i = 0; i < count; ++i)
	at[i] += half - if_after (section, pcrel, at[i] + half, pc[i], half);
      rest -= rest / 2;
    }
}

/* Store in *FDE, as read_fde does, the FDE that is AT bytes from the start of
   the section or, if that has no size, one before it with the same start.
   Return whether it covers PC.  */
static inline bool
cover (const struct sframe_section *section, size_t at, int64_t pc,
       struct sframe_fde *fde)
{
  const size_t first = section->fdes - section->start;

  read_fde (section, at, fde);
  const int64_t start = fde->start;
  for (unsigned int skipped = 0;
       fde->size == 0 && at > first && skipped < SFRAME_EMPTY_FDES_MAX;
       ++skipped)
    {
      at -= sizeof *fde;
      read_fde (section, at, fde);
      if (fde->start != start)
	return false;
    }
  return pc >= fde->start && (uint64_t) pc - (uint64_t) fde->start < fde->size;
}

/* In a function with more FREs than this, most FREs are as long as the FRE
   before.  */
#define MANY_FRES 16

/* Store in *LENGTH the size in bytes of the data words of an FRE with
   information byte INFO.  Return false if no data word has such a size.  */
static inline bool
words_length (unsigned int info, uint64_t *length)
{
  unsigned int size = SFRAME_FRE_WORD_SIZE (info);

  *length = SFRAME_FRE_WORD_COUNT (info) << size;
  return size <= SFRAME_FRE_WORD_SIZE_MAX;
}

/* Scan the COUNT FREs of FRE type TYPE that begin at byte AT of the FRE
   sub-section for the last one that starts at or before PC, which is relative
   to the start of the function or repeated block.  Computing the length of
   each FRE takes most of the time; if MANY is set, a branch lets the processor
   predict it.  Inlined so that TYPE and MANY are constant.  */
static inline enum sframe_find_status __attribute__ ((always_inline))
scan_fres (const struct sframe_section *section, uint64_t at,
	   const unsigned int type, unsigned int count, const bool many,
	   uint32_t pc, struct fre *fre)
{
  /* Start address and information byte.  */
  const unsigned int fixed = (1U << type) + 1;
  uint64_t found = 0, length = 0;
  uint32_t previous = 0;
  unsigned int info = UINT_MAX;

  for (; count > 0; --count)
    {
      /* AT may be beyond the end by the data words of the FRE before, whose
	 end was not checked.  */
      if (at + fixed > section->fre_length)
	return SFRAME_CORRUPT;
      uint32_t start = load_unsigned (section->fres + at, type);
      /* FREs must ascend, or "the last one at or before" has no meaning.  The
	 assembler does write several for the same address; the last one
	 counts.  */
      if (start < previous)
	return SFRAME_CORRUPT;
      if (start > pc)
	break;

      found = at + fixed;
      unsigned int next_info = section->fres[found - 1];
      if (!many || next_info != info)
	{
	  if (!words_length (next_info, &length))
	    return SFRAME_CORRUPT;
	  info = next_info;
	}
      at = found + length;
      previous = start;
    }
  if (found == 0)
    return SFRAME_NOT_FOUND;
  if (at > section->fre_length)
    return SFRAME_CORRUPT;
  fre->words = section->fres + found;
  fre->info = info;
  return SFRAME_FOUND;
}

/* Call scan_fres for many FREs or few.  */
static inline enum sframe_find_status __attribute__ ((always_inline))
scan_many_or_few (const struct sframe_section *section, uint64_t at,
		  const unsigned int type, unsigned int count, uint32_t pc,
		  struct fre *fre)
{
  return (count > MANY_FRES
	  ? scan_fres (section, at, type, count, true, pc, fre)
	  : scan_fres (section, at, type, count, false, pc, fre));
}

/* Call scan_fres for any FRE type.  */
static enum sframe_find_status
find_fre (const struct sframe_section *section, uint32_t at,
	  unsigned int type, unsigned int count, uint32_t pc,
	  struct fre *fre)
{
  switch (type)
    {
    case 0:
      return scan_many_or_few (section, at, 0, count, pc, fre);
    case 1:
      return scan_many_or_few (section, at, 1, count, pc, fre);
    default:
      return scan_many_or_few (section, at, 2, count, pc, fre);
    }
}

/* Decode the CFA offset of s390x, which is scaled.  Return whether the result
   fits.  */
static bool
decode_cfa_offset (const struct sframe_section *section, int32_t *offset)
{
  if (section->abi != SFRAME_ABI_S390X_BE)
    return true;

  int64_t decoded = ((int64_t) *offset * SFRAME_S390X_CFA_SCALE
		     + SFRAME_S390X_CFA_ADJUSTMENT);
  *offset = (int32_t) decoded;
  return *offset == decoded;
}

/* The place of a value that no data word describes: the fixed offset in the
   header, if any.  */
static inline struct sframe_place
default_place (int8_t fixed_offset)
{
  if (fixed_offset != 0)
    return (struct sframe_place) { .kind = SFRAME_CFA_MEMORY,
				   .offset = fixed_offset };
  return (struct sframe_place) { .kind = SFRAME_UNCHANGED };
}

/* Decode a default FDE; see the specification's chapter "Default FDE Type
   Interpretation".  The data words are the offsets of CFA, RA and FP, without
   those that the header fixes.  An RA offset of 0 is padding and means that RA
   was not saved.  */
static enum sframe_find_status
decode_default (const struct sframe_section *section, const struct fre *fre,
		unsigned int sp, unsigned int fp, struct sframe_rule *rule)
{
  unsigned int count = SFRAME_FRE_WORD_COUNT (fre->info);
  unsigned int next = 1;

  rule->cfa.kind = SFRAME_REGISTER_VALUE;
  rule->cfa.reg = SFRAME_FRE_BASE_IS_SP (fre->info) ? sp : fp;
  rule->cfa.offset = offset_word (fre, 0);
  if (!decode_cfa_offset (section, &rule->cfa.offset))
    return SFRAME_CORRUPT;

  rule->ra = default_place (section->fixed_ra_offset);
  if (section->fixed_ra_offset == 0 && next < count)
    {
      int32_t offset = offset_word (fre, next++);
      if (offset != 0)
	rule->ra = (struct sframe_place) { .kind = SFRAME_CFA_MEMORY,
					   .offset = offset };
    }

  rule->fp = default_place (section->fixed_fp_offset);
  if (section->fixed_fp_offset == 0 && next < count)
    rule->fp = (struct sframe_place) { .kind = SFRAME_CFA_MEMORY,
				       .offset = offset_word (fre, next) };
  return SFRAME_FOUND;
}

/* Decode the rule of one value from the data words of FRE at *NEXT, store it
   in *PLACE and advance *NEXT.  If there are no more data words, or the next
   one is padding (0), leave *PLACE alone.  */
static enum sframe_find_status
decode_place (const struct fre *fre, unsigned int *next,
	      struct sframe_place *place)
{
  unsigned int count = SFRAME_FRE_WORD_COUNT (fre->info);

  if (*next == count)
    return SFRAME_FOUND;
  uint32_t control = control_word (fre, (*next)++);
  if (control == 0)
    return SFRAME_FOUND;
  if (*next == count)
    return SFRAME_CORRUPT;

  place->offset = offset_word (fre, (*next)++);
  if (!SFRAME_CONTROL_IS_REGISTER (control))
    {
      place->kind = (SFRAME_CONTROL_IN_MEMORY (control)
		     ? SFRAME_CFA_MEMORY : SFRAME_CFA_VALUE);
      return SFRAME_FOUND;
    }
  if (SFRAME_CONTROL_REGISTER (control) > SFRAME_REGISTER_MAX)
    return SFRAME_CORRUPT;
  place->reg = SFRAME_CONTROL_REGISTER (control);
  place->kind = (SFRAME_CONTROL_IN_MEMORY (control)
		 ? SFRAME_REGISTER_MEMORY : SFRAME_REGISTER_VALUE);
  return SFRAME_FOUND;
}

/* Decode a flexible FDE; see the chapter "Flexible FDE Type Interpretation": a
   control word and an offset each for CFA, RA and FP.  */
static enum sframe_find_status
decode_flexible (const struct sframe_section *section, const struct fre *fre,
		 struct sframe_rule *rule)
{
  unsigned int next = 0;

  rule->cfa = (struct sframe_place) { .kind = SFRAME_UNCHANGED };
  rule->ra = default_place (section->fixed_ra_offset);
  rule->fp = default_place (section->fixed_fp_offset);
  if (decode_place (fre, &next, &rule->cfa) != SFRAME_FOUND
      || decode_place (fre, &next, &rule->ra) != SFRAME_FOUND
      || decode_place (fre, &next, &rule->fp) != SFRAME_FOUND)
    return SFRAME_CORRUPT;

  /* The CFA cannot be defined by itself.  */
  if (rule->cfa.kind != SFRAME_REGISTER_VALUE
      && rule->cfa.kind != SFRAME_REGISTER_MEMORY)
    return SFRAME_CORRUPT;
  if (!decode_cfa_offset (section, &rule->cfa.offset))
    return SFRAME_CORRUPT;
  return SFRAME_FOUND;
}

/* Read the attribute of FDE to *ATTRIBUTE and check what all types of FDE have
   in common.  */
static enum sframe_find_status
read_attribute (const struct sframe_section *section,
		const struct sframe_fde *fde,
		struct sframe_attribute *attribute)
{
  if (section->fre_length < sizeof *attribute
      || fde->attribute_offset > section->fre_length - sizeof *attribute)
    return SFRAME_CORRUPT;
  memcpy (attribute, section->fres + fde->attribute_offset,
	  sizeof *attribute);

  /* The format may be extended by new FDE types, so an unknown one is no
     error.  */
  if (SFRAME_FDE_TYPE (attribute->info2) > SFRAME_FDE_TYPE_FLEXIBLE)
    return SFRAME_NOT_FOUND;
  if (SFRAME_FDE_FRE_TYPE (attribute->info) > SFRAME_FRE_TYPE_MAX
      || (SFRAME_FDE_PC_TYPE_MASK (attribute->info)
	  && attribute->repetition == 0))
    return SFRAME_CORRUPT;
  /* A default FDE without FREs marks an outermost frame.  */
  if (attribute->fre_count == 0
      && (SFRAME_FDE_TYPE (attribute->info2) != SFRAME_FDE_TYPE_DEFAULT
	  || SFRAME_FDE_PC_TYPE_MASK (attribute->info)))
    return SFRAME_NOT_FOUND;
  return SFRAME_FOUND;
}

/* Store in *RULE the rule that FDE, which covers PC, has for PC.  */
static inline enum sframe_find_status __attribute__ ((always_inline))
find_rule (const struct sframe_section *section, const struct sframe_fde *fde,
	   uint64_t pc, unsigned int sp, unsigned int fp,
	   struct sframe_rule *rule)
{
  struct sframe_attribute attribute;
  struct fre fre;
  enum sframe_find_status status = read_attribute (section, fde, &attribute);

  if (status != SFRAME_FOUND)
    return status;
  rule->signal = SFRAME_FDE_SIGNAL (attribute.info);
  rule->repeated = SFRAME_FDE_PC_TYPE_MASK (attribute.info);
  rule->block_offset = 0;
  rule->outermost = attribute.fre_count == 0;
  if (rule->outermost)
    return SFRAME_FOUND;

  /* Find the FRE.  The offset fits 32 bits since the size of the function
     does.  */
  uint32_t offset = pc - (uint64_t) fde->start;
  if (rule->repeated)
    rule->block_offset = offset %= attribute.repetition;
  status = find_fre (section, fde->attribute_offset + sizeof attribute,
		     SFRAME_FDE_FRE_TYPE (attribute.info),
		     attribute.fre_count, offset, &fre);
  if (status != SFRAME_FOUND)
    return status;

  /* Decode it.  An FRE without data words marks an outermost frame: RA is
     undefined.  */
  rule->outermost = SFRAME_FRE_WORD_COUNT (fre.info) == 0;
  if (rule->outermost)
    return SFRAME_FOUND;
  if (SFRAME_FDE_TYPE (attribute.info2) == SFRAME_FDE_TYPE_DEFAULT)
    return decode_default (section, &fre, sp, fp, rule);
  return decode_flexible (section, &fre, rule);
}

/* Call search_fdes for any origin of starts.  */
static inline void __attribute__ ((always_inline))
search (const struct sframe_section *section, const uint64_t *pc, size_t *at,
	unsigned int count)
{
  if (is_pcrel (section))
    search_fdes (section, true, pc, at, count);
  else
    search_fdes (section, false, pc, at, count);
}

/* The position in the section of the FDE with NUMBER.  */
static inline size_t
fde_position (const struct sframe_section *section, uint32_t number)
{
  return (section->fdes - section->start
	  + number * sizeof (struct sframe_fde));
}

/* Store in *FDE the first FDE of FUNCTIONS, from the next one on, that covers
   PC.  Return whether there is one.  */
static inline bool
find_next (const struct sframe_section *section,
	   struct sframe_functions *functions, uint64_t pc,
	   struct sframe_fde *fde)
{
  for (unsigned int i = functions->next; i < functions->count; ++i)
    {
      const uint8_t *bytes = functions->number[i];
      uint32_t number = bytes[0] | bytes[1] << 8 | bytes[2] << 16;
      if (number < section->fde_count
	  && cover (section, fde_position (section, number), pc, fde))
	{
	  functions->next = i + 1;
	  return true;
	}
    }
  return false;
}

enum sframe_find_status
__sframe_find_rule_of (const struct sframe_section *section,
		       struct sframe_functions *functions, uint64_t pc,
		       unsigned int sp, unsigned int fp,
		       struct sframe_rule *rule)
{
  struct sframe_fde fde;
  size_t at;

  if (!find_next (section, functions, pc, &fde))
    {
      search (section, &pc, &at, 1);
      if (!cover (section, at, pc, &fde))
	return SFRAME_NOT_FOUND;
    }
  return find_rule (section, &fde, pc, sp, fp, rule);
}

enum sframe_find_status
__sframe_find_rule (const struct sframe_section *section, uint64_t pc,
		    unsigned int sp, unsigned int fp,
		    struct sframe_rule *rule)
{
  struct sframe_functions none;

  none.next = none.count = 0;
  return __sframe_find_rule_of (section, &none, pc, sp, fp, rule);
}

void
__sframe_find_text (const struct sframe_section *section, uint64_t *start,
		    uint64_t *size)
{
  struct sframe_fde fde;

  read_fde (section, fde_position (section, 0), &fde);
  *start = fde.start;
  read_fde (section, fde_position (section, section->fde_count - 1), &fde);
  *size = (uint64_t) fde.start + fde.size - *start;
}

/* Prefetch the attribute of the FDE that is AT bytes from the start of the
   section, and as many bytes of rows as most functions have.  */
static inline void
prefetch_rows (const struct sframe_section *section, size_t at)
{
  struct sframe_fde fde;

  read_fde (section, at, &fde);
  if (fde.attribute_offset >= section->fre_length)
    fde.attribute_offset = 0;
  __builtin_prefetch (section->fres + fde.attribute_offset);
  __builtin_prefetch (section->fres + fde.attribute_offset + 64);
}

void
__sframe_find_functions (const struct sframe_section *section,
			 const uint64_t *pcs, unsigned int count,
			 struct sframe_functions *functions)
{
  size_t at[SFRAME_FUNCTIONS_MAX];

  search (section, pcs, at, count);
  for (unsigned int i = 0; i < count; ++i)
    {
      prefetch_rows (section, at[i]);
      uint32_t number = ((at[i] - fde_position (section, 0))
			 / sizeof (struct sframe_fde));
      for (int byte = 0; byte < 3; ++byte)
	functions->number[i][byte] = number >> 8 * byte;
    }
  functions->count = count;
  functions->next = 0;
}
