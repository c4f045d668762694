/* Crafted headers: each reason to refuse one, and each bound exceeded by one
   byte.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Expected results are those of the chapter "SFrame Section" of the
   specification and of the statuses in sframe-read.h.  Each case has one error
   in a valid section.  */

#include "craft.h"

/* One function with one row: FDE 16 bytes, FREs 5 + 3 bytes.  */
static void
good_section (void)
{
  begin (AMD64);
  function (0x1000, 0x20, ADDR1, DEFAULT, 0);
  ROW (0, BASE_SP | WORD1, 8);
  finish ();
}

/* The status after the WIDTH bytes at AT of a good section became VALUE.  */
static enum sframe_header_status
status_with (size_t at, uint64_t value, size_t width)
{
  good_section ();
  poke (at, value, width);
  return header_status ();
}

/* The parsed header has the values of the bytes.  */
static void
test_accepted (void)
{
  struct sframe_section section;

  begin (AMD64);
  craft.fixed_fp = -16;
  craft.fixed_ra = -8;
  function (0x1000, 0x20, ADDR1, DEFAULT, 0);
  ROW (0, BASE_SP | WORD1, 8);
  function (0x2000, 0x20, ADDR1, DEFAULT, 0);
  ROW (0, BASE_SP | WORD1, 16);
  finish ();

  struct placed placed = place (ON_HEAP);
  CHECK (checked_header (placed.start, craft.size, &section)
	 == SFRAME_HEADER_OK);
  CHECK (section.start == placed.start);
  CHECK (section.fdes == placed.start + craft.index_at);
  CHECK (section.fres == placed.start + craft.fres_at);
  CHECK (section.fde_count == 2 && section.fre_length == craft.fre_length);
  CHECK (section.flags == (SORTED | PCREL) && section.abi == AMD64);
  CHECK (section.fixed_fp_offset == -16 && section.fixed_ra_offset == -8);
  unplace (&placed);
}

static void
test_truncated (void)
{
  for (size_t size = 0; size < HEADER_SIZE; ++size)
    {
      good_section ();
      craft.size = size;
      CHECK (header_status () == SFRAME_HEADER_TRUNCATED);
    }
  /* A bare header is no longer truncated, but its sub-sections are gone.  */
  good_section ();
  craft.size = HEADER_SIZE;
  CHECK (header_status () == SFRAME_HEADER_BOUNDS);
}

static void
test_magic (void)
{
  CHECK (status_with (AT_MAGIC, 0xe2de, 2) == SFRAME_HEADER_BYTE_ORDER);
  CHECK (status_with (AT_MAGIC, 0xdee1, 2) == SFRAME_HEADER_MAGIC);
  CHECK (status_with (AT_MAGIC, 0xdfe2, 2) == SFRAME_HEADER_MAGIC);
  CHECK (status_with (AT_MAGIC, 0, 2) == SFRAME_HEADER_MAGIC);
}

static void
test_version (void)
{
  for (unsigned int version = 0; version < 256; ++version)
    CHECK (status_with (AT_VERSION, version, 1)
	   == (version == 3 ? SFRAME_HEADER_OK : SFRAME_HEADER_VERSION));
}

/* "Bits corresponding to the currently undefined flags must be set to zero";
   0x2 was defined by versions 1 and 2 alone.  */
static void
test_flags (void)
{
  CHECK (status_with (AT_FLAGS, SORTED, 1) == SFRAME_HEADER_OK);
  CHECK (status_with (AT_FLAGS, SORTED | PCREL, 1) == SFRAME_HEADER_OK);
  for (unsigned int bit = 2; bit < 256; bit <<= 1)
    if (bit != PCREL)
      CHECK (status_with (AT_FLAGS, SORTED | PCREL | bit, 1)
	     == SFRAME_HEADER_FLAGS);
}

static void
test_unsorted (void)
{
  CHECK (status_with (AT_FLAGS, 0, 1) == SFRAME_HEADER_UNSORTED);
  CHECK (status_with (AT_FLAGS, PCREL, 1) == SFRAME_HEADER_UNSORTED);
}

static void
test_abi (void)
{
  for (unsigned int abi = 0; abi < 256; ++abi)
    CHECK (status_with (AT_ABI, abi, 1)
	   == (abi == AMD64 ? SFRAME_HEADER_OK : SFRAME_HEADER_ABI));
  good_section ();
  craft.abi = S390X;
  CHECK (header_status () == SFRAME_HEADER_ABI);
}

static void
test_empty (void)
{
  CHECK (status_with (AT_FDE_COUNT, 0, 4) == SFRAME_HEADER_EMPTY);
}

/* The section starts at a multiple of 4 and so does the index, auxiliary
   header or not.  */
static void
test_alignment (void)
{
  for (unsigned int gap = 0; gap < 8; ++gap)
    for (unsigned int auxiliary = 0; auxiliary < 8; ++auxiliary)
      {
	begin (AMD64);
	craft.index_gap = gap;
	craft.auxiliary_length = auxiliary;
	function (0x1000, 0x20, ADDR1, DEFAULT, 0);
	ROW (0, BASE_SP | WORD1, 8);
	finish ();
	CHECK (header_status () == ((gap + auxiliary) % 4 == 0
				    ? SFRAME_HEADER_OK
				    : SFRAME_HEADER_ALIGNMENT));
      }
}

static void
test_alignment_of_start (void)
{
  struct sframe_section section;

  good_section ();
  unsigned char *room = malloc (craft.size + 3);
  require (room != NULL, "malloc");
  for (unsigned int shift = 0; shift < 4; ++shift)
    {
      memcpy (room + shift, craft.bytes, craft.size);
      CHECK (checked_header (room + shift, craft.size, &section)
	     == (shift == 0 ? SFRAME_HEADER_OK : SFRAME_HEADER_ALIGNMENT));
    }
  free (room);

  /* Two wrongs: a section at an odd multiple of 2 whose index is aligned.  */
  begin (AMD64);
  craft.index_gap = 2;
  function (0x1000, 0x20, ADDR1, DEFAULT, 0);
  ROW (0, BASE_SP | WORD1, 8);
  finish ();
  room = malloc (craft.size + 2);
  require (room != NULL, "malloc");
  memcpy (room + 2, craft.bytes, craft.size);
  CHECK (checked_header (room + 2, craft.size, &section)
	 == SFRAME_HEADER_ALIGNMENT);
  free (room);
}

/* The FRE sub-section ends with the section: one byte less, or one more of
   FREs, and it does not fit.  */
static void
test_fre_bounds (void)
{
  good_section ();
  uint32_t length = craft.fre_length;
  uint32_t offset = craft.fres_at - HEADER_SIZE;

  for (size_t cut = 1; cut <= craft.size - HEADER_SIZE; ++cut)
    {
      good_section ();
      craft.size -= cut;
      CHECK (header_status () == SFRAME_HEADER_BOUNDS);
    }
  CHECK (status_with (AT_FRE_LENGTH, length, 4) == SFRAME_HEADER_OK);
  CHECK (status_with (AT_FRE_LENGTH, length + 1, 4) == SFRAME_HEADER_BOUNDS);
  CHECK (status_with (AT_FRE_OFFSET, offset, 4) == SFRAME_HEADER_OK);
  CHECK (status_with (AT_FRE_OFFSET, offset + 1, 4) == SFRAME_HEADER_BOUNDS);
}

/* Values whose sums with each other, with the header's size or with the size
   of an FDE are small modulo 2^32.  */
static void
test_wrapping_offsets (void)
{
  good_section ();
  uint32_t length = craft.fre_length;
  uint32_t offset = craft.fres_at - HEADER_SIZE;

  for (uint32_t back = 1; back <= 64; ++back)
    {
      CHECK (status_with (AT_FRE_LENGTH, -back, 4) == SFRAME_HEADER_BOUNDS);
      CHECK (status_with (AT_FRE_OFFSET, -back, 4) == SFRAME_HEADER_BOUNDS);
      CHECK (status_with (AT_FDE_OFFSET, -(back * 4), 4)
	     == SFRAME_HEADER_BOUNDS);
    }
  /* offset + length is right modulo 2**32.  */
  good_section ();
  poke (AT_FRE_OFFSET, offset + length + 4, 4);
  poke (AT_FRE_LENGTH, -4, 4);
  CHECK (header_status () == SFRAME_HEADER_BOUNDS);
  /* 2**28 FDEs of 16 bytes take no bytes modulo 2**32.  */
  CHECK (status_with (AT_FDE_COUNT, 0x10000000, 4) == SFRAME_HEADER_BOUNDS);
  CHECK (status_with (AT_FDE_COUNT, 0x10000001, 4) == SFRAME_HEADER_BOUNDS);
  CHECK (status_with (AT_FDE_COUNT, UINT32_MAX, 4) == SFRAME_HEADER_BOUNDS);
  CHECK (status_with (AT_FDE_COUNT, 0x80000000, 4) == SFRAME_HEADER_BOUNDS);
}

/* The index runs into the FREs or past the section: "each section runs from
   the offset given until the start of the next section".  */
static void
test_index_bounds (void)
{
  good_section ();
  size_t room = craft.fres_at - HEADER_SIZE - FDE_SIZE;

  CHECK (status_with (AT_FDE_COUNT, 2, 4) == SFRAME_HEADER_BOUNDS);
  CHECK (status_with (AT_FDE_COUNT, 3, 4) == SFRAME_HEADER_BOUNDS);
  CHECK (status_with (AT_FDE_OFFSET, room, 4) == SFRAME_HEADER_OK);
  CHECK (status_with (AT_FDE_OFFSET, room + 4, 4) == SFRAME_HEADER_BOUNDS);
  CHECK (status_with (AT_FDE_OFFSET, craft.size, 4) == SFRAME_HEADER_BOUNDS);
}

static void
test_auxiliary_header_bounds (void)
{
  good_section ();
  size_t size = craft.size;

  CHECK (status_with (AT_AUXILIARY_LENGTH, 4, 1) == SFRAME_HEADER_BOUNDS);
  CHECK (status_with (AT_AUXILIARY_LENGTH, size, 1) == SFRAME_HEADER_BOUNDS);
  CHECK (status_with (AT_AUXILIARY_LENGTH, 252, 1) == SFRAME_HEADER_BOUNDS);
  CHECK (status_with (AT_AUXILIARY_LENGTH, 255, 1) == SFRAME_HEADER_BOUNDS);
}

/* COUNT rows in LENGTH bytes.  The shortest row is a one-byte start address
   and the information byte.  */
static enum sframe_header_status
status_of_counts (uint32_t count, uint32_t length)
{
  begin (AMD64);
  function (0x1000, 0x20, ADDR1, DEFAULT, 0);
  while (craft.fre_length < length)
    emit (0, 1);
  finish ();
  poke (AT_FRE_COUNT, count, 4);
  return header_status ();
}

static void
test_counts (void)
{
  CHECK (status_of_counts (0, ATTRIBUTE_SIZE) == SFRAME_HEADER_OK);
  CHECK (status_of_counts (1, ATTRIBUTE_SIZE) == SFRAME_HEADER_COUNTS);
  CHECK (status_of_counts (1, ATTRIBUTE_SIZE + 1) == SFRAME_HEADER_COUNTS);
  CHECK (status_of_counts (1, ATTRIBUTE_SIZE + 2) == SFRAME_HEADER_OK);
  CHECK (status_of_counts (100, ATTRIBUTE_SIZE + 199)
	 == SFRAME_HEADER_COUNTS);
  CHECK (status_of_counts (100, ATTRIBUTE_SIZE + 200) == SFRAME_HEADER_OK);
  /* Twice the count is small modulo 2**32.  */
  CHECK (status_of_counts (0x80000000, 20) == SFRAME_HEADER_COUNTS);
  CHECK (status_of_counts (0x80000001, 20) == SFRAME_HEADER_COUNTS);
  CHECK (status_of_counts (UINT32_MAX, 20) == SFRAME_HEADER_COUNTS);
}

/* An FDE needs its attribute, so that a sub-section of 0 to 4 bytes is too
   small for any.  */
static void
test_no_attribute (void)
{
  for (uint32_t length = 0; length < ATTRIBUTE_SIZE; ++length)
    {
      good_section ();
      poke (AT_FRE_COUNT, 0, 4);
      poke (AT_FRE_LENGTH, length, 4);
      CHECK (header_status () == SFRAME_HEADER_COUNTS);
    }
}

/* A section of more than 4 GiB, with its FDE and FREs after the first 4 GiB:
   neither sums of offsets nor the size may be reduced to 32 bits.  */
static void
test_beyond_4_gib (void)
{
  struct sframe_section section;
  struct sframe_rule rule;
  uint64_t index_at = HEADER_SIZE + UINT64_C (0xfffffff0);
  uint64_t fres_at = HEADER_SIZE + UINT64_C (0xffffffff) + 1;

  good_section ();
  poke (AT_AUXILIARY_LENGTH, 16, 1);
  poke (AT_FDE_OFFSET, index_at - HEADER_SIZE - 16, 4);
  poke (AT_FRE_OFFSET, fres_at - HEADER_SIZE - 16 + 15, 4);
  fres_at += 15;
  uint64_t size = fres_at + craft.fre_length;
  unsigned char *start
    = mmap (NULL, size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  require (start != MAP_FAILED, "4 GiB of address space");
  memcpy (start, craft.bytes, HEADER_SIZE);
  memcpy (start + fres_at, craft.fres, craft.fre_length);
  poke (FDE_START, 0x1000 - index_at, 8);
  poke (FDE_LENGTH, 0x20, 4);
  poke (FDE_ATTRIBUTE, 0, 4);
  memcpy (start + index_at, craft.bytes, FDE_SIZE);

  CHECK (checked_header (start, size - 1, &section) == SFRAME_HEADER_BOUNDS);
  CHECK (checked_header (start, (uint32_t) size, &section)
	 != SFRAME_HEADER_OK);
  CHECK (checked_header (start, size, &section) == SFRAME_HEADER_OK);
  if (section.start != NULL)
    CHECK (__sframe_find_rule (&section, 0x1000, SP, FP, &rule)
	   == SFRAME_FOUND && rule.cfa.offset == 8);
  munmap (start, size);
}

/* One line each, and no two alike.  */
static void
test_messages (void)
{
  for (int i = SFRAME_HEADER_OK; i <= SFRAME_HEADER_COUNTS; ++i)
    {
      const char *message = __sframe_header_message (i);
      CHECK (message != NULL && message[0] != '\0');
      CHECK (strchr (message, '\n') == NULL);
      for (int j = SFRAME_HEADER_OK; j < i; ++j)
	CHECK (strcmp (message, __sframe_header_message (j)) != 0);
    }
}

int
main (void)
{
  static const struct test_case cases[] =
    {
      { "good section accepted, view complete", test_accepted },
      { "each size below a header", test_truncated },
      { "foreign and wrong magic number", test_magic },
      { "every version but 3", test_version },
      { "each undefined flag", test_flags },
      { "unsorted index", test_unsorted },
      { "every other ABI", test_abi },
      { "no FDE", test_empty },
      { "alignment of index after auxiliary header",
	test_alignment },
      { "alignment of section", test_alignment_of_start },
      { "end of FRE sub-section by one byte", test_fre_bounds },
      { "sums that wrap 32 bits", test_wrapping_offsets },
      { "end of index", test_index_bounds },
      { "auxiliary header past the end",
	test_auxiliary_header_bounds },
      { "more FREs than bytes for them", test_counts },
      { "no room for an attribute", test_no_attribute },
      { "sub-sections beyond 4 GiB", test_beyond_4_gib },
      { "messages", test_messages },
    };

  return run_cases (cases, sizeof cases / sizeof cases[0]);
}
