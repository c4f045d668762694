/* Steps by crafted rules: the registers of the caller.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The stack is that of sframe-stack.h.  */

#include <sframe-eh-step.h>
#include <sframe-machine.h>

#include "eh-craft.h"

enum { RAX = 0, RDX = 1, RSI = 4, R13 = 13, R15 = 15, REGISTERS = 16 };
/* Each register N has the value BASE + 64 * N.  */
#define BASE UINT64_C (0x7000000)
#define VALUE(n) (BASE + 64 * (n))
/* SP is below all of them.  */
#define OLD_SP (BASE - 0x10000)

static struct sframe_registers registers;
static struct sframe_stack stack;
static struct sframe_eh_entry entry;
static struct sframe_eh_row row;

static void
fresh (void)
{
  for (unsigned int i = 0; i < REGISTERS; ++i)
    registers.value[i] = VALUE (i);
  registers.value[RSP] = OLD_SP;
  registers.known = (1 << REGISTERS) - 1;
  registers.kept = 0;
  registers.interrupted = false;
  stack = (struct sframe_stack) { .unreadable = 1, .same_stack = true };
}

/* Step at byte 50 of the function that has been made.  */
static enum sframe_eh_status
step (void)
{
  require (find (50, &entry) == SFRAME_EH_OK, "the entry is found");
  registers.pc = code (50);
  require (__sframe_eh_find_row (&entry, code (50), &row) == SFRAME_EH_OK,
	   "the row is found");
  return __sframe_eh_step (&registers, &entry, &row, &stack);
}

/* The same with fresh registers and a program.  */
#define STEP(...)							\
  (one_function ((const unsigned char[]) { __VA_ARGS__ },		\
		 sizeof ((const unsigned char[]) { __VA_ARGS__ })),	\
   step ())
#define FRESH_STEP(...) (fresh (), STEP (__VA_ARGS__))

static bool
is_known (unsigned int reg)
{
  return (registers.known >> reg & 1) != 0;
}

static bool
has (unsigned int reg, uint64_t value)
{
  return is_known (reg) && registers.value[reg] == value;
}

static void
plain_frame (void)
{
  /* CFA is RSP + 32; RBX is saved at CFA - 16.  */
  CHECK (FRESH_STEP (0x0e, 32, 0x80 | RBX, 4) == SFRAME_EH_OK);
  CHECK (registers.pc == word_at (OLD_SP + 24));
  CHECK (has (RSP, OLD_SP + 32));
  CHECK (has (RBX, word_at (OLD_SP + 16)));
  CHECK (!registers.interrupted);
}

/* The System V ABI: RBX, RBP, RSP and R12 to R15 belong to the caller.  */
static void
registers_that_calls_preserve (void)
{
  CHECK (FRESH_STEP (0x0e, 32) == SFRAME_EH_OK);
  for (unsigned int i = 0; i < REGISTERS; ++i)
    if (i == RBX || i == RBP || i >= R12)
      CHECK (has (i, VALUE (i)));
    else if (i != RSP)
      CHECK (!is_known (i));
  /* The rule of RDX is same value.  */
  CHECK (FRESH_STEP (0x0e, 32, 0x08, RDX) == SFRAME_EH_OK);
  CHECK (has (RDX, VALUE (RDX)));
}

/* GCC's rules at the end of a function that realigns the stack: RBP is saved
   at the address in RBP, and RBX below.  Both are restored already if RBP is
   not in the frame, from RSP up to RSP + 32.  */
#define REALIGNED 0x0e, 32, 0x10, RBP, 2, 0x76, 0, 0x10, RBX, 2, 0x76, 0x78

static void
registers_that_are_restored (void)
{
  fresh ();
  registers.interrupted = true;
  CHECK (STEP (REALIGNED) == SFRAME_EH_OK);
  CHECK (has (RBP, VALUE (RBP)));
  CHECK (has (RBX, VALUE (RBX)));

  fresh ();
  registers.interrupted = true;
  registers.value[RBP] = OLD_SP + 16;
  CHECK (STEP (REALIGNED) == SFRAME_EH_OK);
  CHECK (has (RBP, word_at (OLD_SP + 16)));
  CHECK (has (RBX, word_at (OLD_SP + 8)));

  /* A function that has made a call has not restored them.  */
  CHECK (FRESH_STEP (REALIGNED) == SFRAME_EH_OK);
  CHECK (has (RBP, word_at (VALUE (RBP))));
}

/* The caller of an interrupted frame may need a register that this frame does
   not mention; the caller's caller may not.  */
static void
registers_that_the_callee_keeps (void)
{
  fresh ();
  registers.interrupted = true;
  CHECK (STEP (0x0e, 32) == SFRAME_EH_OK);
  CHECK (!is_known (RDX));
  CHECK (STEP (0x0c, RDX, 32) == SFRAME_EH_OK);
  CHECK (has (RSP, VALUE (RDX) + 32));
  CHECK (STEP (0x0c, RDX, 64) == SFRAME_EH_REGISTER);

  CHECK (FRESH_STEP (0x0e, 32) == SFRAME_EH_OK);
  CHECK (STEP (0x0c, RDX, 32) == SFRAME_EH_REGISTER);
  /* The rule of RDX is undefined.  */
  fresh ();
  registers.interrupted = true;
  CHECK (STEP (0x0e, 32, 0x07, RDX) == SFRAME_EH_OK);
  CHECK (STEP (0x0c, RDX, 32) == SFRAME_EH_REGISTER);
}

static void
unknown_stays_unknown (void)
{
  fresh ();
  registers.known &= ~(1 << R12);
  CHECK (STEP (0x0e, 32, 0x09, RBX, R12) == SFRAME_EH_OK);
  CHECK (!is_known (R12));
  CHECK (!is_known (RBX));
  CHECK (has (R13, VALUE (R13)));
}

static void
cfa_from_unknown_register (void)
{
  fresh ();
  registers.known &= ~(1 << RBX);
  CHECK (STEP (0x0c, RBX, 32) == SFRAME_EH_REGISTER);
  fresh ();
  registers.known &= ~(1 << RBX);
  CHECK (STEP (0x0f, 2, 0x70 + RBX, 32) == SFRAME_EH_REGISTER);
  CHECK (FRESH_STEP (0x0c, RBX, 32) == SFRAME_EH_OK);
  CHECK (has (RSP, VALUE (RBX) + 32));
  CHECK (FRESH_STEP (0x0c, RA, 32) == SFRAME_EH_CORRUPT);
  CHECK (FRESH_STEP (0x0c, 40, 32) == SFRAME_EH_CORRUPT);
}

/* Step by an entry whose CIE has nothing but the instructions INITIAL.  */
static enum sframe_eh_status
step_by_cie (const unsigned char *initial, size_t size)
{
  unsigned char data = PCREL | SDATA4;

  begin (1);
  cie (data);
  craft.size = craft.cie;
  cie_full (1, "zR", &data, 1, initial, size);
  fde (0, 0, 100, NULL, 0);
  fresh ();
  return step ();
}

static void
cfa_never_defined (void)
{
  static const unsigned char only_ra[] = { 0x80 | RA, 2 };

  CHECK (step_by_cie (only_ra, sizeof only_ra) == SFRAME_EH_CORRUPT);
}

static void
outermost (void)
{
  CHECK (FRESH_STEP (0x07, RA) == SFRAME_EH_OUTERMOST);
  CHECK (stack.reads == 0);
}

static void
ra_unreadable (void)
{
  fresh ();
  stack.unreadable = OLD_SP + 24;
  CHECK (STEP (0x0e, 32) == SFRAME_EH_BROKEN);
  /* Misaligned.  */
  CHECK (FRESH_STEP (0x0e, 33) == SFRAME_EH_BROKEN);
}

static void
saved_register_unreadable (void)
{
  fresh ();
  stack.unreadable = OLD_SP + 16;
  CHECK (STEP (0x0e, 32, 0x80 | RBX, 4) == SFRAME_EH_OK);
  CHECK (!is_known (RBX));
  CHECK (has (RSP, OLD_SP + 32));
}

static void
ra_in_register (void)
{
  fresh ();
  registers.interrupted = true;
  /* As if the return address had been popped: SP stays where it is.  */
  CHECK (STEP (0x0e, 0, 0x09, RA, RDX) == SFRAME_EH_OK);
  CHECK (registers.pc == VALUE (RDX));
  CHECK (has (RSP, OLD_SP));
  /* After a call nothing can have left SP alone.  */
  CHECK (FRESH_STEP (0x0e, 0, 0x09, RA, RDX) == SFRAME_EH_BROKEN);
  fresh ();
  registers.known &= ~(1 << RDX);
  CHECK (STEP (0x0e, 32, 0x09, RA, RDX) == SFRAME_EH_REGISTER);
}

static void
ra_without_a_rule (void)
{
  static const unsigned char only_cfa[] = { 0x0c, RSP, 8 };

  CHECK (step_by_cie (only_cfa, sizeof only_cfa) == SFRAME_EH_REGISTER);
}

static void
registers_that_swap (void)
{
  CHECK (FRESH_STEP (0x0e, 32, 0x09, RBX, R12, 0x09, R12, RBX)
	 == SFRAME_EH_OK);
  CHECK (has (RBX, VALUE (R12)));
  CHECK (has (R12, VALUE (RBX)));
}

static void
frame_below_its_callee (void)
{
  /* CFA_sf: -8 from RSP, and from RBP when that is below.  */
  CHECK (FRESH_STEP (0x12, RSP, 2) == SFRAME_EH_BROKEN);
  fresh ();
  registers.value[RBP] = OLD_SP - 64;
  CHECK (STEP (0x0c, RBP, 16) == SFRAME_EH_BROKEN);
  /* A function that switches stacks may do that.  */
  fresh ();
  registers.value[RBP] = OLD_SP - 64;
  stack.same_stack = false;
  CHECK (STEP (0x0c, RBP, 16) == SFRAME_EH_OK);
  CHECK (has (RSP, OLD_SP - 48));
  fresh ();
  stack.same_stack = false;
  CHECK (STEP (0x12, RSP, 2) == SFRAME_EH_BROKEN);
}

/* A CFA far away is probed before another word is read, whatever register it
   is computed from; so is an SP that is not the CFA.  */
static void
far_frames (void)
{
  const uint64_t far = VALUE (RBX) + 16;

  CHECK (FRESH_STEP (0x0e, 0x80, 0x20) == SFRAME_EH_OK);
  CHECK (stack.checks == 0 && has (RSP, OLD_SP + 4096));
  CHECK (FRESH_STEP (0x0e, 0x88, 0x20) == SFRAME_EH_OK);
  CHECK (stack.checks == 1 && stack.checked == OLD_SP + 4096
	 && stack.read_before == 0);
  CHECK (FRESH_STEP (0x0c, RBX, 16, 0x10, RAX, 2, 0x77, 0) == SFRAME_EH_OK);
  CHECK (stack.checks == 1 && stack.checked == far - 8
	 && stack.read_before == 0);
  CHECK (FRESH_STEP (0x0f, 2, 0x70 + RBX, 16) == SFRAME_EH_OK);
  CHECK (stack.checks == 1 && stack.checked == far - 8);
  CHECK (FRESH_STEP (0x0e, 32, 0x09, RSP, RBX) == SFRAME_EH_OK);
  CHECK (stack.checks == 1 && stack.checked == VALUE (RBX));
}

/* The same step by a rule of SFrame: RA is at CFA - 8.  */
static enum sframe_step_status
step_by_rule (enum sframe_place_kind kind, unsigned int reg, int32_t offset)
{
  struct sframe_rule rule
    = { .cfa = { .kind = kind, .reg = reg, .offset = offset },
	.ra = { .kind = SFRAME_CFA_MEMORY, .offset = -8 },
	.fp = { .kind = SFRAME_UNCHANGED } };

  return __sframe_step (&registers, &rule, &stack);
}

static void
far_frames_by_sframe (void)
{
  fresh ();
  CHECK (step_by_rule (SFRAME_REGISTER_VALUE, RSP, 4096)
	 == SFRAME_STEP_CALLER);
  CHECK (stack.checks == 0 && has (RSP, OLD_SP + 4096));
  fresh ();
  CHECK (step_by_rule (SFRAME_REGISTER_VALUE, RSP, 4104)
	 == SFRAME_STEP_CALLER);
  CHECK (stack.checks == 1 && stack.checked == OLD_SP + 4096);
  fresh ();
  CHECK (step_by_rule (SFRAME_REGISTER_VALUE, RBP, 16) == SFRAME_STEP_CALLER);
  CHECK (stack.checks == 1 && stack.checked == VALUE (RBP) + 8);
}

/* The caller's SP is in a word at SP, and below it.  */
static void
cfa_in_memory_at_sp (void)
{
  fresh ();
  registers.value[RSP] = UINT64_MAX << 60;
  uint64_t cfa = word_at (registers.value[RSP]);
  require (cfa < registers.value[RSP], "the word is low");
  CHECK (step_by_rule (SFRAME_REGISTER_MEMORY, RSP, 0)
	 == SFRAME_STEP_BROKEN);
  fresh ();
  registers.value[RSP] = UINT64_MAX << 60;
  stack.same_stack = false;
  CHECK (step_by_rule (SFRAME_REGISTER_MEMORY, RSP, 0)
	 == SFRAME_STEP_CALLER);
  CHECK (has (RSP, cfa) && stack.checks == 1);
  /* No register is ever below itself.  */
  fresh ();
  stack.same_stack = false;
  CHECK (step_by_rule (SFRAME_REGISTER_VALUE, RSP, -16)
	 == SFRAME_STEP_BROKEN);
}

/* .eh_frame may know an FP that SFrame does not.  */
static void
fp_unknown (void)
{
  fresh ();
  registers.known &= ~(1 << RBP);
  CHECK (step_by_rule (SFRAME_REGISTER_VALUE, RBP, 16)
	 == SFRAME_STEP_UNKNOWN);
  /* It need not be known where it is not needed.  */
  fresh ();
  registers.known &= ~(1 << RBP);
  CHECK (step_by_rule (SFRAME_REGISTER_VALUE, RSP, 16) == SFRAME_STEP_CALLER);
  CHECK (!is_known (RBP) && has (RSP, OLD_SP + 16));
}

/* As the kernel's vDSO describes its trampoline.  */
static void
signal_frame (void)
{
  unsigned char data = PCREL | SDATA4;
  /* RSI at CFA + 8, RSP at CFA + 16, RA at CFA.  */
  static const unsigned char program[]
    = { 0x0c, RSP, 0, 0x10, RSI, 2, 0x77, 8, 0x10, RSP, 2, 0x77, 16,
	0x10, RA, 2, 0x77, 0 };

  begin (1);
  cie (data);
  craft.size = craft.cie;
  cie_full (1, "zRS", &data, 1, usual, sizeof usual);
  fde (0, 0, 100, program, sizeof program);
  fresh ();
  CHECK (step () == SFRAME_EH_OK);
  CHECK (registers.interrupted);
  CHECK (registers.pc == word_at (OLD_SP));
  CHECK (has (RSI, word_at (OLD_SP + 8)));
  CHECK (has (RSP, word_at (OLD_SP + 16)));
  /* Not in the kernel's record, hence as it was.  */
  CHECK (has (RAX, VALUE (RAX)));
}

static void
cfa_value (void)
{
  /* RBX is CFA - 16.  */
  CHECK (FRESH_STEP (0x0e, 32, 0x14, RBX, 4) == SFRAME_EH_OK);
  CHECK (has (RBX, OLD_SP + 16));
}

/* An expression begins with CFA on its stack, but for that of CFA.  */
static void
expressions_and_cfa (void)
{
  CHECK (FRESH_STEP (0x0e, 32, 0x10, RBX, 2, 0x23, 8, 0x16, R12, 2, 0x23, 16)
	 == SFRAME_EH_OK);
  CHECK (has (RBX, word_at (OLD_SP + 40)));
  CHECK (has (R12, OLD_SP + 48));
  CHECK (FRESH_STEP (0x0f, 2, 0x23, 8) == SFRAME_EH_CORRUPT);
  CHECK (FRESH_STEP (0x0f, 0) == SFRAME_EH_CORRUPT);
}

/* GNU ld's expression for a lazily bound .plt: from byte 11 of each 16 on, the
   entry has pushed a word.  */
static void
plt_expression (void)
{
  for (unsigned int pc = 16; pc < 48; ++pc)
    {
      fresh ();
      registers.interrupted = true;
      one_function ((const unsigned char[])
		      { 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a,
			0x33, 0x24, 0x22 }, 13);
      require (find (pc, &entry) == SFRAME_EH_OK, "the entry is found");
      uintptr_t at = code (0) + pc;
      registers.pc = at;
      CHECK (__sframe_eh_find_row (&entry, at, &row) == SFRAME_EH_OK);
      CHECK (__sframe_eh_step (&registers, &entry, &row, &stack)
	     == SFRAME_EH_OK);
      CHECK (has (RSP, OLD_SP + 8 + (at % 16 >= 11 ? 8 : 0)));
    }
}

/* The value of the expression in some bytes.  */
struct expression
{
  const char *name;
  unsigned char size, bytes[16];
  uint64_t value;
};

#define BYTES(...)							\
  sizeof ((const unsigned char[]) { __VA_ARGS__ }), { __VA_ARGS__ }

/* 0x31 to 0x3f are 1 to 15; 0x09 0xfd is -3.  */
static const struct expression expressions[] =
  {
    { "lit0", BYTES (0x30), 0 },
    { "lit31", BYTES (0x4f), 31 },
    { "const1u", BYTES (0x08, 0xfd), 0xfd },
    { "const1s", BYTES (0x09, 0xfd), -3 },
    { "const2s", BYTES (0x0b, 0xff, 0xff), -1 },
    { "const4s", BYTES (0x0d, 0xff, 0xff, 0xff, 0xff), -1 },
    { "const4u", BYTES (0x0c, 0xff, 0xff, 0xff, 0xff), UINT32_MAX },
    { "const8u", BYTES (0x0e, 1, 1, 1, 1, 1, 1, 1, 1), 0x0101010101010101 },
    { "const2u", BYTES (0x0a, 2, 2), 0x202 },
    { "const8s", BYTES (0x0f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
      -1 },
    { "addr", BYTES (0x03, 3, 3, 3, 3, 3, 3, 3, 3), 0x0303030303030303 },
    { "constu", BYTES (0x10, 0x90, 1), 144 },
    { "consts", BYTES (0x11, 0x7d), -3 },
    { "breg", BYTES (0x70 + RBX, 0x78), VALUE (RBX) - 8 },
    { "bregx", BYTES (0x92, R12, 0x78), VALUE (R12) - 8 },
    { "dup", BYTES (0x33, 0x12, 0x22), 6 },
    { "drop", BYTES (0x33, 0x34, 0x13), 3 },
    { "over", BYTES (0x33, 0x34, 0x14, 0x1c), 1 },
    { "swap", BYTES (0x33, 0x34, 0x16, 0x1c), 1 },
    { "and", BYTES (0x33, 0x36, 0x1a), 2 },
    { "minus", BYTES (0x33, 0x34, 0x1c), -1 },
    { "mul", BYTES (0x33, 0x34, 0x1e), 12 },
    { "neg", BYTES (0x33, 0x1f), -3 },
    { "not", BYTES (0x33, 0x20), ~UINT64_C (3) },
    { "or", BYTES (0x33, 0x36, 0x21), 7 },
    { "plus", BYTES (0x33, 0x34, 0x22), 7 },
    { "plus_uconst", BYTES (0x33, 0x23, 0x90, 1), 147 },
    { "shl", BYTES (0x33, 0x34, 0x24), 48 },
    { "shl by 64", BYTES (0x33, 0x08, 64, 0x24), 0 },
    { "shr", BYTES (0x09, 0xfd, 0x08, 60, 0x25), 15 },
    { "shr by 0", BYTES (0x09, 0xfd, 0x30, 0x25), -3 },
    { "shr by 64", BYTES (0x09, 0xfd, 0x08, 64, 0x25), 0 },
    { "shra", BYTES (0x09, 0xfd, 0x31, 0x26), -2 },
    { "shra by 0", BYTES (0x09, 0xfd, 0x30, 0x26), -3 },
    { "shra by 64", BYTES (0x09, 0xfd, 0x08, 64, 0x26), -1 },
    { "shra of a positive number", BYTES (0x36, 0x31, 0x26), 3 },
    { "xor", BYTES (0x33, 0x36, 0x27), 5 },
    { "eq", BYTES (0x33, 0x33, 0x29), 1 },
    { "eq, not", BYTES (0x33, 0x34, 0x29), 0 },
    { "ge, equal", BYTES (0x33, 0x33, 0x2a), 1 },
    { "ge of a negative number", BYTES (0x09, 0xfd, 0x33, 0x2a), 0 },
    { "gt, equal", BYTES (0x33, 0x33, 0x2b), 0 },
    { "gt", BYTES (0x34, 0x09, 0xfd, 0x2b), 1 },
    { "le, equal", BYTES (0x33, 0x33, 0x2c), 1 },
    { "le", BYTES (0x34, 0x09, 0xfd, 0x2c), 0 },
    { "lt, equal", BYTES (0x33, 0x33, 0x2d), 0 },
    { "lt of a negative number", BYTES (0x09, 0xfd, 0x33, 0x2d), 1 },
    { "ne", BYTES (0x33, 0x34, 0x2e), 1 },
    { "ne, not", BYTES (0x33, 0x33, 0x2e), 0 },
    { "nop", BYTES (0x33, 0x96), 3 },
    { "the upper value counts", BYTES (0x33, 0x34), 4 },
    { "as deep as can be",
      BYTES (0x31, 0x31, 0x31, 0x22), 2 },
  };

static const struct expression *expression;

/* Make a function whose RBX is EXPRESSION's value.  */
static enum sframe_eh_status
step_by_expression (const unsigned char *bytes, size_t size)
{
  unsigned char program[64] = { 0x0e, 32, 0x16, RBX, size };

  memcpy (program + 5, bytes, size);
  one_function (program, 5 + size);
  fresh ();
  return step ();
}

static void
check_expression (void)
{
  CHECK (step_by_expression (expression->bytes, expression->size)
	 == SFRAME_EH_OK);
  CHECK (has (RBX, expression->value));
}

#define EXPRESSION(...)							\
  step_by_expression ((const unsigned char[]) { __VA_ARGS__ },		\
		      sizeof ((const unsigned char[]) { __VA_ARGS__ }))

static void
dereference (void)
{
  /* RBX is the word at RSP + 40.  */
  CHECK (EXPRESSION (0x77, 40, 0x06) == SFRAME_EH_OK);
  CHECK (has (RBX, word_at (OLD_SP + 40)));
  CHECK (EXPRESSION (0x77, 40, 0x06, 0x06) == SFRAME_EH_OK);
  CHECK (has (RBX, word_at (word_at (OLD_SP + 40))));
  CHECK (EXPRESSION (0x77, 41, 0x06) == SFRAME_EH_OK);
  CHECK (!is_known (RBX));
}

/* CFA is below in all of them, so that dropping one is no underflow.  */
static void
too_few_values (void)
{
  static const unsigned char operations[]
    = { 0x14, 0x16, 0x1a, 0x1c, 0x1e, 0x21, 0x22, 0x24, 0x25, 0x26, 0x27,
	0x29, 0x2a, 0x2b, 0x2c, 0x2d, 0x2e };

  for (size_t i = 0; i < sizeof operations; ++i)
    CHECK (EXPRESSION (operations[i]) == SFRAME_EH_CORRUPT);
  for (unsigned int i = 0x12; i <= 0x13; ++i)
    CHECK (EXPRESSION (0x13, i) == SFRAME_EH_CORRUPT);
  CHECK (EXPRESSION (0x13, 0x06) == SFRAME_EH_CORRUPT);
  CHECK (EXPRESSION (0x13, 0x1f) == SFRAME_EH_CORRUPT);
  CHECK (EXPRESSION (0x13) == SFRAME_EH_CORRUPT);
}

static void
too_many_values (void)
{
  CHECK (EXPRESSION (0x31, 0x31, 0x31) == SFRAME_EH_OK);
  CHECK (EXPRESSION (0x31, 0x31, 0x31, 0x31) == SFRAME_EH_NOT_UNDERSTOOD);
  CHECK (EXPRESSION (0x31, 0x31, 0x31, 0x12) == SFRAME_EH_NOT_UNDERSTOOD);
}

static void
cut_operands (void)
{
  for (unsigned int i = 0x08; i <= 0x0f; ++i)
    CHECK (EXPRESSION (i) == SFRAME_EH_CORRUPT);
  CHECK (EXPRESSION (0x0b, 1) == SFRAME_EH_CORRUPT);
  CHECK (EXPRESSION (0x0c, 1, 2, 3) == SFRAME_EH_CORRUPT);
  CHECK (EXPRESSION (0x0f, 1, 2, 3, 4, 5, 6, 7) == SFRAME_EH_CORRUPT);
  CHECK (EXPRESSION (0x03, 1, 2, 3, 4, 5, 6, 7) == SFRAME_EH_CORRUPT);
  CHECK (EXPRESSION (0x10, 0x80) == SFRAME_EH_CORRUPT);
  CHECK (EXPRESSION (0x11, 0x80) == SFRAME_EH_CORRUPT);
  CHECK (EXPRESSION (0x23) == SFRAME_EH_CORRUPT);
  CHECK (EXPRESSION (0x70 + RBX) == SFRAME_EH_CORRUPT);
  CHECK (EXPRESSION (0x92, RBX) == SFRAME_EH_CORRUPT);
}

/* Jumps, calls and operations about types or threads are not used in unwind
   tables.  */
static void
unknown_operations (void)
{
  static const unsigned char operations[]
    = { 0x00, 0x15, 0x17, 0x19, 0x1b, 0x1d, 0x28, 0x2f, 0x50, 0x6f, 0x90,
	0x91, 0x93, 0x94, 0x95, 0x97, 0x9c, 0xe0, 0xff };

  for (size_t i = 0; i < sizeof operations; ++i)
    {
      CHECK (EXPRESSION (0x31, 0x31, operations[i])
	     == SFRAME_EH_NOT_UNDERSTOOD);
      /* However few values they have.  */
      CHECK (EXPRESSION (operations[i]) == SFRAME_EH_NOT_UNDERSTOOD);
      CHECK (EXPRESSION (0x13, operations[i]) == SFRAME_EH_NOT_UNDERSTOOD);
    }
}

/* Whether SFrame can express the rules of the program at byte 50.  */
static bool
has_rule (struct sframe_rule *rule)
{
  require (find (50, &entry) == SFRAME_EH_OK, "the entry is found");
  require (__sframe_eh_find_row (&entry, code (50), &row) == SFRAME_EH_OK,
	   "the row is found");
  return __sframe_eh_rule (&entry, &row, rule);
}

#define HAS_RULE(...)							\
  (one_function ((const unsigned char[]) { __VA_ARGS__ },		\
		 sizeof ((const unsigned char[]) { __VA_ARGS__ })),	\
   has_rule (&rule))

static void
words_of_sframe (void)
{
  struct sframe_rule rule;

  /* RBX saved, RBP not.  */
  CHECK (HAS_RULE (0x0e, 32, 0x80 | RBX, 3));
  CHECK (rule.cfa.kind == SFRAME_REGISTER_VALUE && rule.cfa.reg == RSP
	 && rule.cfa.offset == 32);
  CHECK (rule.ra.kind == SFRAME_CFA_MEMORY && rule.ra.offset == -8);
  CHECK (rule.fp.kind == SFRAME_UNCHANGED);
  CHECK (!rule.outermost && !rule.signal && !rule.repeated);
  /* RBP saved, and the CFA counted from it.  */
  CHECK (HAS_RULE (0x0c, RBP, 16, 0x80 | RBP, 4));
  CHECK (rule.cfa.reg == RBP && rule.cfa.offset == 16);
  CHECK (rule.fp.kind == SFRAME_CFA_MEMORY && rule.fp.offset == -16);
  /* RA undefined.  */
  CHECK (HAS_RULE (0x07, RA));
  CHECK (rule.outermost);
}

static void
no_words_of_sframe (void)
{
  struct sframe_rule rule;

  /* RBP in another register, undefined, a value.  */
  CHECK (!HAS_RULE (0x09, RBP, RBX));
  CHECK (!HAS_RULE (0x07, RBP));
  CHECK (!HAS_RULE (0x14, RBP, 4));
  /* RSP in memory or in a register: another stack.  */
  CHECK (!HAS_RULE (0x80 | RSP, 3));
  CHECK (!HAS_RULE (0x09, RSP, RBX));
  /* RA in a register, a value, or without a rule.  */
  CHECK (!HAS_RULE (0x09, RA, RBX));
  CHECK (!HAS_RULE (0x14, RA, 1));
  CHECK (!HAS_RULE (0x08, RA));
  /* Expressions: of the CFA, RA, RBP, and of a register that would be
     forgotten, but may not be understood.  */
  CHECK (!HAS_RULE (0x0f, 2, 0x77, 32));
  CHECK (!HAS_RULE (0x10, RA, 2, 0x77, 0));
  CHECK (!HAS_RULE (0x16, RBP, 2, 0x77, 0));
  CHECK (!HAS_RULE (0x10, RBX, 2, 0x77, 0));
  /* More than 31 bits.  */
  CHECK (!HAS_RULE (0x0e, 0x80, 0x80, 0x80, 0x80, 0x08));
  CHECK (!HAS_RULE (0x05, RBP, 0x80, 0x80, 0x80, 0x80, 0x08));
}

static void
no_words_for_a_signal (void)
{
  unsigned char data = PCREL | SDATA4;
  struct sframe_rule rule;

  begin (1);
  cie (data);
  craft.size = craft.cie;
  cie_full (1, "zRS", &data, 1, usual, sizeof usual);
  fde (0, 0, 100, "", 0);
  CHECK (!has_rule (&rule));
}

static const struct test_case cases[] =
  {
    { "plain frame", plain_frame },
    { "registers that calls preserve", registers_that_calls_preserve },
    { "registers that are restored", registers_that_are_restored },
    { "registers that the callee keeps", registers_that_the_callee_keeps },
    { "unknown stays unknown", unknown_stays_unknown },
    { "CFA from an unknown register", cfa_from_unknown_register },
    { "CFA never defined", cfa_never_defined },
    { "outermost", outermost },
    { "return address unreadable", ra_unreadable },
    { "saved register unreadable", saved_register_unreadable },
    { "return address in a register", ra_in_register },
    { "return address without a rule", ra_without_a_rule },
    { "registers that swap", registers_that_swap },
    { "frame below its callee", frame_below_its_callee },
    { "far frames", far_frames },
    { "far frames by SFrame", far_frames_by_sframe },
    { "CFA in memory at SP", cfa_in_memory_at_sp },
    { "FP unknown", fp_unknown },
    { "signal frame", signal_frame },
    { "value of the CFA", cfa_value },
    { "expressions and the CFA", expressions_and_cfa },
    { "expression of a PLT", plt_expression },
    { "dereference", dereference },
    { "too few values", too_few_values },
    { "too many values", too_many_values },
    { "cut operands", cut_operands },
    { "unknown operations", unknown_operations },
    { "rules that SFrame can express", words_of_sframe },
    { "rules that SFrame cannot express", no_words_of_sframe },
    { "rules of a signal that SFrame cannot express", no_words_for_a_signal },
  };

enum { CASES = sizeof cases / sizeof cases[0],
       EXPRESSIONS = sizeof expressions / sizeof expressions[0] };

int
main (void)
{
  bool good = true;

  for (size_t i = 0; i < EXPRESSIONS; ++i)
    {
      expression = &expressions[i];
      struct test_case one = { expression->name, check_expression };
      good &= run_case (&one);
    }
  for (size_t i = 0; i < CASES; ++i)
    good &= run_case (&cases[i]);
  printf ("DONE: %d\n", EXPRESSIONS + CASES);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
