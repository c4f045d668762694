/* Crafted sections: finding the functions of several PCs at once.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The rule for a PC must be that of __sframe_find_rule, whatever PCs were
   searched before.  */

#include "craft.h"

/* COUNT functions of 0x20 bytes, 0x100 apart, with gaps between them; the CFA
   offset identifies the function.  */
static void
begin_functions (int count, uint8_t flags)
{
  begin (AMD64);
  craft.flags = flags;
  for (int i = 0; i < count; ++i)
    {
      function (0x1000 + i * 0x100, 0x20, ADDR1, DEFAULT, 0);
      ROW (0, BASE_SP | WORD1, 8 + i);
    }
  finish ();
}

static uint32_t
number_of (const struct sframe_functions *functions, unsigned int entry)
{
  const uint8_t *bytes = functions->number[entry];

  return bytes[0] | bytes[1] << 8 | bytes[2] << 16;
}

/* The CFA offset for PC by FUNCTIONS, or NO_ROW.  */
static int32_t
cfa_of (const struct sframe_section *section,
	struct sframe_functions *functions, uint64_t pc)
{
  struct sframe_rule rule, alone;
  enum sframe_find_status status
    = __sframe_find_rule_of (section, functions, pc, SP, FP, &rule);

  CHECK (status == __sframe_find_rule (section, pc, SP, FP, &alone));
  if (status != SFRAME_FOUND)
    return NO_ROW;
  CHECK (equal_rule (&rule, &alone));
  return rule.cfa.offset;
}

/* Have TEST look PCs up in the section, at each placement.  */
static void
at_each_placement (void (*test) (const struct sframe_section *section))
{
  for (int where = 0; where < PLACEMENTS; ++where)
    {
      struct sframe_section section;
      struct placed placed = place (where);
      require (checked_header (placed.start, craft.size, &section)
	       == SFRAME_HEADER_OK, "a section");
      test (&section);
      unplace (&placed);
    }
}

/* As many PCs as can be searched at once: in all functions, or in gaps.  */
static void
ask_for_all (const struct sframe_section *section)
{
  struct sframe_functions functions;
  uint64_t pcs[SFRAME_FUNCTIONS_MAX];
  unsigned int fdes = craft.function_count;

  for (unsigned int count = 0; count <= SFRAME_FUNCTIONS_MAX; ++count)
    {
      for (unsigned int i = 0; i < count; ++i)
	pcs[i] = 0x1000 + i * 7 % fdes * 0x100 + i * 5 % 0x28;
      __sframe_find_functions (section, pcs, count, &functions);
      CHECK (functions.next == 0 && functions.count == count);
      for (unsigned int i = 0; i < count; ++i)
	{
	  CHECK (number_of (&functions, i) == i * 7 % fdes);
	  functions.next = i;
	  CHECK (cfa_of (section, &functions, pcs[i])
		 == (int) (i * 5 % 0x28 < 0x20 ? 8 + i * 7 % fdes : NO_ROW));
	  CHECK (functions.next == i + (i * 5 % 0x28 < 0x20));
	}
    }
}

static void
test_all_counts (void)
{
  for (int count = 1; count <= FUNCTIONS_MAX; count += count < 9 ? 1 : 11)
    for (int flags = SORTED; flags <= (SORTED | PCREL); flags += PCREL)
      {
	begin_functions (count, flags);
	at_each_placement (ask_for_all);
      }
}

/* Before the first function and after the last one, as far as possible.  */
static void
ask_outside (const struct sframe_section *section)
{
  const uint64_t pcs[] = { 0, 0xfff, 0x1220, INT64_MAX,
			   UINT64_C (1) << 63, UINT64_MAX };
  enum { COUNT = sizeof pcs / sizeof pcs[0] };
  struct sframe_functions functions;

  __sframe_find_functions (section, pcs, COUNT, &functions);
  for (int i = 0; i < COUNT; ++i)
    {
      CHECK (number_of (&functions, i) == (i == 2 || i == 3 ? 2 : 0));
      CHECK (cfa_of (section, &functions, pcs[i]) == NO_ROW);
    }
}

static void
test_outside (void)
{
  begin_functions (3, SORTED | PCREL);
  at_each_placement (ask_outside);
}

/* Some PCs are never looked up: they were no return addresses.  */
static void
pass_over (const struct sframe_section *section)
{
  const uint64_t pcs[] = { 0x1000, 0x1101, 0x1202, 0x1303, 0x1404 };
  struct sframe_functions functions;

  __sframe_find_functions (section, pcs, 5, &functions);
  CHECK (cfa_of (section, &functions, 0x1202) == 10 && functions.next == 3);
  /* Used and passed over.  */
  CHECK (cfa_of (section, &functions, 0x1101) == 9 && functions.next == 3);
  CHECK (cfa_of (section, &functions, 0x1404) == 12 && functions.next == 5);
  CHECK (cfa_of (section, &functions, 0x1404) == 12 && functions.next == 5);
}

static void
test_passed_over (void)
{
  begin_functions (8, SORTED | PCREL);
  at_each_placement (pass_over);
}

/* Whatever number there is for a PC: of another function, or of none, as after
   a search in another section.  */
static void
mislead (const struct sframe_section *section)
{
  static const uint8_t numbers[][3]
    = { { 0 }, { 1 }, { 2 }, { 3 }, { 6 }, { 7 }, { 8 }, { 9 }, { 7, 1 },
	{ 7, 0, 1 }, { 0xff, 0xff, 0x7f }, { 0xff, 0xff, 0xff } };

  for (unsigned int i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
    for (uint64_t pc = 0xfff; pc < 0x1900; pc += 0x1f)
      {
	struct sframe_functions functions = { .count = 1 };
	memcpy (functions.number[0], numbers[i], 3);
	int32_t cfa = cfa_of (section, &functions, pc);
	CHECK (cfa == (pc >= 0x1000 && pc < 0x1800 && pc % 0x100 < 0x20
		       ? 8 + (int) (pc - 0x1000) / 0x100 : NO_ROW));
	CHECK (functions.next == (cfa != NO_ROW && i < 8
				  && cfa - 8 == numbers[i][0]));
      }
}

static void
test_misleading (void)
{
  begin_functions (8, SORTED | PCREL);
  at_each_placement (mislead);
}

/* An attribute that lies outside is not prefetched, and corrupt as ever.  */
static void
ask_for_corrupt (const struct sframe_section *section)
{
  const uint64_t pcs[] = { 0x1000, 0x1100 };
  struct sframe_functions functions;
  struct sframe_rule rule;

  __sframe_find_functions (section, pcs, 2, &functions);
  CHECK (__sframe_find_rule_of (section, &functions, 0x1000, SP, FP, &rule)
	 == SFRAME_CORRUPT);
  CHECK (cfa_of (section, &functions, 0x1100) == 9);
}

static void
test_attribute_outside (void)
{
  static const uint32_t offsets[] = { 0x10000, INT32_MAX, UINT32_MAX };

  for (unsigned int i = 0; i < sizeof offsets / sizeof offsets[0]; ++i)
    {
      begin_functions (2, SORTED | PCREL);
      poke (in_fde (0, FDE_ATTRIBUTE), offsets[i], 4);
      at_each_placement (ask_for_corrupt);
    }
}

static void
find_ends (const struct sframe_section *section)
{
  uint64_t start, size;

  __sframe_find_text (section, &start, &size);
  CHECK (start == 0x1000
	 && size == (craft.function_count - 1) * 0x100 + 0x20);
}

static void
test_text (void)
{
  for (int count = 1; count < 5; ++count)
    for (int flags = SORTED; flags <= (SORTED | PCREL); flags += PCREL)
      {
	begin_functions (count, flags);
	at_each_placement (find_ends);
      }
}

int
main (void)
{
  static const struct test_case cases[] =
    {
      { "as many PCs and functions as there may be", test_all_counts },
      { "PCs outside of all functions", test_outside },
      { "PCs that are not looked up", test_passed_over },
      { "numbers of other functions and of none", test_misleading },
      { "attribute past the sub-section", test_attribute_outside },
      { "first and last function", test_text },
    };

  return run_cases (cases, sizeof cases / sizeof cases[0]);
}
