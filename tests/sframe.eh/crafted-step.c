/* Steps by crafted rules: the registers of the caller.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The stack is that of sframe-stack.h.  */

#include <sframe-eh-step.h>
#include <sframe-machine.h>

#include "eh-craft.h"

/* Each register N has the value BASE + 64 * N.  */
#define BASE UINT64_C (0x7000000)
#define VALUE(n) (BASE + 64 * (n))
/* SP is below all of them.  */
#define OLD_SP (BASE - 0x10000)

/* As the ABI has it: the CFA if SP of the caller is SP, and where RA is saved
   then.  */
#define CFA_OF(sp) ((sp) - SP_OFFSET)
#define RA_OF(sp) (CFA_OF (sp) + RA_AT)
/* The instructions by which SP of the caller is REG, or this SP, plus N.  */
#define DEF_CFA(reg, n) 0x0c, (reg), LEB ((n) - SP_OFFSET)
#define FRAME(n) 0x0e, LEB ((n) - SP_OFFSET)
/* DW_OP_bregN.  */
#define BREG(reg) (0x70 + (reg))

static struct sframe_registers registers;
static struct sframe_stack stack;
static struct sframe_eh_entry entry;
static struct sframe_eh_row row;

/* All registers are known; RA, if it is one, is not after a call.  */
static void
fresh (void)
{
  for (unsigned int i = 0; i < REGISTERS; ++i)
    registers.value[i] = VALUE (i);
  registers.value[SP] = OLD_SP;
  registers.known
    = ((UINT64_C (1) << REGISTERS) - 1) & ~(UINT64_C (1) << RA);
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

/* The frame was interrupted.  */
static void
fresh_interrupted (void)
{
  fresh ();
  registers.known = (UINT64_C (1) << REGISTERS) - 1;
  registers.interrupted = true;
}

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
  /* SAVED is saved at CFA - 16.  */
  CHECK (FRESH_STEP (FRAME (32), 0x80 | SAVED, 4) == SFRAME_EH_OK);
  CHECK (registers.pc == word_at (RA_OF (OLD_SP + 32)));
  CHECK (has (SP, OLD_SP + 32));
  CHECK (has (SAVED, word_at (CFA_OF (OLD_SP + 32) - 16)));
  CHECK (!registers.interrupted);
}

/* Whether the ABI says that register REG, not SP, belongs to the caller: RBX,
   RBP and R12 to R15; R6 to R13 and F8 to F15.  */
static bool
is_preserved (unsigned int reg)
{
#if defined __x86_64__
  return reg == SAVED || reg == FP || reg >= 12;
#elif defined __s390x__
  return (reg >= 6 && reg <= 13) || reg >= 24;
#endif
}

static void
registers_that_calls_preserve (void)
{
  CHECK (FRESH_STEP (FRAME (32)) == SFRAME_EH_OK);
  for (unsigned int i = 0; i < REGISTERS; ++i)
    if (is_preserved (i))
      CHECK (has (i, VALUE (i)));
    else if (i != SP)
      CHECK (!is_known (i));
  /* The rule of FREE1 is same value.  */
  CHECK (FRESH_STEP (FRAME (32), 0x08, FREE1) == SFRAME_EH_OK);
  CHECK (has (FREE1, VALUE (FREE1)));
}

/* GCC's rules at the end of a function that realigns the stack: FP is saved
   at the address in FP, and SAVED below.  Both are restored already if FP is
   not in the frame, from SP up to the CFA.  */
#define REALIGNED							\
  FRAME (32), 0x10, FP, 2, BREG (FP), 0, 0x10, SAVED, 2, BREG (FP), 0x78

static void
registers_that_are_restored (void)
{
  fresh_interrupted ();
  CHECK (STEP (REALIGNED) == SFRAME_EH_OK);
  CHECK (has (FP, VALUE (FP)));
  CHECK (has (SAVED, VALUE (SAVED)));

  fresh_interrupted ();
  registers.value[FP] = OLD_SP + 16;
  CHECK (STEP (REALIGNED) == SFRAME_EH_OK);
  CHECK (has (FP, word_at (OLD_SP + 16)));
  CHECK (has (SAVED, word_at (OLD_SP + 8)));

  /* A function that has made a call has not restored them.  */
  CHECK (FRESH_STEP (REALIGNED) == SFRAME_EH_OK);
  CHECK (has (FP, word_at (VALUE (FP))));

  /* The CFA is the first address that is not in the frame.  */
  fresh_interrupted ();
  registers.value[FP] = CFA_OF (OLD_SP + 32) - 8;
  CHECK (STEP (REALIGNED) == SFRAME_EH_OK);
  CHECK (has (FP, word_at (CFA_OF (OLD_SP + 32) - 8)));
  fresh_interrupted ();
  registers.value[FP] = CFA_OF (OLD_SP + 32);
  CHECK (STEP (REALIGNED) == SFRAME_EH_OK);
  CHECK (has (FP, CFA_OF (OLD_SP + 32)));
}

/* The caller of an interrupted frame may need a register that this frame does
   not mention; the caller's caller may not.  */
static void
registers_that_the_callee_keeps (void)
{
  fresh_interrupted ();
  CHECK (STEP (FRAME (32)) == SFRAME_EH_OK);
  CHECK (!is_known (FREE1));
  CHECK (STEP (DEF_CFA (FREE1, 32)) == SFRAME_EH_OK);
  CHECK (has (SP, VALUE (FREE1) + 32));
  CHECK (STEP (DEF_CFA (FREE1, 64)) == SFRAME_EH_REGISTER);

  CHECK (FRESH_STEP (FRAME (32)) == SFRAME_EH_OK);
  CHECK (STEP (DEF_CFA (FREE1, 32)) == SFRAME_EH_REGISTER);
  /* The rule of FREE1 is undefined.  */
  fresh_interrupted ();
  CHECK (STEP (FRAME (32), 0x07, FREE1) == SFRAME_EH_OK);
  CHECK (STEP (DEF_CFA (FREE1, 32)) == SFRAME_EH_REGISTER);
}

static void
unknown_stays_unknown (void)
{
  fresh ();
  registers.known &= ~(1 << SAVED12);
  CHECK (STEP (FRAME (32), 0x09, SAVED, SAVED12) == SFRAME_EH_OK);
  CHECK (!is_known (SAVED12));
  CHECK (!is_known (SAVED));
  CHECK (has (SAVED13, VALUE (SAVED13)));
}

static void
cfa_from_unknown_register (void)
{
  fresh ();
  registers.known &= ~(1 << SAVED);
  CHECK (STEP (DEF_CFA (SAVED, 32)) == SFRAME_EH_REGISTER);
  fresh ();
  registers.known &= ~(1 << SAVED);
  CHECK (STEP (0x0f, 2, BREG (SAVED), 32) == SFRAME_EH_REGISTER);
  CHECK (FRESH_STEP (DEF_CFA (SAVED, 32)) == SFRAME_EH_OK);
  CHECK (has (SP, VALUE (SAVED) + 32));
  CHECK (FRESH_STEP (DEF_CFA (REGISTERS, 32)) == SFRAME_EH_CORRUPT);
  CHECK (FRESH_STEP (DEF_CFA (40, 32)) == SFRAME_EH_CORRUPT);
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
  stack.unreadable = RA_OF (OLD_SP + 32);
  CHECK (STEP (FRAME (32)) == SFRAME_EH_BROKEN);
  /* Misaligned.  */
  CHECK (FRESH_STEP (FRAME (33)) == SFRAME_EH_BROKEN);
}

static void
saved_register_unreadable (void)
{
  fresh ();
  stack.unreadable = CFA_OF (OLD_SP + 32) - 16;
  CHECK (STEP (FRAME (32), 0x80 | SAVED, 4) == SFRAME_EH_OK);
  CHECK (!is_known (SAVED));
  CHECK (has (SP, OLD_SP + 32));
}

static void
ra_in_register (void)
{
  fresh_interrupted ();
  /* As if the return address had been popped: SP stays where it is.  */
  CHECK (STEP (FRAME (0), 0x09, RA, FREE1) == SFRAME_EH_OK);
  CHECK (registers.pc == VALUE (FREE1));
  CHECK (has (SP, OLD_SP));
  /* A callee that returns by another register has left SP alone, too.  */
  CHECK (FRESH_STEP (FRAME (0), 0x09, RA, FREE1) == SFRAME_EH_OK);
  CHECK (registers.pc == VALUE (FREE1) && has (SP, OLD_SP));
  fresh ();
  registers.known &= ~(1 << FREE1);
  CHECK (STEP (FRAME (32), 0x09, RA, FREE1) == SFRAME_EH_REGISTER);
}

static void
ra_without_a_rule (void)
{
  static const unsigned char only_cfa[] = { 0x0c, SP, LEB (ENTRY_CFA) };

  CHECK (step_by_cie (only_cfa, sizeof only_cfa) == SFRAME_EH_REGISTER);
#if defined __s390x__
  /* A function that has made no call may have left it in its register.  The
     caller's, as its call has changed it, is not known.  */
  fresh_interrupted ();
  CHECK (step () == SFRAME_EH_OK);
  CHECK (registers.pc == VALUE (RA) && has (SP, OLD_SP));
  CHECK (!is_known (RA));
#endif
}

/* On s390x a function may save RA in its caller's frame and make calls without
   a frame of its own, and so may that caller.  If SP never rises, backtrace
   notices.  */
static void
ra_in_frame_of_caller (void)
{
#if defined __s390x__
  CHECK (FRESH_STEP (FRAME (0)) == SFRAME_EH_OK);
  CHECK (registers.pc == word_at (RA_OF (OLD_SP)) && has (SP, OLD_SP));
  CHECK (STEP (FRAME (0)) == SFRAME_EH_OK);
  CHECK (has (SP, OLD_SP));
#else
  CHECK (FRESH_STEP (FRAME (0)) == SFRAME_EH_BROKEN);
#endif
}

static void
registers_that_swap (void)
{
  CHECK (FRESH_STEP (FRAME (32), 0x09, SAVED, SAVED12, 0x09, SAVED12, SAVED)
	 == SFRAME_EH_OK);
  CHECK (has (SAVED, VALUE (SAVED12)));
  CHECK (has (SAVED12, VALUE (SAVED)));
}

static void
frame_below_its_callee (void)
{
  /* SP of the caller is -8 from SP, and +16 from FP when that is below.  */
#define FRAME_BELOW 0x12, SP, LEB ((-8 - SP_OFFSET) / DATA_FACTOR)
  CHECK (FRESH_STEP (FRAME_BELOW) == SFRAME_EH_BROKEN);
  fresh ();
  registers.value[FP] = OLD_SP - 64;
  CHECK (STEP (DEF_CFA (FP, 16)) == SFRAME_EH_BROKEN);
  /* A function that switches stacks may do that.  */
  fresh ();
  registers.value[FP] = OLD_SP - 64;
  stack.same_stack = false;
  CHECK (STEP (DEF_CFA (FP, 16)) == SFRAME_EH_OK);
  CHECK (has (SP, OLD_SP - 48));
  fresh ();
  stack.same_stack = false;
  CHECK (STEP (FRAME_BELOW) == SFRAME_EH_BROKEN);
}

/* A CFA far away is probed before another word is read, whatever register it
   is computed from; so is an SP that is not the CFA.  */
static void
far_frames (void)
{
  const uint64_t far = CFA_OF (VALUE (SAVED) + 16);

  CHECK (FRESH_STEP (FRAME (4096)) == SFRAME_EH_OK);
  CHECK (stack.checks == 0 && has (SP, OLD_SP + 4096));
  CHECK (FRESH_STEP (FRAME (4104)) == SFRAME_EH_OK);
  CHECK (stack.checks == 1 && stack.checked == CFA_OF (OLD_SP + 4104) - 8
	 && stack.read_before == 0);
  CHECK (FRESH_STEP (DEF_CFA (SAVED, 16), 0x10, FREE0, 2, BREG (SP), 0)
	 == SFRAME_EH_OK);
  CHECK (stack.checks == 1 && stack.checked == far - 8
	 && stack.read_before == 0);
  CHECK (FRESH_STEP (0x0f, 3, BREG (SAVED), LEB (16 - SP_OFFSET))
	 == SFRAME_EH_OK);
  CHECK (stack.checks == 1 && stack.checked == far - 8);
  CHECK (FRESH_STEP (FRAME (32), 0x09, SP, SAVED) == SFRAME_EH_OK);
  CHECK (stack.checks == 1 && stack.checked == VALUE (SAVED));
}

/* The same step by a rule of SFrame, by which KIND, REG and OFFSET give the
   CFA.  */
static enum sframe_step_status
step_by_rule (enum sframe_place_kind kind, unsigned int reg, int32_t offset)
{
  struct sframe_rule rule
    = { .cfa = { .kind = kind, .reg = reg, .offset = offset },
	.ra = { .kind = SFRAME_CFA_MEMORY, .offset = RA_AT },
	.fp = { .kind = SFRAME_UNCHANGED } };

  return __sframe_step (&registers, &rule, &stack);
}

static void
far_frames_by_sframe (void)
{
  fresh ();
  CHECK (step_by_rule (SFRAME_REGISTER_VALUE, SP, CFA_OF (4096))
	 == SFRAME_STEP_CALLER);
  CHECK (stack.checks == 0 && has (SP, OLD_SP + 4096));
  fresh ();
  CHECK (step_by_rule (SFRAME_REGISTER_VALUE, SP, CFA_OF (4104))
	 == SFRAME_STEP_CALLER);
  CHECK (stack.checks == 1 && stack.checked == CFA_OF (OLD_SP + 4104) - 8);
  fresh ();
  CHECK (step_by_rule (SFRAME_REGISTER_VALUE, FP, CFA_OF (16))
	 == SFRAME_STEP_CALLER);
  CHECK (stack.checks == 1 && stack.checked == CFA_OF (VALUE (FP) + 16) - 8);
}

/* The CFA is in a word at SP, and below it.  */
static void
cfa_in_memory_at_sp (void)
{
  fresh ();
  registers.value[SP] = UINT64_MAX << 60;
  uint64_t cfa = word_at (registers.value[SP]);
  require (cfa < registers.value[SP], "the word is low");
  CHECK (step_by_rule (SFRAME_REGISTER_MEMORY, SP, 0)
	 == SFRAME_STEP_BROKEN);
  fresh ();
  registers.value[SP] = UINT64_MAX << 60;
  stack.same_stack = false;
  CHECK (step_by_rule (SFRAME_REGISTER_MEMORY, SP, 0)
	 == SFRAME_STEP_CALLER);
  CHECK (has (SP, cfa + SP_OFFSET) && stack.checks == 1);
  /* No register is ever below itself.  */
  fresh ();
  stack.same_stack = false;
  CHECK (step_by_rule (SFRAME_REGISTER_VALUE, SP, CFA_OF (-16))
	 == SFRAME_STEP_BROKEN);
}

/* .eh_frame may know an FP that SFrame does not.  */
static void
fp_unknown (void)
{
  fresh ();
  registers.known &= ~(1 << FP);
  CHECK (step_by_rule (SFRAME_REGISTER_VALUE, FP, CFA_OF (16))
	 == SFRAME_STEP_UNKNOWN);
  /* It need not be known where it is not needed.  */
  fresh ();
  registers.known &= ~(1 << FP);
  CHECK (step_by_rule (SFRAME_REGISTER_VALUE, SP, CFA_OF (16))
	 == SFRAME_STEP_CALLER);
  CHECK (!is_known (FP) && has (SP, OLD_SP + 16));
}

/* As the kernel's vDSO describes its trampoline.  */
static void
signal_frame (void)
{
  unsigned char data = PCREL | SDATA4;
  /* FREE4 at CFA + 8, SP at CFA + 16, RA at CFA.  */
  static const unsigned char program[]
    = { 0x0c, SP, 0, 0x10, FREE4, 2, BREG (SP), 8, 0x10, SP, 2, BREG (SP), 16,
	0x10, RA, 2, BREG (SP), 0 };

  begin (1);
  cie (data);
  craft.size = craft.cie;
  cie_full (1, "zRS", &data, 1, usual, sizeof usual);
  fde (0, 0, 100, program, sizeof program);
  fresh ();
  CHECK (step () == SFRAME_EH_OK);
  CHECK (registers.interrupted);
  CHECK (registers.pc == word_at (OLD_SP));
  CHECK (has (FREE4, word_at (OLD_SP + 8)));
  CHECK (has (SP, word_at (OLD_SP + 16)));
  /* Not in the kernel's record, hence as it was.  */
  CHECK (has (FREE0, VALUE (FREE0)));
}

static void
cfa_value (void)
{
  /* SAVED is CFA - 16.  */
  CHECK (FRESH_STEP (FRAME (32), 0x14, SAVED, 4) == SFRAME_EH_OK);
  CHECK (has (SAVED, CFA_OF (OLD_SP + 32) - 16));
}

/* An expression begins with CFA on its stack, but for that of CFA.  */
static void
expressions_and_cfa (void)
{
  CHECK (FRESH_STEP (FRAME (32), 0x10, SAVED, 2, 0x23, 8,
		     0x16, SAVED12, 2, 0x23, 16) == SFRAME_EH_OK);
  CHECK (has (SAVED, word_at (CFA_OF (OLD_SP + 32) + 8)));
  CHECK (has (SAVED12, CFA_OF (OLD_SP + 32) + 16));
  CHECK (FRESH_STEP (0x0f, 2, 0x23, 8) == SFRAME_EH_CORRUPT);
  CHECK (FRESH_STEP (0x0f, 0) == SFRAME_EH_CORRUPT);
}

/* GNU ld's expression for a lazily bound .plt: from byte 11 of each 16 on, the
   entry has pushed a word.  It is for x86-64 only: there DW_OP_breg16, the
   column of RA, is PC; on s390x PC has no number, and no PLT entry pushes.  */
#if defined __x86_64__
static void
plt_expression (void)
{
  for (unsigned int pc = 16; pc < 48; ++pc)
    {
      fresh_interrupted ();
      one_function ((const unsigned char[])
		      { 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a,
			0x33, 0x24, 0x22 }, 13);
      require (find (pc, &entry) == SFRAME_EH_OK, "the entry is found");
      uintptr_t at = code (0) + pc;
      registers.pc = at;
      CHECK (__sframe_eh_find_row (&entry, at, &row) == SFRAME_EH_OK);
      CHECK (__sframe_eh_step (&registers, &entry, &row, &stack)
	     == SFRAME_EH_OK);
      CHECK (has (SP, OLD_SP + 8 + (at % 16 >= 11 ? 8 : 0)));
    }
}
#endif

/* The value of the expression in some bytes.  */
struct expression
{
  const char *name;
  unsigned char size, bytes[16];
  uint64_t value;
};

#define BYTES(...)							\
  sizeof ((const unsigned char[]) { __VA_ARGS__ }), { __VA_ARGS__ }

/* The number with bytes 1 to N, in the order of the machine.  */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
# define BYTES_1_TO(n) (UINT64_C (0x0102030405060708) >> (64 - 8 * (n)))
#else
# define BYTES_1_TO(n) \
  (UINT64_C (0x0807060504030201) & UINT64_MAX >> (64 - 8 * (n)))
#endif

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
    { "const8u", BYTES (0x0e, 1, 2, 3, 4, 5, 6, 7, 8), BYTES_1_TO (8) },
    { "const2u", BYTES (0x0a, 1, 2), BYTES_1_TO (2) },
    { "const2s, two bytes", BYTES (0x0b, 1, 2), BYTES_1_TO (2) },
    { "const4u, four bytes", BYTES (0x0c, 1, 2, 3, 4), BYTES_1_TO (4) },
    { "const4s, four bytes", BYTES (0x0d, 1, 2, 3, 4), BYTES_1_TO (4) },
    { "const8s, eight bytes", BYTES (0x0f, 1, 2, 3, 4, 5, 6, 7, 8),
      BYTES_1_TO (8) },
    { "const8s", BYTES (0x0f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
      -1 },
    { "addr", BYTES (0x03, 1, 2, 3, 4, 5, 6, 7, 8), BYTES_1_TO (8) },
    { "constu", BYTES (0x10, 0x90, 1), 144 },
    { "consts", BYTES (0x11, 0x7d), -3 },
    { "breg", BYTES (BREG (SAVED), 0x78), VALUE (SAVED) - 8 },
    { "bregx", BYTES (0x92, SAVED12, 0x78), VALUE (SAVED12) - 8 },
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

/* Make a function whose SAVED is EXPRESSION's value.  */
static enum sframe_eh_status
step_by_expression (const unsigned char *bytes, size_t size)
{
  unsigned char program[64] = { FRAME (32), 0x16, SAVED, size };

  memcpy (program + 6, bytes, size);
  one_function (program, 6 + size);
  fresh ();
  return step ();
}

static void
check_expression (void)
{
  CHECK (step_by_expression (expression->bytes, expression->size)
	 == SFRAME_EH_OK);
  CHECK (has (SAVED, expression->value));
}

#define EXPRESSION(...)							\
  step_by_expression ((const unsigned char[]) { __VA_ARGS__ },		\
		      sizeof ((const unsigned char[]) { __VA_ARGS__ }))

static void
dereference (void)
{
  /* SAVED is the word at SP + 40.  */
  CHECK (EXPRESSION (BREG (SP), 40, 0x06) == SFRAME_EH_OK);
  CHECK (has (SAVED, word_at (OLD_SP + 40)));
  CHECK (EXPRESSION (BREG (SP), 40, 0x06, 0x06) == SFRAME_EH_OK);
  CHECK (has (SAVED, word_at (word_at (OLD_SP + 40))));
  CHECK (EXPRESSION (BREG (SP), 41, 0x06) == SFRAME_EH_OK);
  CHECK (!is_known (SAVED));
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
  CHECK (EXPRESSION (BREG (SAVED)) == SFRAME_EH_CORRUPT);
  CHECK (EXPRESSION (0x92, SAVED) == SFRAME_EH_CORRUPT);
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

  /* SAVED saved, FP not.  */
  CHECK (HAS_RULE (0x0e, 32, 0x80 | SAVED, 3));
  CHECK (rule.cfa.kind == SFRAME_REGISTER_VALUE && rule.cfa.reg == SP
	 && rule.cfa.offset == 32);
  CHECK (rule.ra.kind == SFRAME_CFA_MEMORY && rule.ra.offset == RA_AT);
  CHECK (rule.fp.kind == SFRAME_UNCHANGED);
  CHECK (!rule.outermost && !rule.signal && !rule.repeated);
  /* FP saved, and the CFA counted from it.  */
  CHECK (HAS_RULE (0x0c, FP, 16, 0x80 | FP, 4));
  CHECK (rule.cfa.reg == FP && rule.cfa.offset == 16);
  CHECK (rule.fp.kind == SFRAME_CFA_MEMORY && rule.fp.offset == -16);
  /* RA undefined.  */
  CHECK (HAS_RULE (0x07, RA));
  CHECK (rule.outermost);
}

static void
no_words_of_sframe (void)
{
  struct sframe_rule rule;

  /* FP in another register, undefined, a value.  */
  CHECK (!HAS_RULE (0x09, FP, SAVED));
  CHECK (!HAS_RULE (0x07, FP));
  CHECK (!HAS_RULE (0x14, FP, 4));
  /* SP in memory or in a register: another stack.  */
  CHECK (!HAS_RULE (0x80 | SP, 3));
  CHECK (!HAS_RULE (0x09, SP, SAVED));
  /* RA in a register, a value, or without a rule.  */
  CHECK (!HAS_RULE (0x09, RA, SAVED));
  CHECK (!HAS_RULE (0x14, RA, 1));
  CHECK (!HAS_RULE (0x08, RA));
  /* Expressions: of the CFA, RA, FP, and of a register that would be
     forgotten, but may not be understood.  */
  CHECK (!HAS_RULE (0x0f, 2, BREG (SP), 32));
  CHECK (!HAS_RULE (0x10, RA, 2, BREG (SP), 0));
  CHECK (!HAS_RULE (0x16, FP, 2, BREG (SP), 0));
  CHECK (!HAS_RULE (0x10, SAVED, 2, BREG (SP), 0));
  /* More than 31 bits.  */
  CHECK (!HAS_RULE (0x0e, 0x80, 0x80, 0x80, 0x80, 0x08));
  CHECK (!HAS_RULE (0x05, FP, 0x80, 0x80, 0x80, 0x80, 0x08));
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
    { "return address in the caller's frame", ra_in_frame_of_caller },
    { "registers that swap", registers_that_swap },
    { "frame below its callee", frame_below_its_callee },
    { "far frames", far_frames },
    { "far frames by SFrame", far_frames_by_sframe },
    { "CFA in memory at SP", cfa_in_memory_at_sp },
    { "FP unknown", fp_unknown },
    { "signal frame", signal_frame },
    { "value of the CFA", cfa_value },
    { "expressions and the CFA", expressions_and_cfa },
#if defined __x86_64__
    { "expression of a PLT", plt_expression },
#endif
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
