/* Crafted CFA instructions: the row that they lead to, and which are refused.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "eh-craft.h"

/* A program of at most 30 bytes and its rules at one PC.  If no CFA is given
   here it is that of `usual'; if no register is given, it is SAVED.  */
struct example
{
  const char *name;
  unsigned char size;
  unsigned char bytes[30];
  unsigned int pc;
  /* Expected.  */
  uint64_t cfa_register;
  int64_t cfa_operand;
  unsigned int reg;
  enum sframe_eh_rule rule;
  int64_t operand;
};

#define PROGRAM(...)							\
  sizeof ((const unsigned char[]) { __VA_ARGS__ }), { __VA_ARGS__ }
#define CFA_USUAL SP, ENTRY_CFA
#define SAVED_UNSET SAVED, SFRAME_EH_UNSET, 0
#define RA_USUAL RA, SFRAME_EH_CFA_MEMORY, RA_AT

/* Opcodes.  */
enum { ADVANCE = 0x40, OFFSET = 0x80, RESTORE = 0xc0, NOP = 0, ADVANCE1 = 2,
       ADVANCE2 = 3, ADVANCE4 = 4, OFFSET_EXTENDED = 5, RESTORE_EXTENDED = 6,
       UNDEFINED = 7, SAME_VALUE = 8, REGISTER = 9, REMEMBER = 0xa,
       RESTORE_STATE = 0xb, DEF_CFA = 0xc, DEF_CFA_REGISTER = 0xd,
       DEF_CFA_OFFSET = 0xe, DEF_CFA_EXPRESSION = 0xf, EXPRESSION = 0x10,
       OFFSET_EXTENDED_SF = 0x11, DEF_CFA_SF = 0x12, DEF_CFA_OFFSET_SF = 0x13,
       VAL_OFFSET = 0x14, VAL_OFFSET_SF = 0x15, VAL_EXPRESSION = 0x16,
       ARGS_SIZE = 0x2e, NEGATIVE_OFFSET = 0x2f };

/* 0x7b is -5 as an SLEB128.  An advance by N is one of 2 * N bytes.  */
static const struct example examples[] =
  {
    { "initial rules", PROGRAM (NOP), 99, CFA_USUAL, RA_USUAL },
    { "before an advance", PROGRAM (ADVANCE | 3, DEF_CFA_OFFSET, 16), 5,
      CFA_USUAL, RA_USUAL },
    { "after an advance", PROGRAM (ADVANCE | 3, DEF_CFA_OFFSET, 16), 6,
      SP, 16, RA_USUAL },
    { "advance1, before", PROGRAM (ADVANCE1, 40, DEF_CFA_OFFSET, 16), 79,
      CFA_USUAL, RA_USUAL },
    { "advance1", PROGRAM (ADVANCE1, 40, DEF_CFA_OFFSET, 16), 80,
      SP, 16, RA_USUAL },
    { "advances add up",
      PROGRAM (ADVANCE | 3, DEF_CFA_OFFSET, 16, ADVANCE | 4,
	       DEF_CFA_OFFSET, 24), 14, SP, 24, RA_USUAL },
    { "def_cfa", PROGRAM (DEF_CFA, FP, 100), 0, FP, 100, RA_USUAL },
    { "def_cfa_sf", PROGRAM (DEF_CFA_SF, FP, 0x7b), 0, FP, 20, RA_USUAL },
    { "def_cfa_register", PROGRAM (DEF_CFA_REGISTER, FP), 0, FP, ENTRY_CFA,
      RA_USUAL },
    { "def_cfa_offset", PROGRAM (DEF_CFA_OFFSET, 0x90, 1), 0, SP, 144,
      RA_USUAL },
    { "def_cfa_offset, most of one byte",
      PROGRAM (DEF_CFA_OFFSET, 0x7f, ADVANCE | 40), 79, SP, 127, RA_USUAL },
    { "an advance at the end", PROGRAM (DEF_CFA_OFFSET, 16, ADVANCE | 1), 2,
      SP, 16, RA_USUAL },
    { "def_cfa_offset_sf", PROGRAM (DEF_CFA_OFFSET_SF, 0x7b), 0, SP, 20,
      RA_USUAL },
    { "offset", PROGRAM (OFFSET | SAVED, 5), 0, CFA_USUAL,
      SAVED, SFRAME_EH_CFA_MEMORY, -20 },
    { "offset_extended", PROGRAM (OFFSET_EXTENDED, SAVED, 5), 0, CFA_USUAL,
      SAVED, SFRAME_EH_CFA_MEMORY, -20 },
    { "offset_extended_sf", PROGRAM (OFFSET_EXTENDED_SF, SAVED, 0x7b), 0,
      CFA_USUAL, SAVED, SFRAME_EH_CFA_MEMORY, 20 },
    { "GNU_negative_offset_extended", PROGRAM (NEGATIVE_OFFSET, SAVED, 5), 0,
      CFA_USUAL, SAVED, SFRAME_EH_CFA_MEMORY, 20 },
    { "val_offset", PROGRAM (VAL_OFFSET, SAVED, 5), 0, CFA_USUAL,
      SAVED, SFRAME_EH_CFA_VALUE, -20 },
    { "val_offset_sf", PROGRAM (VAL_OFFSET_SF, SAVED, 0x7b), 0, CFA_USUAL,
      SAVED, SFRAME_EH_CFA_VALUE, 20 },
    { "register", PROGRAM (REGISTER, SAVED, SAVED12), 0, CFA_USUAL,
      SAVED, SFRAME_EH_IN_REGISTER, SAVED12 },
    { "undefined", PROGRAM (UNDEFINED, RA), 0, CFA_USUAL,
      RA, SFRAME_EH_UNDEFINED, 0 },
    { "same_value", PROGRAM (SAME_VALUE, SAVED), 0, CFA_USUAL,
      SAVED, SFRAME_EH_SAME, 0 },
    { "the last rule counts",
      PROGRAM (OFFSET | SAVED, 5, OFFSET | SAVED, 6), 0, CFA_USUAL,
      SAVED, SFRAME_EH_CFA_MEMORY, -24 },
    { "no room for the register", PROGRAM (OFFSET_EXTENDED, COLUMNS, 5), 0,
      CFA_USUAL, SAVED_UNSET },
    { "a register beyond all", PROGRAM (OFFSET_EXTENDED, 0xff, 0xff, 0x7f, 5),
      0, CFA_USUAL, SAVED_UNSET },
    { "restore to unset",
      PROGRAM (OFFSET | SAVED, 5, RESTORE | SAVED), 0, CFA_USUAL,
      SAVED_UNSET },
    { "restore to the initial rule",
      PROGRAM (UNDEFINED, RA, RESTORE | RA), 0, CFA_USUAL, RA_USUAL },
    { "restore_extended",
      PROGRAM (UNDEFINED, RA, RESTORE_EXTENDED, RA), 0, CFA_USUAL, RA_USUAL },
    { "a rule after restore",
      PROGRAM (RESTORE | RA, OFFSET | RA, 5), 0, CFA_USUAL,
      RA, SFRAME_EH_CFA_MEMORY, -20 },
    { "restore leaves the CFA alone",
      PROGRAM (DEF_CFA, FP, 40, RESTORE | RA), 0, FP, 40, RA_USUAL },
    { "restore of a register that has no room",
      PROGRAM (OFFSET | SAVED, 5, RESTORE_EXTENDED, 35), 0, CFA_USUAL,
      SAVED, SFRAME_EH_CFA_MEMORY, -20 },
    { "inside of a remembered state",
      PROGRAM (REMEMBER, DEF_CFA, FP, 40, OFFSET | SAVED, 5, ADVANCE | 3,
	       RESTORE_STATE), 5, FP, 40, SAVED, SFRAME_EH_CFA_MEMORY, -20 },
    { "after a remembered state",
      PROGRAM (REMEMBER, DEF_CFA, FP, 40, OFFSET | SAVED, 5, ADVANCE | 3,
	       RESTORE_STATE), 6, CFA_USUAL, SAVED_UNSET },
    { "the remembered state is the last one",
      PROGRAM (DEF_CFA_OFFSET, 16, OFFSET | SAVED, 3, REMEMBER, DEF_CFA, FP,
	       40, ADVANCE | 3, RESTORE_STATE), 6, SP, 16,
      SAVED, SFRAME_EH_CFA_MEMORY, -12 },
    { "the location is not restored",
      PROGRAM (REMEMBER, ADVANCE | 3, RESTORE_STATE, ADVANCE | 2,
	       DEF_CFA_OFFSET, 24), 9, CFA_USUAL, SAVED_UNSET },
    { "an advance after a remembered state",
      PROGRAM (REMEMBER, ADVANCE | 3, RESTORE_STATE, ADVANCE | 2,
	       DEF_CFA_OFFSET, 24), 10, SP, 24, SAVED_UNSET },
    { "between two restored states",
      PROGRAM (REMEMBER, DEF_CFA_OFFSET, 16, REMEMBER, DEF_CFA_OFFSET, 24,
	       ADVANCE | 1, RESTORE_STATE, ADVANCE | 1, RESTORE_STATE), 2,
      SP, 16, SAVED_UNSET },
    { "after two restored states",
      PROGRAM (REMEMBER, DEF_CFA_OFFSET, 16, REMEMBER, DEF_CFA_OFFSET, 24,
	       ADVANCE | 1, RESTORE_STATE, ADVANCE | 1, RESTORE_STATE), 4,
      CFA_USUAL, SAVED_UNSET },
    { "restore inside of a remembered state",
      PROGRAM (UNDEFINED, RA, REMEMBER, RESTORE | RA, ADVANCE | 3,
	       RESTORE_STATE), 6, CFA_USUAL, RA, SFRAME_EH_UNDEFINED, 0 },
    { "a state that is never restored",
      PROGRAM (REMEMBER, DEF_CFA_OFFSET, 16), 0, SP, 16, SAVED_UNSET },
    { "GNU_args_size", PROGRAM (ARGS_SIZE, 0x90, 1, DEF_CFA_OFFSET, 16), 0,
      SP, 16, SAVED_UNSET },
    { "ULEB128 of more bytes than needed",
      PROGRAM (DEF_CFA_OFFSET, 0x90, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
	       0x80, 0x80, 0x80, 0x80, 0x00), 0, SP, 16, SAVED_UNSET },
    { "SLEB128 of 64 bits",
      PROGRAM (DEF_CFA_OFFSET_SF, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
	       0x80, 0xe0, 0x7f), 0, SP, INT64_MIN, SAVED_UNSET },
  };

static const struct example *example;

static void
check_example (void)
{
  struct sframe_eh_row row;

  one_function (example->bytes, example->size);
  CHECK (find_row (example->pc, &row) == SFRAME_EH_OK);
  CHECK (!row.cfa_expression);
  CHECK (row.cfa_register == example->cfa_register);
  CHECK (row.cfa_operand == (uint64_t) example->cfa_operand);
  CHECK (row.rule[example->reg] == example->rule);
  if (example->operand != 0)
    CHECK (row.operand[example->reg] == (uint64_t) example->operand);
}

/* The program of each example is refused wherever it ends within an
   instruction, and nothing beyond its end is read.  The PC is beyond all
   advances.  */
static void
cut_at_every_byte (void)
{
  static const struct { unsigned char size, bytes[12]; } whole[] =
    {
      { PROGRAM (ADVANCE1, 1) }, { PROGRAM (ADVANCE2, 1, 0) },
      { PROGRAM (ADVANCE4, 1, 0, 0, 0) }, { PROGRAM (1, 0, 0, 0, 0) },
      { PROGRAM (OFFSET | SAVED, 0x80, 1) },
      { PROGRAM (OFFSET_EXTENDED, 0x83, 0, 0x80, 1) },
      { PROGRAM (RESTORE_EXTENDED, 0x83, 0) }, { PROGRAM (UNDEFINED, 3) },
      { PROGRAM (SAME_VALUE, 3) }, { PROGRAM (REGISTER, 3, 4) },
      { PROGRAM (DEF_CFA, 3, 4) }, { PROGRAM (DEF_CFA_REGISTER, 3) },
      { PROGRAM (DEF_CFA_OFFSET, 0x83, 0) },
      { PROGRAM (DEF_CFA_EXPRESSION, 2, 0x77, 0) },
      { PROGRAM (EXPRESSION, 3, 2, 0x77, 0) },
      { PROGRAM (OFFSET_EXTENDED_SF, 3, 0x80, 1) },
      { PROGRAM (DEF_CFA_SF, 3, 0x80, 1) },
      { PROGRAM (DEF_CFA_OFFSET_SF, 0x80, 1) },
      { PROGRAM (VAL_OFFSET, 3, 4) }, { PROGRAM (VAL_OFFSET_SF, 3, 4) },
      { PROGRAM (VAL_EXPRESSION, 3, 2, 0x77, 0) },
      { PROGRAM (ARGS_SIZE, 0x80, 1) }, { PROGRAM (NEGATIVE_OFFSET, 3, 4) },
    };
  struct sframe_eh_row row;

  for (size_t i = 0; i < sizeof whole / sizeof whole[0]; ++i)
    {
      for (unsigned int size = 1; size < whole[i].size; ++size)
	{
	  one_function (whole[i].bytes, size);
	  CHECK (find_row (99, &row) == SFRAME_EH_CORRUPT);
	}
      one_function (whole[i].bytes, whole[i].size);
      CHECK (find_row (99, &row) == SFRAME_EH_OK);
    }
}

/* The longer advances: their bytes are in the order of the machine.  */
static void
long_advances (void)
{
  struct sframe_eh_row row;

  for (size_t width = 2; width <= 4; width += 2)
    {
      begin (1);
      cie (PCREL | SDATA4);
      fde (0, 0, 0x100000, NULL, 0);
      emit (width == 2 ? ADVANCE2 : ADVANCE4, 1);
      emit (0x8001, width);
      emit (DEF_CFA_OFFSET, 1);
      emit (48, 1);
      end_record (craft.fde);
      CHECK (find_row (0x10001, &row) == SFRAME_EH_OK
	     && row.cfa_operand == ENTRY_CFA);
      CHECK (find_row (0x10002, &row) == SFRAME_EH_OK
	     && row.cfa_operand == 48);
    }
}

static void
set_location (void)
{
  struct sframe_eh_row row;

  one_function (NULL, 0);
  emit (1, 1);
  emit (CODE + 50 - craft.size, 4);
  emit (DEF_CFA_OFFSET, 1);
  emit (48, 1);
  end_record (craft.fde);
  CHECK (find_row (49, &row) == SFRAME_EH_OK && row.cfa_operand == ENTRY_CFA);
  CHECK (find_row (50, &row) == SFRAME_EH_OK && row.cfa_operand == 48);
}

/* The operand is the address of the length of the expression.  */
static void
expressions (void)
{
  static const unsigned char program[]
    = { DEF_CFA_EXPRESSION, 2, 0x77, 8, EXPRESSION, SAVED, 1, 0x96,
	VAL_EXPRESSION, SAVED12, 0 };
  struct sframe_eh_row row;

  one_function (program, sizeof program);
  CHECK (find_row (0, &row) == SFRAME_EH_OK);
  const unsigned char *start = craft.placed + craft.size - sizeof program;
  CHECK (row.cfa_expression && row.cfa_operand == (uintptr_t) start + 1);
  CHECK (row.rule[SAVED] == SFRAME_EH_EXPRESSION_MEMORY
	 && row.operand[SAVED] == (uintptr_t) start + 6);
  CHECK (row.rule[SAVED12] == SFRAME_EH_EXPRESSION_VALUE
	 && row.operand[SAVED12] == (uintptr_t) start + 10);
}

/* The status of a function with a program of SIZE bytes, which also is its
   CIE's program if IN_CIE.  */
static enum sframe_eh_status
status_of (const void *program, size_t size, bool in_cie)
{
  unsigned char data = PCREL | SDATA4;
  struct sframe_eh_row row;

  begin (1);
  cie (data);
  if (in_cie)
    {
      craft.size = craft.cie;
      cie_full (1, "zR", &data, 1, program, size);
    }
  fde (0, 0, 100, program, size);
  return find_row (99, &row);
}

#define STATUS(in_cie, ...)						\
  status_of ((const unsigned char[]) { __VA_ARGS__ },			\
	     sizeof ((const unsigned char[]) { __VA_ARGS__ }), in_cie)

static void
nothing_to_restore (void)
{
  CHECK (STATUS (false, RESTORE_STATE) == SFRAME_EH_CORRUPT);
  CHECK (STATUS (false, REMEMBER, RESTORE_STATE, RESTORE_STATE)
	 == SFRAME_EH_CORRUPT);
  CHECK (STATUS (true, RESTORE_STATE) == SFRAME_EH_CORRUPT);
}

static void
initial_rules_restored_in_themselves (void)
{
  CHECK (STATUS (true, RESTORE | RA) == SFRAME_EH_CORRUPT);
  CHECK (STATUS (true, OFFSET | RA, 2, RESTORE_EXTENDED, RA)
	 == SFRAME_EH_CORRUPT);
}

static void
half_a_rule_on_an_expression (void)
{
  CHECK (STATUS (false, DEF_CFA_EXPRESSION, 2, 0x77, 8, DEF_CFA_OFFSET, 8)
	 == SFRAME_EH_CORRUPT);
  CHECK (STATUS (false, DEF_CFA_EXPRESSION, 2, 0x77, 8, DEF_CFA_OFFSET_SF, 8)
	 == SFRAME_EH_CORRUPT);
  CHECK (STATUS (false, DEF_CFA_EXPRESSION, 2, 0x77, 8, DEF_CFA_REGISTER, 8)
	 == SFRAME_EH_CORRUPT);
  CHECK (STATUS (false, DEF_CFA_EXPRESSION, 2, 0x77, 8, DEF_CFA, 7, 8)
	 == SFRAME_EH_OK);
}

static void
unknown_instructions (void)
{
  for (unsigned int opcode = 0x17; opcode < 0x40; ++opcode)
    if (opcode != ARGS_SIZE && opcode != NEGATIVE_OFFSET)
      {
	CHECK (STATUS (false, opcode) == SFRAME_EH_NOT_UNDERSTOOD);
	/* Instructions that are skipped must be valid, too.  */
	CHECK (STATUS (false, REMEMBER, opcode, RESTORE_STATE)
	       == SFRAME_EH_NOT_UNDERSTOOD);
	/* Instructions for a later PC need not be valid.  */
	CHECK (STATUS (false, ADVANCE | 60, opcode) == SFRAME_EH_OK);
      }
}

/* Without limits, the first program would take minutes: each state is
   remembered anew and none is restored before the PC.  */
static void
too_many_steps (void)
{
  enum { DEEP = 1 << 19 };
  static unsigned char program[DEEP];

  memset (program, REMEMBER, DEEP);
  CHECK (status_of (program, SFRAME_EH_REMEMBERS_MAX, false) == SFRAME_EH_OK);
  CHECK (status_of (program, SFRAME_EH_REMEMBERS_MAX + 1, false)
	 == SFRAME_EH_NOT_UNDERSTOOD);
  CHECK (status_of (program, DEEP, false) == SFRAME_EH_NOT_UNDERSTOOD);
  /* The CIE has two instructions.  Those of the second kind are run by a loop
     of their own.  */
  for (int code = NOP; code <= ADVANCE; code += ADVANCE - NOP)
    {
      memset (program, code, DEEP);
      CHECK (status_of (program, SFRAME_EH_STEPS_MAX - 2, false)
	     == SFRAME_EH_OK);
      CHECK (status_of (program, SFRAME_EH_STEPS_MAX - 1, false)
	     == SFRAME_EH_NOT_UNDERSTOOD);
      CHECK (status_of (program, SFRAME_EH_STEPS_MAX, false)
	     == SFRAME_EH_NOT_UNDERSTOOD);
    }
}

static const struct test_case cases[] =
  {
    { "cut at every byte", cut_at_every_byte },
    { "advances of 2 and 4 bytes", long_advances },
    { "set_loc", set_location },
    { "expressions", expressions },
    { "nothing to restore", nothing_to_restore },
    { "initial rules restored in themselves",
      initial_rules_restored_in_themselves },
    { "half a rule on an expression", half_a_rule_on_an_expression },
    { "unknown instructions", unknown_instructions },
    { "too many steps", too_many_steps },
  };

enum { CASES = sizeof cases / sizeof cases[0],
       EXAMPLES = sizeof examples / sizeof examples[0] };

int
main (void)
{
  bool good = true;

  for (size_t i = 0; i < EXAMPLES; ++i)
    {
      example = &examples[i];
      struct test_case one = { example->name, check_example };
      good &= run_case (&one);
    }
  for (size_t i = 0; i < CASES; ++i)
    good &= run_case (&cases[i]);
  printf ("DONE: %d\n", EXAMPLES + CASES);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
