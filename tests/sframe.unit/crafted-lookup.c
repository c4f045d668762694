/* Crafted sections: finding the FDE and the FRE of a PC.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Expected results are those of the chapter "SFrame Section" of the
   specification: its sections "SFrame FDE" (start, size, PC types, FRE types)
   and "SFrame FRE".  The CFA offset identifies a row.  */

#include "craft.h"

static const int64_t gib = INT64_C (1) << 30;

/* A function of LENGTH bytes at START with one row, whose CFA offset is
   CFA.  */
static void
simple_function (int64_t start, uint32_t length, int cfa)
{
  function (start, length, ADDR1, DEFAULT, 0);
  ROW (0, BASE_SP | WORD1, cfa);
}

/* The function from START on for LENGTH bytes has CFA as its offset, and the
   bytes before and after it are not covered.  */
static void
check_alone (int64_t start, uint32_t length, int32_t cfa)
{
  CHECK (find_status (start - 1) == SFRAME_NOT_FOUND);
  CHECK (find_cfa (start) == cfa);
  CHECK (find_cfa (start + length / 2) == cfa);
  CHECK (find_cfa (start + length - 1) == cfa);
  CHECK (find_status (start + length) == SFRAME_NOT_FOUND);
}

/* First, middle and last FDE of indexes of 1 to 9, with gaps between: each
   shape that a binary search can take.  */
static void
test_each_fde (void)
{
  for (int count = 1; count <= 9; ++count)
    {
      begin (AMD64);
      for (int i = 0; i < count; ++i)
	simple_function (0x1000 + i * 0x100, 0x20, 8 + i);
      finish ();
      for (int i = 0; i < count; ++i)
	check_alone (0x1000 + i * 0x100, 0x20, 8 + i);
      CHECK (find_status (0) == SFRAME_NOT_FOUND);
      CHECK (find_status (INT64_MAX) == SFRAME_NOT_FOUND);
      CHECK (find_status (UINT64_C (1) << 63) == SFRAME_NOT_FOUND);
      CHECK (find_status (UINT64_MAX) == SFRAME_NOT_FOUND);
    }
}

static void
test_adjacent_fdes (void)
{
  begin (AMD64);
  for (int i = 0; i < 8; ++i)
    simple_function (0x1000 + i, 1, 8 + i);
  finish ();
  CHECK (find_status (0xfff) == SFRAME_NOT_FOUND);
  for (int i = 0; i < 8; ++i)
    CHECK (find_cfa (0x1000 + i) == 8 + i);
  CHECK (find_status (0x1008) == SFRAME_NOT_FOUND);
}

/* Sections "SFrame Flags" and "The SFrame FDE Index": the origin of a start
   is its own field or the section.  */
static void
test_origin_of_start (void)
{
  for (int flags = SORTED; flags <= (SORTED | PCREL); flags += PCREL)
    {
      begin (AMD64);
      craft.flags = flags;
      for (int i = 0; i < 5; ++i)
	simple_function (-0x300 + i * 0x100, 0x20, 8 + i);
      finish ();
      for (int i = 0; i < 5; ++i)
	check_alone (-0x300 + i * 0x100, 0x20, 8 + i);
    }
}

/* Text on both sides of the table, further than 32 bits reach.  */
static void
test_far_starts (void)
{
  static const int64_t gibs[] =
    { -0x10000, -5, -3, -1, 1, 2, 3, 4, 5, 0x10000 };
  enum { count = sizeof gibs / sizeof gibs[0] };

  for (int flags = SORTED; flags <= (SORTED | PCREL); flags += PCREL)
    {
      begin (AMD64);
      craft.flags = flags;
      for (int i = 0; i < count; ++i)
	simple_function (gibs[i] * gib + 0x40, 0x20, 8 + i);
      finish ();
      for (int i = 0; i < count; ++i)
	check_alone (craft.functions[i].start, 0x20, 8 + i);
      CHECK (find_status (0x40) == SFRAME_NOT_FOUND);
    }
}

/* A distance of 4 GiB and some bytes is not these bytes.  */
static void
test_distance_is_not_cut (void)
{
  begin (AMD64);
  simple_function (0x1000, 0x20, 8);
  finish ();
  for (int64_t distance = -8 * gib; distance <= 8 * gib; distance += 4 * gib)
    CHECK (find_cfa (0x1008 + distance) == (distance == 0 ? 8 : NO_ROW));
}

/* A function of the largest size, and one over the section's own address.  */
static void
test_large_function (void)
{
  begin (AMD64);
  simple_function (-6 * gib, UINT32_MAX, 8);
  simple_function (-16, 32, 16);
  finish ();
  check_alone (-6 * gib, UINT32_MAX, 8);
  CHECK (find_cfa (-6 * gib + 3 * gib) == 8);
  check_alone (-16, 32, 16);
  CHECK (find_cfa (0) == 16);
}

/* Starts at the ends of 64 bits: whatever they mean, no undefined arithmetic,
   and no effect on their neighbour.  */
static void
test_extreme_starts (void)
{
  for (int flags = SORTED; flags <= (SORTED | PCREL); flags += PCREL)
    {
      begin (AMD64);
      craft.flags = flags;
      simple_function (INT64_MIN, 0x20, 8);
      simple_function (0x1000, 0x20, 16);
      simple_function (INT64_MAX - 0x1f, 0x20, 24);
      finish ();
      CHECK (find_cfa (0x1000) == 16);
      CHECK (find_cfa (UINT64_C (1) << 63) == 8);
      CHECK (find_cfa (INT64_MAX) == 24);
      CHECK (find_status (0) == SFRAME_NOT_FOUND);

      poke (in_fde (2, FDE_START), INT64_MAX, 8);
      poke (in_fde (0, FDE_START), UINT64_C (1) << 63, 8);
      find_status (INT64_MAX);
      find_status (UINT64_C (1) << 63);
      find_status (0);
    }
}

/* A function of no bytes covers none, and does not hide its neighbours.  It
   shares its start with the next function; the order of the two is the
   linker's choice, as both are sorted.  */
static void
test_empty_function (void)
{
  begin (AMD64);
  simple_function (0x1000, 0, 8);
  finish ();
  CHECK (find_status (0xfff) == SFRAME_NOT_FOUND);
  CHECK (find_status (0x1000) == SFRAME_NOT_FOUND);
  CHECK (find_status (0x1001) == SFRAME_NOT_FOUND);

  begin (AMD64);
  simple_function (0x1000, 0x20, 8);
  simple_function (0x1020, 0, 16);
  simple_function (0x1020, 0x20, 24);
  finish ();
  CHECK (find_cfa (0x101f) == 8);
  CHECK (find_cfa (0x1020) == 24);
  CHECK (find_cfa (0x103f) == 24);
}

static void
test_empty_function_last (void)
{
  begin (AMD64);
  simple_function (0x1000, 0x20, 8);
  simple_function (0x1000, 0, 16);
  finish ();
  CHECK (find_cfa (0x1000) == 8);
  CHECK (find_cfa (0x101f) == 8);

  begin (AMD64);
  simple_function (0x1000, 0x20, 8);
  simple_function (0x1000, 0, 16);
  simple_function (0x1000, 0, 24);
  simple_function (0x1020, 0x20, 32);
  finish ();
  CHECK (find_cfa (0x1000) == 8);
  CHECK (find_cfa (0x101f) == 8);
  CHECK (find_cfa (0x1020) == 32);
}

/* COUNT functions of no bytes after one with the same start.  */
static void
begin_with_empty_functions (unsigned int count)
{
  begin (AMD64);
  simple_function (0x1000, 0x20, 8);
  for (unsigned int i = 0; i < count; ++i)
    simple_function (0x1000, 0, 16);
  finish ();
}

/* 16 are skipped, and no more: a table must not make a search long.  */
static void
test_many_empty_functions (void)
{
  begin_with_empty_functions (16);
  CHECK (find_cfa (0x1000) == 8);
  CHECK (find_cfa (0x101f) == 8);
  begin_with_empty_functions (17);
  CHECK (find_status (0x1000) == SFRAME_NOT_FOUND);
}

/* The search does not read before the first FDE, where bytes look like one
   with the same start.  */
static void
test_no_function_before_index (void)
{
  begin (AMD64);
  craft.flags &= ~PCREL;
  craft.index_gap = FDE_SIZE;
  simple_function (0x1000, 0, 8);
  finish ();
  size_t before = craft.index_at - FDE_SIZE;
  poke (before + FDE_START, 0x1000, 8);
  poke (before + FDE_LENGTH, 0x20, 4);
  poke (before + FDE_ATTRIBUTE, 0, 4);
  CHECK (find_status (0x1000) == SFRAME_NOT_FOUND);
}

static void
test_auxiliary_header_skipped (void)
{
  for (unsigned int length = 4; length < 256; length += 4)
    {
      begin (AMD64);
      craft.auxiliary_length = length;
      simple_function (0x1000, 0x20, 8);
      simple_function (0x2000, 0x20, 16);
      finish ();
      CHECK (find_cfa (0x1000) == 8);
      check_alone (0x2000, 0x20, 16);
    }
}

/* Three rows at FIRST, SECOND and THIRD, with start addresses of type TYPE and
   words of SIZE; each row ends where the next one begins.  */
static void
check_three_rows (int type, int size, uint32_t first, uint32_t second,
		  uint32_t third, uint32_t length)
{
  const uint64_t start = 0x1000;

  begin (AMD64);
  function (start, length, type, DEFAULT, 0);
  ROW (first, BASE_SP | size, 8);
  ROW (second, BASE_SP | size, 16, -16);
  ROW (third, BASE_SP | size, 24, -24);
  finish ();
  CHECK (find_status (start - 1) == SFRAME_NOT_FOUND);
  if (first > 0)
    {
      CHECK (find_status (start) == SFRAME_NOT_FOUND);
      CHECK (find_status (start + first - 1) == SFRAME_NOT_FOUND);
    }
  CHECK (find_cfa (start + first) == 8);
  CHECK (find_cfa (start + second - 1) == 8);
  CHECK (find_cfa (start + second) == 16);
  CHECK (find_cfa (start + third - 1) == 16);
  CHECK (find_cfa (start + third) == 24);
  CHECK (find_cfa (start + length - 1) == 24);
  CHECK (find_status (start + length) == SFRAME_NOT_FOUND);
}

/* Sections "The SFrame FRE Types" and "The SFrame FRE Info Word": all sizes of
   start addresses with all sizes of words, up to the largest start, which is
   not a negative number.  */
static void
test_sizes (void)
{
  for (int size = WORD1; size <= WORD4; size += WORD2)
    {
      check_three_rows (ADDR1, size, 0, 1, 2, 3);
      check_three_rows (ADDR1, size, 0, 0x7f, 0x80, 0x100);
      check_three_rows (ADDR1, size, 0, 0x80, 0xff, 0x100);
      check_three_rows (ADDR2, size, 0, 0xff, 0x100, 0x200);
      check_three_rows (ADDR2, size, 0, 0x8000, 0xffff, 0x10000);
      check_three_rows (ADDR4, size, 0, 0xffff, 0x10000, 0x20000);
      check_three_rows (ADDR4, size, 0, 0x7fffffff, 0x80000000, 0xf0000000);
      check_three_rows (ADDR4, size, 1, 0x80000000, 0xfffffffe, UINT32_MAX);
    }
}

static void
test_before_first_row (void)
{
  check_three_rows (ADDR1, WORD1, 1, 2, 3, 4);
  check_three_rows (ADDR1, WORD1, 4, 8, 12, 16);
  check_three_rows (ADDR2, WORD2, 0x100, 0x200, 0x300, 0x400);
}

/* "SFrame frame row entries are stored unaligned": the attribute and rows at
   every address modulo 8.  Rows with an odd size shift the following ones.  */
static void
test_unaligned_rows (void)
{
  for (int shift = 0; shift < 8; ++shift)
    {
      begin (AMD64);
      for (int i = 0; i < shift; ++i)
	emit (0xee, 1);
      function (0x1000, 0x12345678, ADDR4, DEFAULT, 0);
      ROW (0, BASE_SP | WORD4, 0x11223344);
      ROW (0x2345678, BASE_FP | WORD2, 0x3344, -0x1122);
      ROW (0x2345679, BASE_SP | WORD1, 0x44);
      finish ();
      CHECK (find_cfa (0x1000) == 0x11223344);
      CHECK (find_cfa (0x1000 + 0x2345678) == 0x3344);
      CHECK (find_cfa (0x1000 + 0x2345679) == 0x44);
    }
}

/* Rows of no words, of 15 and of every number between are passed over by
   their own size.  */
static void
test_word_counts_passed_over (void)
{
  static const int64_t words[15] = { 8, -16, -24 };

  for (int size = WORD1; size <= WORD4; size += WORD2)
    for (unsigned int count = 0; count <= 15; ++count)
      {
	begin (AMD64);
	function (0x1000, 0x20, ADDR1, DEFAULT, 0);
	row_words (0, BASE_SP | size, words, count);
	ROW (8, BASE_SP | WORD1, 16);
	finish ();
	CHECK (find_cfa (0x1007) == (count == 0 ? NO_ROW : 8));
	CHECK (find_cfa (0x1008) == 16);
      }
}

/* A row that starts at or after the end of its function has no effect.  */
static void
test_row_after_function (void)
{
  for (uint32_t start = 0x20; start <= 0x21; ++start)
    {
      begin (AMD64);
      function (0x1000, 0x20, ADDR4, DEFAULT, 0);
      ROW (0, BASE_SP | WORD1, 8);
      ROW (start, BASE_SP | WORD1, 16);
      simple_function (0x1020, 0x20, 24);
      finish ();
      CHECK (find_cfa (0x101f) == 8);
      CHECK (find_cfa (0x1020) == 24);
      CHECK (find_cfa (0x1021) == 24);
    }
}

/* Start addresses of three rows that do not ascend: the function has no
   rule.  */
static void
check_no_order (uint32_t second, uint32_t third, uint32_t pc)
{
  begin (AMD64);
  function (0x1000, 0x20, ADDR1, DEFAULT, 0);
  ROW (0, BASE_SP | WORD1, 8);
  ROW (second, BASE_SP | WORD1, 16);
  ROW (third, BASE_SP | WORD1, 24);
  finish ();
  CHECK (find_status (0x1000 + pc) != SFRAME_FOUND);
}

static void
test_descending_rows (void)
{
  check_no_order (8, 4, 9);
  check_no_order (8, 4, 8);
  check_no_order (8, 0, 0x1f);
  check_no_order (1, 0, 1);
}

/* Two rows for the same bytes, which the assembler writes: a row applies from
   its start to that of the next one, so that the first has no bytes.  */
static void
test_rows_of_no_bytes (void)
{
  begin (AMD64);
  function (0x1000, 0x20, ADDR1, DEFAULT, 0);
  ROW (0, BASE_SP | WORD1, 8);
  ROW (8, BASE_SP | WORD1, 16);
  ROW (8, BASE_SP | WORD1, 24);
  ROW (12, BASE_SP | WORD1, 32);
  finish ();
  CHECK (find_cfa (0x1000 + 7) == 8);
  CHECK (find_cfa (0x1000 + 8) == 24);
  CHECK (find_cfa (0x1000 + 11) == 24);
  CHECK (find_cfa (0x1000 + 12) == 32);
}

/* Section "The SFrame FDE PC Types": pc % repetition >= start of the row.
   The last repetition is cut short.  */
static void
test_mask (void)
{
  begin (AMD64);
  function (0x1000, 16 * 5 + 7, ADDR1 | MASK, DEFAULT, 16);
  ROW (0, BASE_SP | WORD1, 8);
  ROW (6, BASE_SP | WORD1, 16);
  ROW (11, BASE_SP | WORD1, 24);
  finish ();
  CHECK (find_status (0xfff) == SFRAME_NOT_FOUND);
  for (unsigned int pc = 0; pc < 16 * 5 + 7; ++pc)
    CHECK (find_cfa (0x1000 + pc)
	   == (pc % 16 < 6 ? 8 : pc % 16 < 11 ? 16 : 24));
  CHECK (find_status (0x1000 + 16 * 5 + 7) == SFRAME_NOT_FOUND);
}

/* Repetitions of 1, of the most that its byte holds, and of one that does not
   divide 2**32, far into the function.  */
static void
test_mask_sizes (void)
{
  for (unsigned int repetition = 1; repetition < 256; ++repetition)
    {
      begin (AMD64);
      function (0x1000, UINT32_MAX, ADDR1 | MASK, DEFAULT, repetition);
      ROW (0, BASE_SP | WORD1, 8);
      ROW (repetition - repetition / 2, BASE_SP | WORD1, 16);
      finish ();
      uint32_t last = UINT32_MAX / repetition * repetition;
      CHECK (find_cfa (0x1000 + (uint64_t) last - 1)
	     == (repetition == 1 ? 8 : 16));
      CHECK (find_cfa (0x1000 + (uint64_t) last - repetition) == 8);
      if (repetition == 1)
	/* 0 is the only remainder; a row at 1 is never reached.  */
	CHECK (find_cfa (0x1000 + 77) == 8);
    }
}

/* Before the first row of the block there is no rule, in each block.  */
static void
test_mask_before_first_row (void)
{
  begin (AMD64);
  function (0x1000, 48, ADDR1 | MASK, DEFAULT, 16);
  ROW (4, BASE_SP | WORD1, 8);
  finish ();
  for (unsigned int pc = 0; pc < 48; ++pc)
    CHECK (find_cfa (0x1000 + pc) == (pc % 16 < 4 ? NO_ROW : 8));
  CHECK (find_status (0x1010) == SFRAME_NOT_FOUND);
}

static void
test_repetition_of_0 (void)
{
  for (int type = ADDR1; type <= ADDR4; ++type)
    {
      begin (AMD64);
      function (0x1000, 0x20, type | MASK, DEFAULT, 0);
      ROW (0, BASE_SP | WORD1, 8);
      finish ();
      CHECK (find_status (0x1000) == SFRAME_CORRUPT);
      CHECK (find_status (0x101f) == SFRAME_CORRUPT);
      CHECK (find_status (0x1020) == SFRAME_NOT_FOUND);
    }
}

/* PC type increment has no use for a repetition.  */
static void
test_repetition_without_mask (void)
{
  for (int repetition = 0; repetition <= 4; repetition += 4)
    {
      begin (AMD64);
      function (0x1000, 0x20, ADDR1, DEFAULT, repetition);
      ROW (0, BASE_SP | WORD1, 8);
      ROW (6, BASE_SP | WORD1, 16);
      finish ();
      CHECK (find_cfa (0x1005) == 8);
      CHECK (find_cfa (0x1006) == 16);
      CHECK (find_cfa (0x101f) == 16);
    }
}

/* The attribute ends at the end of the FRE sub-section, or one byte after it,
   or is at an offset whose sum with the size wraps.  */
static void
test_attribute_bounds (void)
{
  begin (AMD64);
  simple_function (0x1000, 0x20, 8);
  function (0x2000, 0x20, ADDR1, DEFAULT, 0);
  finish ();
  uint32_t length = craft.fre_length;
  CHECK (find_outermost (0x2000));

  for (uint32_t more = 1; more <= 16; ++more)
    {
      poke (in_fde (1, FDE_ATTRIBUTE), length - ATTRIBUTE_SIZE + more, 4);
      CHECK (find_status (0x2000) == SFRAME_CORRUPT);
      poke (in_fde (1, FDE_ATTRIBUTE), -more, 4);
      CHECK (find_status (0x2000) == SFRAME_CORRUPT);
    }
  poke (in_fde (1, FDE_ATTRIBUTE), 0x80000000, 4);
  CHECK (find_status (0x2000) == SFRAME_CORRUPT);
  CHECK (find_cfa (0x1000) == 8);
}

/* More rows than the sub-section has bytes for: rows inside may be found,
   nothing after the end is read.  */
static void
test_count_past_end (void)
{
  for (int type = ADDR1; type <= ADDR4; ++type)
    for (unsigned int more = 1; more <= 0xffff; more = more * 4 + 1)
      {
	begin (AMD64);
	function (0x1000, 0x20, type, DEFAULT, 0);
	ROW (0, BASE_SP | WORD1, 8);
	ROW (4, BASE_SP | WORD1, 16);
	finish ();
	poke (in_attribute (0, ATTRIBUTE_COUNT), more > 0xfff0 ? 0xffff
	      : 2 + more, 2);
	CHECK (find_status (0x101f) == SFRAME_CORRUPT);
      }
  /* The attribute is all there is.  */
  begin (AMD64);
  function (0x1000, 0x20, ADDR1, DEFAULT, 0);
  finish ();
  poke (in_attribute (0, ATTRIBUTE_COUNT), 1, 2);
  CHECK (find_status (0x1000) == SFRAME_CORRUPT);
}

/* The last row loses its last CUT bytes to the end of the sub-section.  */
static void
check_cut_row (int type, int size, uint32_t cut)
{
  begin (AMD64);
  function (0x1000, 0x20, type, DEFAULT, 0);
  ROW (0, BASE_SP | WORD1, 8);
  ROW (8, BASE_SP | size, 16, -16);
  craft.fre_length -= cut;
  finish ();
  /* Bounds are of bytes, not of rows: let the header pass.  */
  poke (AT_FRE_COUNT, 1, 4);
  CHECK (find_status (0x1008) == (cut == 0 ? SFRAME_FOUND : SFRAME_CORRUPT));
  CHECK (find_status (0x101f) == (cut == 0 ? SFRAME_FOUND : SFRAME_CORRUPT));
}

static void
test_cut_rows (void)
{
  for (int type = ADDR1; type <= ADDR4; ++type)
    for (int size = WORD1; size <= WORD4; size += WORD2)
      {
	uint32_t whole = (1 << type) + 1 + (2 << (size >> 5));
	for (uint32_t cut = 0; cut <= whole; ++cut)
	  check_cut_row (type, size, cut);
      }
}

/* Three FRE types are defined; the field has room for 16.  The bytes would be
   a good row if the start address took 1 << type of them.  */
static void
test_fre_types (void)
{
  for (unsigned int type = 0; type <= 15; ++type)
    for (unsigned int mask = 0; mask <= MASK; mask += MASK)
      {
	begin (AMD64);
	function (0x1000, 0x20, type | mask, DEFAULT, 16);
	for (unsigned int i = 0; i < 1U << type; ++i)
	  emit (0, 1);
	emit (BASE_SP | WORD1 | 1 << 1, 1);
	emit (8, 1);
	finish ();
	poke (in_attribute (0, ATTRIBUTE_COUNT), 1, 2);
	CHECK (find_status (0x1000) == (type <= ADDR4 ? SFRAME_FOUND
					: SFRAME_CORRUPT));
      }
}

/* Two FDE types are defined, "other ABIs may add even arch-specific FDE
   types": FDEs of other types have no rule.  The row here would be valid in
   both known types.  */
static void
test_fde_types (void)
{
  for (unsigned int type = DEFAULT; type <= 31; ++type)
    {
      begin (AMD64);
      function (0x1000, 0x20, ADDR1, type, 0);
      ROW (0, BASE_SP | WORD1, CONTROL (7, IS_REGISTER), 8);
      simple_function (0x2000, 0x20, 16);
      finish ();
      CHECK ((find_status (0x1000) == SFRAME_FOUND) == (type <= FLEXIBLE));
      CHECK (find_cfa (0x2000) == 16);
    }
}

/* Word size 3 is not defined: neither the row nor the following ones can be
   read, even if words of 1 << 3 bytes would fit.  */
static void
test_word_size_3 (void)
{
  begin (AMD64);
  function (0x1000, 0x20, ADDR1, DEFAULT, 0);
  ROW (0, BASE_SP | WORD1, 8);
  ROW (8, BASE_SP | WORD_BAD, 16);
  ROW (16, BASE_SP | WORD1, 24);
  finish ();
  CHECK (find_cfa (0x1007) == 8);
  CHECK (find_status (0x1008) == SFRAME_CORRUPT);
  CHECK (find_status (0x1010) == SFRAME_CORRUPT);
}

/* Section "Changes from Version 2 to Version 3": "an SFrame FDE of type
   SFRAME_FDE_TYPE_DEFAULT with no FREs is used to indicate an outermost
   frame", to its last byte.  */
static void
test_fde_without_rows (void)
{
  begin (AMD64);
  simple_function (0x1000, 0x20, 8);
  function (0x1020, 0x20, ADDR1, DEFAULT, 0);
  simple_function (0x1040, 0x20, 16);
  finish ();
  CHECK (!find_outermost (0x101f));
  CHECK (find_outermost (0x1020));
  CHECK (find_outermost (0x103f));
  CHECK (!find_outermost (0x1040));
  CHECK (find_cfa (0x1040) == 16);

  /* Neither a flexible FDE nor repeated blocks.  */
  begin (AMD64);
  function (0x1000, 0x20, ADDR1, FLEXIBLE, 0);
  function (0x1020, 0x20, ADDR1 | MASK, DEFAULT, 16);
  finish ();
  CHECK (find_status (0x1000) == SFRAME_NOT_FOUND);
  CHECK (find_status (0x1020) == SFRAME_NOT_FOUND);

  /* The shortest sub-section: its attribute is all there is.  */
  begin (AMD64);
  function (0x1000, 0x20, ADDR1, DEFAULT, 0);
  finish ();
  CHECK (craft.fre_length == ATTRIBUTE_SIZE);
  CHECK (find_outermost (0x1000));
}

/* The most rows that a function can have, in order and to the last.  */
static void
test_65535_rows (void)
{
  begin (AMD64);
  function (0x1000, 0x10000, ADDR2, DEFAULT, 0);
  for (unsigned int i = 0; i < 0xffff; ++i)
    ROW (i, BASE_SP | WORD4, 8 + i * 8);
  finish ();
  for (unsigned int i = 0; i < 0xffff; i += 0x1111)
    CHECK (find_cfa (0x1000 + i) == (int32_t) (8 + i * 8));
  CHECK (find_cfa (0x1000 + 0xfffe) == 8 + 0xfffe * 8);
  CHECK (find_cfa (0x1000 + 0xffff) == 8 + 0xfffe * 8);
  CHECK (find_status (0x1000 + 0x10000) == SFRAME_NOT_FOUND);
}

/* The header says that the index is sorted, but it is not: a function may not
   be found, but no wrong function is found.  */
static void
test_unsorted_index (void)
{
  begin (AMD64);
  for (int i = 0; i < 8; ++i)
    simple_function (0x1000 + (i * 5 % 8) * 0x100, 0x20, 8 + i * 5 % 8);
  finish ();
  for (int pc = 0xf00; pc < 0x1900; ++pc)
    {
      int32_t cfa = find_cfa (pc);
      CHECK (cfa == NO_ROW
	     || (cfa == 8 + (pc - 0x1000) / 0x100 && pc % 0x100 < 0x20));
    }
}

int
main (void)
{
  static const struct test_case cases[] =
    {
      { "first, middle, last FDE and the gaps", test_each_fde },
      { "adjacent FDEs", test_adjacent_fdes },
      { "starts from field and from section", test_origin_of_start },
      { "starts beyond 32 bits on both sides", test_far_starts },
      { "distance of 4 GiB", test_distance_is_not_cut },
      { "largest function, function around the section",
	test_large_function },
      { "starts at the ends of 64 bits", test_extreme_starts },
      { "function of no bytes", test_empty_function },
      { "function of no bytes sorted after a real one",
	test_empty_function_last },
      { "many functions of no bytes", test_many_empty_functions },
      { "bytes before the first function", test_no_function_before_index },
      { "auxiliary header skipped", test_auxiliary_header_skipped },
      { "all start sizes by all word sizes", test_sizes },
      { "PC before the first row", test_before_first_row },
      { "rows at every address modulo 8", test_unaligned_rows },
      { "rows of 0 to 15 words passed over",
	test_word_counts_passed_over },
      { "row after the end of its function",
	test_row_after_function },
      { "rows that descend", test_descending_rows },
      { "rows of no bytes", test_rows_of_no_bytes },
      { "mask, every byte of each repetition", test_mask },
      { "mask, every repetition size", test_mask_sizes },
      { "mask, before the first row", test_mask_before_first_row },
      { "mask with repetition of 0", test_repetition_of_0 },
      { "repetition without mask", test_repetition_without_mask },
      { "attribute past the sub-section", test_attribute_bounds },
      { "row count past the sub-section", test_count_past_end },
      { "row cut by the end of the sub-section", test_cut_rows },
      { "FRE types 0 to 15", test_fre_types },
      { "FDE types 0 to 31", test_fde_types },
      { "word size 3", test_word_size_3 },
      { "FDE without rows is outermost", test_fde_without_rows },
      { "65,535 rows", test_65535_rows },
      { "index not sorted after all", test_unsorted_index },
    };

  return run_cases (cases, sizeof cases / sizeof cases[0]);
}
