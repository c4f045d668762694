/* Crafted sections: the meaning of the data words of an FRE.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Expected results are those of the chapter "Interpretation of SFrame FREs" of
   the specification, section "Default FDE Type Interpretation" with its parts
   on AMD64, AArch64 and s390x, and section "Flexible FDE Type Interpretation".
   All sections have the byte order of the machine: the ABI is an argument of
   the reader.  */

#include "craft.h"

#define UNCHANGED ((struct sframe_place) { .kind = SFRAME_UNCHANGED })
#define AT_CFA(off) \
  ((struct sframe_place) { .kind = SFRAME_CFA_MEMORY, .offset = (off) })
#define CFA_PLUS(off) \
  ((struct sframe_place) { .kind = SFRAME_CFA_VALUE, .offset = (off) })
#define AT_REG(r, off) \
  ((struct sframe_place) { .kind = SFRAME_REGISTER_MEMORY, .reg = (r), \
			   .offset = (off) })
#define REG_PLUS(r, off) \
  ((struct sframe_place) { .kind = SFRAME_REGISTER_VALUE, .reg = (r), \
			   .offset = (off) })

/* Look up the row crafted last, alone in its function.  */
static enum sframe_find_status
find_row (struct sframe_rule *rule)
{
  finish ();
  return find (0x1000, rule);
}

#define CHECK_RULE(...) check_rule (__LINE__, __VA_ARGS__)

static void
check_rule (int line, struct sframe_place cfa, struct sframe_place ra,
	    struct sframe_place fp)
{
  struct sframe_rule rule;
  bool found = find_row (&rule) == SFRAME_FOUND && !rule.outermost;

  check_that (found, "a rule is found", __FILE__, line);
  if (!found)
    return;
  check_that (equal_place (&rule.cfa, &cfa), "CFA", __FILE__, line);
  check_that (equal_place (&rule.ra, &ra), "RA", __FILE__, line);
  check_that (equal_place (&rule.fp, &fp), "FP", __FILE__, line);
}

static enum sframe_find_status
row_status (void)
{
  struct sframe_rule rule;
  return find_row (&rule);
}

static void
begin_row (unsigned int abi, int fde_type)
{
  begin (abi);
  function (0x1000, 0x20, ADDR1, fde_type, 0);
}

/* "offset 1: CFA = BASE_REG + offset1; offset 2: FP = CFA + offset2"; the RA
   is at the fixed offset.  */
static void
test_amd64 (void)
{
  for (int size = WORD1; size <= WORD4; size += WORD2)
    {
      begin_row (AMD64, DEFAULT);
      ROW (0, BASE_SP | size, 8);
      CHECK_RULE (REG_PLUS (SP, 8), AT_CFA (-8), UNCHANGED);

      begin_row (AMD64, DEFAULT);
      ROW (0, BASE_SP | size, 16, -16);
      CHECK_RULE (REG_PLUS (SP, 16), AT_CFA (-8), AT_CFA (-16));

      begin_row (AMD64, DEFAULT);
      ROW (0, BASE_FP | size, 16, -16);
      CHECK_RULE (REG_PLUS (FP, 16), AT_CFA (-8), AT_CFA (-16));
    }
}

/* The offsets are signed and have the size given in the FRE.  */
static void
test_signed_words (void)
{
  static const struct { uint8_t size; int64_t least, most; } sizes[] =
    {
      { WORD1, INT8_MIN, INT8_MAX },
      { WORD2, INT16_MIN, INT16_MAX },
      { WORD4, INT32_MIN, INT32_MAX },
    };

  for (int i = 0; i < 3; ++i)
    {
      begin_row (AMD64, DEFAULT);
      ROW (0, BASE_SP | sizes[i].size, sizes[i].most, sizes[i].least);
      CHECK_RULE (REG_PLUS (SP, sizes[i].most), AT_CFA (-8),
		  AT_CFA (sizes[i].least));

      begin_row (AMD64, DEFAULT);
      ROW (0, BASE_FP | sizes[i].size, sizes[i].least, sizes[i].most);
      CHECK_RULE (REG_PLUS (FP, sizes[i].least), AT_CFA (-8),
		  AT_CFA (sizes[i].most));

      begin_row (AMD64, FLEXIBLE);
      ROW (0, sizes[i].size, CONTROL (6, IS_REGISTER), sizes[i].least,
	   CONTROL (0, IN_MEMORY), sizes[i].most, CONTROL (0, IN_MEMORY), -1);
      CHECK_RULE (REG_PLUS (6, sizes[i].least), AT_CFA (sizes[i].most),
		  AT_CFA (-1));
    }
}

/* The fixed offsets are those of the header, even if the ABI usually has
   others.  */
static void
test_fixed_offsets (void)
{
  static const int8_t offsets[] = { -128, -16, -8, 8, 127 };

  for (size_t i = 0; i < sizeof offsets; ++i)
    {
      begin_row (AMD64, DEFAULT);
      craft.fixed_ra = offsets[i];
      ROW (0, BASE_SP | WORD1, 8);
      CHECK_RULE (REG_PLUS (SP, 8), AT_CFA (offsets[i]), UNCHANGED);

      begin_row (AMD64, DEFAULT);
      craft.fixed_fp = offsets[i];
      ROW (0, BASE_SP | WORD1, 8);
      CHECK_RULE (REG_PLUS (SP, 8), AT_CFA (-8), AT_CFA (offsets[i]));

      begin_row (AMD64, FLEXIBLE);
      craft.fixed_ra = -24;
      craft.fixed_fp = offsets[i];
      ROW (0, WORD1, CONTROL (10, IS_REGISTER), 0);
      CHECK_RULE (REG_PLUS (10, 0), AT_CFA (-24), AT_CFA (offsets[i]));
    }
}

/* "RA = CFA + offset2, FP = CFA + offset3", seen together or not at all.  */
static void
test_aarch64 (void)
{
  begin_row (AARCH64, DEFAULT);
  ROW (0, BASE_SP | WORD1, 0);
  CHECK_RULE (REG_PLUS (SP, 0), UNCHANGED, UNCHANGED);

  begin_row (AARCH64, DEFAULT);
  ROW (0, BASE_FP | WORD2, 32, -24, -32);
  CHECK_RULE (REG_PLUS (FP, 32), AT_CFA (-24), AT_CFA (-32));
}

/* CFA = BASE_REG + offset1 * 8 + 160; RA at offset2 unless that is 0, FP at
   offset3, both as they are.  */
static void
test_s390x (void)
{
  for (int size = WORD1; size <= WORD4; size += WORD2)
    {
      begin_row (S390X, DEFAULT);
      ROW (0, BASE_SP | size, 0);
      CHECK_RULE (REG_PLUS (SP, 160), UNCHANGED, UNCHANGED);

      begin_row (S390X, DEFAULT);
      ROW (0, BASE_SP | size, 20, -48);
      CHECK_RULE (REG_PLUS (SP, 320), AT_CFA (-48), UNCHANGED);

      begin_row (S390X, DEFAULT);
      ROW (0, BASE_FP | size, 127, -48, -72);
      CHECK_RULE (REG_PLUS (FP, 1176), AT_CFA (-48), AT_CFA (-72));

      begin_row (S390X, DEFAULT);
      ROW (0, BASE_FP | size, -20, 0, -72);
      CHECK_RULE (REG_PLUS (FP, 0), UNCHANGED, AT_CFA (-72));

      begin_row (S390X, DEFAULT);
      ROW (0, BASE_SP | size, 0, 0);
      CHECK_RULE (REG_PLUS (SP, 160), UNCHANGED, UNCHANGED);
    }
}

/* The decoded CFA offset may need more bits than the stored one; one of more
   than 32 bits is invalid.  */
static void
test_s390x_large (void)
{
  const int64_t most = (INT32_MAX - 160) / 8;
  const int64_t least = (INT64_C (1) << 28) * -1 - 20;

  begin_row (S390X, DEFAULT);
  ROW (0, BASE_SP | WORD2, INT16_MAX);
  CHECK_RULE (REG_PLUS (SP, INT16_MAX * 8 + 160), UNCHANGED, UNCHANGED);
  begin_row (S390X, DEFAULT);
  ROW (0, BASE_SP | WORD4, most);
  CHECK_RULE (REG_PLUS (SP, most * 8 + 160), UNCHANGED, UNCHANGED);
  begin_row (S390X, DEFAULT);
  ROW (0, BASE_SP | WORD4, least);
  CHECK_RULE (REG_PLUS (SP, INT32_MIN), UNCHANGED, UNCHANGED);

  const int64_t bad[] = { most + 1, least - 1, INT32_MAX, INT32_MIN,
			  0x20000000, -0x20000000 };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
    {
      begin_row (S390X, DEFAULT);
      ROW (0, BASE_SP | WORD4, bad[i]);
      CHECK (row_status () == SFRAME_CORRUPT);
    }
}

/* Only CFA offsets, and only on s390x, are stored in this form, also in
   flexible FDEs: libsframe reads both types so, and the specification says
   "the value of the offset is stored adjusted" without restriction to a
   type.  */
static void
test_s390x_flexible (void)
{
  begin_row (S390X, FLEXIBLE);
  ROW (0, WORD1, CONTROL (15, IS_REGISTER), 1, CONTROL (17, IS_REGISTER), 2,
       CONTROL (16, IS_REGISTER), 3);
  CHECK_RULE (REG_PLUS (15, 168), REG_PLUS (17, 2), REG_PLUS (16, 3));

  begin_row (S390X, FLEXIBLE);
  ROW (0, WORD1, CONTROL (11, IS_REGISTER), 0, 0, CONTROL (16, IS_REGISTER),
       0);
  CHECK_RULE (REG_PLUS (11, 160), UNCHANGED, REG_PLUS (16, 0));

  begin_row (S390X, FLEXIBLE);
  ROW (0, WORD4, CONTROL (15, IS_REGISTER), INT32_MAX);
  CHECK (row_status () == SFRAME_CORRUPT);

  begin_row (AMD64, FLEXIBLE);
  ROW (0, WORD1, CONTROL (7, IS_REGISTER), 8);
  CHECK_RULE (REG_PLUS (7, 8), AT_CFA (-8), UNCHANGED);
}

/* "A value of zero indicates that the RA is undefined": outermost, for each
   ABI, type and size, whatever the header fixes.  */
static void
test_no_words (void)
{
  static const unsigned int abis[] = { AMD64, AARCH64, S390X };

  for (int i = 0; i < 3; ++i)
    for (int fde_type = DEFAULT; fde_type <= FLEXIBLE; ++fde_type)
      for (int size = WORD1; size <= WORD4; size += WORD2)
	{
	  begin_row (abis[i], fde_type);
	  craft.fixed_fp = -16;
	  EMPTY_ROW (0, BASE_SP | size);
	  ROW (8, BASE_SP | WORD1, CONTROL (7, IS_REGISTER), 8);
	  finish ();
	  CHECK (find_outermost (0x1000));
	  CHECK (find_outermost (0x1007));
	  CHECK (!find_outermost (0x1008));
	}
}

/* Such a row may be the last bytes of the sub-section.  */
static void
test_no_words_at_end (void)
{
  for (int fre_type = ADDR1; fre_type <= ADDR4; ++fre_type)
    {
      begin (AMD64);
      function (0x1000, 0x20, fre_type, DEFAULT, 0);
      ROW (0, BASE_SP | WORD1, 8);
      EMPTY_ROW (8, BASE_SP | WORD1);
      finish ();
      CHECK (!find_outermost (0x1007));
      CHECK (find_outermost (0x1008));
      CHECK (find_outermost (0x101f));
    }
}

/* "SFrame FDE Info Bytes", bit 7, on rows and on an outermost frame.  */
static void
test_signal (void)
{
  for (int signal = 0; signal <= SIGNAL; signal += SIGNAL)
    for (int fde_type = DEFAULT; fde_type <= FLEXIBLE; ++fde_type)
      {
	struct sframe_rule rule;

	begin (AMD64);
	function (0x1000, 0x20, ADDR1 | signal, fde_type, 0);
	ROW (0, BASE_SP | WORD1, CONTROL (7, IS_REGISTER), 8);
	EMPTY_ROW (1, BASE_SP);
	function (0x1020, 0x20, ADDR1 | signal, DEFAULT, 0);
	finish ();
	CHECK (find (0x1000, &rule) == SFRAME_FOUND);
	CHECK (rule.signal == (signal != 0) && !rule.outermost);
	CHECK (find (0x1001, &rule) == SFRAME_FOUND);
	CHECK (rule.signal == (signal != 0) && rule.outermost);
	CHECK (find (0x1020, &rule) == SFRAME_FOUND);
	CHECK (rule.signal == (signal != 0) && rule.outermost);
      }
}

/* Bits of another ABI or of none change nothing on AMD64: authentication key
   and unused bit of the first information byte, unused bits of the second,
   mangled RA of the row, unused bit of a control word.  */
static void
test_unused_bits (void)
{
  begin (AMD64);
  function (0x1000, 0x20, ADDR1 | 0x60, DEFAULT | 0xe0, 0);
  ROW (0, BASE_SP | WORD1 | 0x80, 16, -16);
  CHECK_RULE (REG_PLUS (SP, 16), AT_CFA (-8), AT_CFA (-16));

  begin (AMD64);
  function (0x1000, 0x20, ADDR1 | 0x60, FLEXIBLE | 0xe0, 0);
  ROW (0, BASE_SP | WORD1 | 0x80, CONTROL (10, IS_REGISTER | 4), 16,
       CONTROL (0, IN_MEMORY | 4), -8, CONTROL (6, 3 | 4), -16);
  CHECK_RULE (REG_PLUS (10, 16), AT_CFA (-8), AT_REG (6, -16));
}

/* A control word in place WHICH (0: CFA, 1: RA, 2: FP) of an otherwise plain
   row gives EXPECTED.  */
static void
check_control (int line, int which, int size, int64_t control, int offset,
	       struct sframe_place expected)
{
  int64_t words[6] = { CONTROL (7, IS_REGISTER), 8, CONTROL (0, IN_MEMORY),
		       -8, CONTROL (0, IN_MEMORY), -16 };
  struct sframe_place places[3] = { REG_PLUS (7, 8), AT_CFA (-8),
				    AT_CFA (-16) };

  words[which * 2] = control;
  words[which * 2 + 1] = offset;
  places[which] = expected;
  begin_row (AMD64, FLEXIBLE);
  row_words (0, size, words, 6);
  check_rule (line, places[0], places[1], places[2]);
}

/* "Recovery Rules": all four forms for RA and FP, the two with a register for
   the CFA.  */
static void
test_control_forms (void)
{
  for (int size = WORD1; size <= WORD4; size += WORD2)
    for (int which = 0; which < 3; ++which)
      for (int reg = 0; reg < 32; ++reg)
	{
	  check_control (__LINE__, which, size, CONTROL (reg, IS_REGISTER),
			 -24, REG_PLUS (reg, -24));
	  check_control (__LINE__, which, size,
			 CONTROL (reg, IS_REGISTER | IN_MEMORY), -24,
			 AT_REG (reg, -24));
	  if (which == 0)
	    continue;
	  /* "The DWARF register number [...] Effective only if reg_p is
	     1."  */
	  check_control (__LINE__, which, size, CONTROL (reg, IN_MEMORY),
			 -24, AT_CFA (-24));
	  if (reg > 0)
	    check_control (__LINE__, which, size, CONTROL (reg, 0), -24,
			   CFA_PLUS (-24));
	}
}

/* The control word is unsigned: 31 is the largest number that one byte can
   name, not -1.  */
static void
test_registers (void)
{
  for (int which = 0; which < 3; ++which)
    {
      check_control (__LINE__, which, WORD1, 0xff & ~4, 0, AT_REG (31, 0));
      for (int size = WORD2; size <= WORD4; size += WORD2)
	check_control (__LINE__, which, size,
		       CONTROL (SFRAME_REGISTER_MAX, IS_REGISTER), 0,
		       REG_PLUS (SFRAME_REGISTER_MAX, 0));
    }
}

/* Numbers above the largest, among them those that are small in 8 or 16
   bits.  */
static void
test_registers_too_large (void)
{
  static const int64_t regs[] = { 128, 256, 256 + 7, 0x1fff, 0x2007, 0x10000,
				  0x10007, 0x8000000, 0x1fffffff };

  for (size_t i = 0; i < sizeof regs / sizeof regs[0]; ++i)
    for (int which = 0; which < 3; ++which)
      for (int bits = IS_REGISTER; bits <= 3; bits += IN_MEMORY)
	{
	  int64_t words[6] = { CONTROL (7, IS_REGISTER), 8, 2, -8, 2, -16 };

	  words[which * 2] = CONTROL (regs[i], bits);
	  begin_row (AMD64, FLEXIBLE);
	  row_words (0, regs[i] > 0x1fff ? WORD4 : WORD2, words, 6);
	  CHECK (row_status () == SFRAME_CORRUPT);
	}
}

/* "CFA recovery must always specify a base register."  */
static void
test_cfa_without_register (void)
{
  for (int size = WORD1; size <= WORD4; size += WORD2)
    {
      begin_row (AMD64, FLEXIBLE);
      ROW (0, size, CONTROL (0, IN_MEMORY), 8);
      CHECK (row_status () == SFRAME_CORRUPT);

      begin_row (AMD64, FLEXIBLE);
      ROW (0, size, CONTROL (7, 0), 8, CONTROL (0, IN_MEMORY), -8);
      CHECK (row_status () == SFRAME_CORRUPT);

      begin_row (AMD64, FLEXIBLE);
      ROW (0, size, CONTROL (7, IN_MEMORY), 8);
      CHECK (row_status () == SFRAME_CORRUPT);

      begin_row (AMD64, FLEXIBLE);
      ROW (0, size, CONTROL (7, IS_REGISTER), 8);
      CHECK_RULE (REG_PLUS (7, 8), AT_CFA (-8), UNCHANGED);

      /* Padding in the place of the CFA: that of the row before is not used.  */
      begin_row (AMD64, FLEXIBLE);
      ROW (0, size, 0, CONTROL (0, IN_MEMORY), -8);
      CHECK (row_status () == SFRAME_CORRUPT);
    }
}

/* "If RA recovery rule is unspecified, a single padding data word is used
   instead of the pair": the next pair is that of the FP.  */
static void
test_padding (void)
{
  for (int size = WORD1; size <= WORD4; size += WORD2)
    {
      begin_row (AMD64, FLEXIBLE);
      ROW (0, size, CONTROL (10, IS_REGISTER), 0, 0,
	   CONTROL (6, IS_REGISTER | IN_MEMORY), 0);
      CHECK_RULE (REG_PLUS (10, 0), AT_CFA (-8), AT_REG (6, 0));

      begin_row (AMD64, FLEXIBLE);
      ROW (0, size, CONTROL (10, IS_REGISTER), 0, 0);
      CHECK_RULE (REG_PLUS (10, 0), AT_CFA (-8), UNCHANGED);

      begin_row (AMD64, FLEXIBLE);
      ROW (0, size, CONTROL (10, IS_REGISTER), 0, 0, 0);
      CHECK_RULE (REG_PLUS (10, 0), AT_CFA (-8), UNCHANGED);

      begin_row (AMD64, FLEXIBLE);
      craft.fixed_fp = -16;
      ROW (0, size, CONTROL (10, IS_REGISTER), 0, CONTROL (0, IN_MEMORY),
	   -24, 0);
      CHECK_RULE (REG_PLUS (10, 0), AT_CFA (-24), AT_CFA (-16));
    }
}

/* A rule in the row takes precedence over the fixed offset of the header.  */
static void
test_rule_over_fixed_offset (void)
{
  begin_row (AMD64, FLEXIBLE);
  craft.fixed_fp = -16;
  ROW (0, WORD1, CONTROL (7, IS_REGISTER), 8, CONTROL (3, 3), -32,
       CONTROL (12, IS_REGISTER), 0);
  CHECK_RULE (REG_PLUS (7, 8), AT_REG (3, -32), REG_PLUS (12, 0));
}

/* A control word without its offset.  */
static void
test_missing_words (void)
{
  for (int size = WORD1; size <= WORD4; size += WORD2)
    {
      begin_row (AMD64, FLEXIBLE);
      ROW (0, size, CONTROL (7, IS_REGISTER));
      CHECK (row_status () == SFRAME_CORRUPT);

      begin_row (AMD64, FLEXIBLE);
      ROW (0, size, CONTROL (7, IS_REGISTER), 8, CONTROL (0, IN_MEMORY));
      CHECK (row_status () == SFRAME_CORRUPT);

      begin_row (AMD64, FLEXIBLE);
      ROW (0, size, CONTROL (7, IS_REGISTER), 8, CONTROL (0, IN_MEMORY), -8,
	   CONTROL (0, IN_MEMORY));
      CHECK (row_status () == SFRAME_CORRUPT);

      begin_row (AMD64, FLEXIBLE);
      ROW (0, size, CONTROL (7, IS_REGISTER), 8, 0, CONTROL (0, IN_MEMORY));
      CHECK (row_status () == SFRAME_CORRUPT);
    }
}

/* The specification's own examples: CFA = *(RBP - 8), FP = *(RBP + 0) and
   RA = *(CFA - 8), RBP being 6.  */
static void
test_examples (void)
{
  begin_row (AMD64, FLEXIBLE);
  ROW (0, WORD1, 6 << 3 | 1 << 1 | 1, -8, 0 << 3 | 1 << 1 | 0, -8,
       6 << 3 | 1 << 1 | 1, 0);
  CHECK_RULE (AT_REG (6, -8), AT_CFA (-8), AT_REG (6, 0));
}

int
main (void)
{
  static const struct test_case cases[] =
    {
      { "AMD64", test_amd64 },
      { "smallest and largest offset of each size",
	test_signed_words },
      { "fixed offsets of the header", test_fixed_offsets },
      { "AArch64", test_aarch64 },
      { "s390x", test_s390x },
      { "s390x, large frames", test_s390x_large },
      { "s390x, flexible", test_s390x_flexible },
      { "no words are the outermost frame", test_no_words },
      { "no words at the end of the sub-section", test_no_words_at_end },
      { "signal frame", test_signal },
      { "unused bits", test_unused_bits },
      { "every form of control word", test_control_forms },
      { "largest registers", test_registers },
      { "registers too large", test_registers_too_large },
      { "CFA without register", test_cfa_without_register },
      { "padding word", test_padding },
      { "rule in the row over fixed offset",
	test_rule_over_fixed_offset },
      { "control word without offset", test_missing_words },
      { "examples of the specification", test_examples },
    };

  return run_cases (cases, sizeof cases / sizeof cases[0]);
}
