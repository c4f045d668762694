/* Machine dependencies of SFrame unwinding: s390x.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Document: ELF Application Binary Interface, s390x Supplement, "DWARF" and
   "The Stack Frame".  The interface is described in
   sysdeps/generic/sframe-machine.h.  */

#ifndef _SFRAME_MACHINE_H
#define _SFRAME_MACHINE_H

#include <sframe-step.h>
#include <stddef.h>
#include <string.h>

#define SFRAME_MACHINE_ABI SFRAME_ABI_S390X_BE
#define SFRAME_MACHINE_SP 15
#define SFRAME_MACHINE_FP 11
/* The caller provides a register save area of 160 bytes for its callee, from
   its SP up to the CFA.  */
#define SFRAME_MACHINE_SP_OFFSET (-160)
#define SFRAME_MACHINE_ENTRY_SIZE 128
#define SFRAME_MACHINE_CODE_ALIGN 2
#define SFRAME_MACHINE_FRAMELESS 0
#define SFRAME_MACHINE_SAVE_AREA 1
#define SFRAME_MACHINE_RECORD 0
/* In code by gcc, the instruction that restores SP is at most this many bytes
   ahead.  */
#define SFRAME_MACHINE_SP_LOOK 64

/* The first call-saved register; FP is one of those that follow.  */
#define SFRAME_MACHINE_FIRST_SAVED 6

/* __builtin_unwind_init makes the compiler save all call-saved registers and
   RA in the caller's save area: the ABI has register N at word N.  */
static inline void __attribute__ ((always_inline))
sframe_capture_caller (struct sframe_registers *registers)
{
  __builtin_unwind_init ();
  const uintptr_t *save
    = (const uintptr_t *) (__builtin_dwarf_cfa () + SFRAME_MACHINE_SP_OFFSET);

  registers->known = UINT64_C (1) << SFRAME_MACHINE_SP;
  registers->value[SFRAME_MACHINE_SP] = (uintptr_t) save;
  for (unsigned int i = SFRAME_MACHINE_FIRST_SAVED; i < SFRAME_MACHINE_RA; ++i)
    {
      registers->value[i] = save[i];
      registers->known |= UINT64_C (1) << i;
    }
  registers->pc = save[SFRAME_MACHINE_RA];
  registers->kept = 0;
  registers->interrupted = false;
  registers->fetch_failed = false;
}

/* At the first instruction of a function, the return address is in R14.  */
static inline void
sframe_call_rule (struct sframe_rule *rule)
{
  *rule = (struct sframe_rule)
    { .cfa = { .kind = SFRAME_REGISTER_VALUE, .reg = SFRAME_MACHINE_SP,
	       .offset = -SFRAME_MACHINE_SP_OFFSET },
      .ra = { .kind = SFRAME_UNCHANGED },
      .fp = { .kind = SFRAME_UNCHANGED } };
}

#define SFRAME_MACHINE_CALL_SIZE 6

/* The size of an invalid instruction (zero bytes): when it traps, PC is
   already that of the next one.  */
#define SFRAME_TRAP_SIZE 2

/* The relative operand of SIZE bytes (2 or 4) before RA, in bytes.  */
static inline intptr_t
sframe_call_distance (const unsigned char *ra, size_t size)
{
  int32_t word;
  int16_t half;

  memcpy (&half, ra - sizeof half, sizeof half);
  if (size == sizeof half)
    return 2 * (intptr_t) half;
  memcpy (&word, ra - sizeof word, sizeof word);
  return 2 * (intptr_t) word;
}

/* A call is basr, bras or brasl that leaves the return address in R14.  */
static inline enum sframe_call
sframe_call_before (const unsigned char *ra, size_t available, uintptr_t pc,
		    const struct sframe_registers *registers,
		    struct sframe_stack *stack)
{
  enum
  {
    relative = SFRAME_MACHINE_RA << 4 | 5
  };
  uintptr_t targets[3];
  size_t count = 0;

  if (available >= 2 && ra[-2] == 0x0d && ra[-1] >> 4 == SFRAME_MACHINE_RA)
    targets[count++] = registers->value[ra[-1] & 15];
  if (available >= 4 && ra[-4] == 0xa7 && ra[-3] == relative)
    targets[count++] = (uintptr_t) ra - 4 + sframe_call_distance (ra, 2);
  if (available >= 6 && ra[-6] == 0xc0 && ra[-5] == relative)
    targets[count++] = (uintptr_t) ra - 6 + sframe_call_distance (ra, 4);
  for (size_t i = 0; i < count; ++i)
    if (targets[i] == pc || targets[i] + SFRAME_TRAP_SIZE == pc)
      return SFRAME_CALL_TO_PC;
  return count > 0 ? SFRAME_CALL_SOMEWHERE : SFRAME_CALL_NONE;
}

/* PLT entries and the code before the first one (PLT0), which all entries
   share: GNU ld 2.47 writes no tables for those of shared objects.  The
   patterns are in halfwords; -1 matches any.  Document: the ABI's "Procedure
   Linkage Table".  */
#define SFRAME_MACHINE_STUB_SIZE 28

static inline bool
sframe_stub_at (const unsigned char *code, const int *stub, size_t count)
{
  for (size_t i = 0; i < count; ++i)
    if (stub[i] != -1 && (code[2 * i] != (stub[i] >> 8 & 0xff)
			  || code[2 * i + 1] != (stub[i] & 0xff)))
      return false;
  return true;
}

static inline int
sframe_stub (const unsigned char *code)
{
  static const int entry[]
    = { 0xc010, -1, -1, 0xe310, 0x1000, 0x0004, 0x07f1, 0x0d10, 0xe310, 0x100c,
	0x0014, 0xc0f4, -1, -1 };
  static const int shared[]
    = { 0xe310, 0xf038, 0x0024, 0xc010, -1, -1, 0xd207, 0xf030, 0x1008, 0xe310,
	0x1010, 0x0004, 0x07f1 };

  for (size_t i = 0; i < SFRAME_MACHINE_STUB_SIZE; i += 2)
    if (sframe_stub_at (code - i, entry, sizeof entry / sizeof *entry)
	|| sframe_stub_at (code - i, shared, sizeof shared / sizeof *shared))
      return 0;
  return -1;
}

/* PLT entries and PLT0 do not change SP, so any rule can be trusted.  */
static inline bool
sframe_block_rule (struct sframe_rule *rule, const struct sframe_rule *first)
{
  return true;
}

/* The floating-point register of each DWARF number from 16 up.  */
static const unsigned char sframe_fprs[]
  = { 0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15 };

static inline unsigned int
sframe_halfword (const unsigned char *code)
{
  return code[0] << 8 | code[1];
}

/* Whether the instruction that begins with HALFWORD may branch: balr, bctr,
   bcr, svc, bsm, bassm, basr, ex, bal, bct, bc, bas, brxh, brxle, bxh, bxle,
   exrl, the compare-and-branch ones and the relative branches.  */
static inline bool
sframe_is_branch (unsigned int halfword)
{
  unsigned int code = halfword >> 8, more = halfword & 15;

  return ((code >= 0x05 && code <= 0x07) || (code >= 0x0a && code <= 0x0d)
	  || (code >= 0x44 && code <= 0x47) || code == 0x4d
	  || (code >= 0x84 && code <= 0x87) || code == 0xc6 || code == 0xec
	  || ((code == 0xa7 || code == 0xc0) && more >= 4 && more <= 7));
}

/* Whether the six bytes at CODE are bctg, bic, bxhg or bxleg.  */
static inline bool
sframe_is_long_branch (const unsigned char *code)
{
  return ((code[0] == 0xe3 && (code[5] == 0x46 || code[5] == 0x47))
	  || (code[0] == 0xeb && (code[5] == 0x44 || code[5] == 0x45)));
}

/* In leaf functions gcc may save SP in a floating-point register and restore
   it with lgdr.  DWARF says that SP is in that register, which SFrame cannot
   express: the rule has CFA = SP + 160 even before lgdr.  So search for lgdr
   from CODE to the first branch, or to an ldgr that saves SP, before which SP
   is in R15.  */
static inline unsigned int
sframe_find_sp (const unsigned char *code, size_t size)
{
  enum { lgdr = 0xb3cd, ldgr = 0xb3c1 };

  for (size_t at = 0; at + 4 <= size; )
    {
      unsigned int halfword = sframe_halfword (code + at);
      unsigned int to = code[at + 3] >> 4, from = code[at + 3] & 15;
      if (sframe_is_branch (halfword)
	  || (halfword >= 0xc000
	      && (at + 6 > size || sframe_is_long_branch (code + at)))
	  || (halfword == ldgr && from == SFRAME_MACHINE_SP))
	break;
      if (halfword == lgdr && to == SFRAME_MACHINE_SP)
	for (unsigned int i = 0; i < sizeof sframe_fprs; ++i)
	  if (sframe_fprs[i] == from)
	    return 16 + i;
      /* The first two bits of an instruction encode its length.  */
      at += halfword < 0x4000 ? 2 : halfword < 0xc000 ? 4 : 6;
    }
  return SFRAME_MACHINE_SP;
}

/* In crt1.o an invalid instruction follows the call of __libc_start_main.  */
static inline bool
sframe_entry_return (const unsigned char *code)
{
  return code[0] == 0 && code[1] == 0;
}

#endif /* _SFRAME_MACHINE_H  */
