/* Machine dependencies of SFrame unwinding: AArch64.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Documents: Procedure Call Standard for the Arm 64-bit Architecture, "The
   Frame Pointer"; ELF for the Arm 64-bit Architecture, "Procedure Linkage
   Table"; Arm Architecture Reference Manual for A-profile.  The interface is
   described in sysdeps/generic/sframe-machine.h.  */

#ifndef _SFRAME_MACHINE_H
#define _SFRAME_MACHINE_H

#include <sframe-step.h>
#include <sframe-strip.h>
#include <stddef.h>
#include <string.h>

#define SFRAME_MACHINE_ABI SFRAME_ABI_AARCH64_LE
#define SFRAME_MACHINE_SP 31
#define SFRAME_MACHINE_FP 29
/* A call changes no memory: the CFA is the value of SP at the call.  */
#define SFRAME_MACHINE_SP_OFFSET 0
#define SFRAME_MACHINE_ENTRY_SIZE 80
#define SFRAME_MACHINE_CODE_ALIGN 4
/* In the C library, around calls of __libc_arm_za_disable.  */
#define SFRAME_MACHINE_FRAMELESS 1
#define SFRAME_MACHINE_SAVE_AREA 0
#define SFRAME_MACHINE_RECORD 1
#define SFRAME_MACHINE_SP_LOOK 0

/* __builtin_frame_address makes the compiler save FP and RA side by side and
   point FP to them, at any place in the frame; so SP is taken from the CFA.
   The other call-saved registers are not captured, as on x86-64: compilers
   write no rule for a call that needs one.  */
static inline void __attribute__ ((always_inline))
sframe_capture_caller (struct sframe_registers *registers)
{
  const uintptr_t *record = __builtin_frame_address (0);

  registers->value[SFRAME_MACHINE_FP] = record[0];
  registers->pc = sframe_strip (record[1]);
  registers->value[SFRAME_MACHINE_SP] = (uintptr_t) __builtin_dwarf_cfa ();
  registers->known = (UINT64_C (1) << SFRAME_MACHINE_FP
		      | UINT64_C (1) << SFRAME_MACHINE_SP);
  registers->kept = 0;
  registers->interrupted = false;
  registers->fetch_failed = false;
}

/* At the first instruction of a function, the return address is in X30.  */
static inline void
sframe_call_rule (struct sframe_rule *rule)
{
  *rule = (struct sframe_rule)
    { .cfa = { .kind = SFRAME_REGISTER_VALUE, .reg = SFRAME_MACHINE_SP },
      .ra = { .kind = SFRAME_UNCHANGED },
      .fp = { .kind = SFRAME_UNCHANGED } };
}

/* All instructions have this size.  */
#define SFRAME_INSTRUCTION_SIZE 4

/* Instructions have little-endian byte order.  */
static inline uint32_t
sframe_instruction (const unsigned char *code)
{
  uint32_t word;

  memcpy (&word, code, sizeof word);
  return word;
}

/* Whether WORD is bl.  */
static inline bool
sframe_is_direct_call (uint32_t word)
{
  return (word & 0xfc000000) == 0x94000000;
}

/* Whether WORD is blr, blraaz, blrabz, blraa or blrab; the last four
   authenticate the address.  */
static inline bool
sframe_is_indirect_call (uint32_t word)
{
  return ((word & 0xfffffc1f) == 0xd63f0000
	  || (word & 0xfffff81f) == 0xd63f081f
	  || (word & 0xfffff800) == 0xd73f0800);
}

#define SFRAME_MACHINE_CALL_SIZE 4

static inline enum sframe_call
sframe_call_before (const unsigned char *ra, size_t available, uintptr_t pc,
		    const struct sframe_registers *registers,
		    struct sframe_stack *stack)
{
  uintptr_t target;

  if (available < SFRAME_INSTRUCTION_SIZE
      || (uintptr_t) ra % SFRAME_INSTRUCTION_SIZE != 0)
    return SFRAME_CALL_NONE;
  uint32_t word = sframe_instruction (ra - SFRAME_INSTRUCTION_SIZE);
  if (sframe_is_direct_call (word))
    /* The low 26 bits: the distance in instructions.  */
    target = ((uintptr_t) ra - SFRAME_INSTRUCTION_SIZE
	      + (intptr_t) (int32_t) (word << 6) / (1 << 4));
  else if (sframe_is_indirect_call (word))
    {
      /* The call has overwritten X30; number 31 is not SP here, but 0.  */
      unsigned int number = word >> 5 & 31;
      target = number == 31 ? 0 : sframe_strip (registers->value[number]);
    }
  else
    return SFRAME_CALL_NONE;
  return target == pc ? SFRAME_CALL_TO_PC : SFRAME_CALL_SOMEWHERE;
}

/* PLT entries and the code before the first one (PLT0), which all entries
   share: linkers write no tables for them.  In all their forms they are some
   of these instructions, in this order.  */
struct sframe_stub_instruction
{
  uint32_t bits;
  uint32_t mask;
  bool optional;
};

#define SFRAME_STUB_INSTRUCTIONS 8
#define SFRAME_MACHINE_STUB_SIZE \
  (SFRAME_STUB_INSTRUCTIONS * SFRAME_INSTRUCTION_SIZE)

/* PLT0 pushes two registers, and changes SP in no other way.  */
#define SFRAME_STUB_PUSH 0xa9bf7bf0
#define SFRAME_STUB_PUSHED 16

/* If a stub begins at START and has an instruction at CODE, return how many
   bytes it has pushed before; otherwise -1.  */
static inline int
sframe_stub_at (const unsigned char *start, const unsigned char *code)
{
  static const struct sframe_stub_instruction stub[SFRAME_STUB_INSTRUCTIONS]
    = { { 0xd503245f, 0xffffffff, true },  /* bti c  */
	{ SFRAME_STUB_PUSH, 0xffffffff, true }, /* stp x16, x30, [sp, -16]! */
	{ 0x90000010, 0x9f00001f, false },  /* adrp x16  */
	{ 0xf9400211, 0xffc003ff, false },  /* ldr x17, [x16, N]  */
	/* add x16, x16, N; linkers write nop if N is 0.  */
	{ 0x91000210, 0xffc003ff, true },
	{ 0xd503201f, 0xffffffff, true },
	{ 0xd503219f, 0xffffffff, true },  /* autia1716  */
	{ 0xd61f0220, 0xffffffff, false } };  /* br x17  */
  int pushed = 0, result = -1;

  for (size_t i = 0; i < SFRAME_STUB_INSTRUCTIONS; ++i)
    {
      uint32_t word = sframe_instruction (start);
      if ((word & stub[i].mask) == stub[i].bits)
	{
	  if (start == code)
	    result = pushed;
	  if (word == SFRAME_STUB_PUSH)
	    pushed = SFRAME_STUB_PUSHED;
	  start += SFRAME_INSTRUCTION_SIZE;
	}
      else if (!stub[i].optional)
	return -1;
    }
  return result;
}

/* Try the farthest start first: PLT0 without its first instructions looks like
   an entry.  */
static inline int
sframe_stub (const unsigned char *code)
{
  for (size_t i = SFRAME_STUB_INSTRUCTIONS; i-- > 0; )
    {
      int pushed = sframe_stub_at (code - i * SFRAME_INSTRUCTION_SIZE, code);
      if (pushed >= 0)
	return pushed;
    }
  return -1;
}

/* No linker writes a table with repeated blocks.  */
static inline bool
sframe_block_rule (struct sframe_rule *rule, const struct sframe_rule *first)
{
  return true;
}

static inline unsigned int
sframe_find_sp (const unsigned char *code, size_t size)
{
  return SFRAME_MACHINE_SP;
}

/* In crt1.o a call of abort follows that of __libc_start_main.  */
static inline bool
sframe_entry_return (const unsigned char *code)
{
  return sframe_is_direct_call (sframe_instruction (code));
}

#endif /* _SFRAME_MACHINE_H  */
