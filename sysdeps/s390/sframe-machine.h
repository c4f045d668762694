/* What SFrame unwinding must know of s390x.

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
#define SFRAME_MACHINE_RA 14
/* The general registers and then, in an order of their own, the
   floating-point registers, where leaf functions keep FP and RA.  */
#define SFRAME_MACHINE_REGISTERS 32
/* The save area that a caller provides for its callee, between the caller's
   SP and the CFA.  */
#define SFRAME_MACHINE_SP_OFFSET (-160)
#define SFRAME_MACHINE_ENTRY_SIZE 128
#define SFRAME_MACHINE_CODE_ALIGN 2
/* gcc puts the instruction that restores SP at most so many bytes on.  */
#define SFRAME_MACHINE_SP_LOOK 64

/* The first call-saved register; FP is one of those that follow.  */
#define SFRAME_MACHINE_FIRST_SAVED 6

/* There is no frame pointer to ask for.  Unwinding makes the compiler save
   all call-saved registers instead, each in its place in the caller's save
   area.  The places do not depend on the function: register N is saved N
   words up, RA among them.  */
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
  registers->interrupted = false;
  registers->fetch_failed = false;
}

/* A call leaves the return address in its register.  */
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

/* Bytes of an instruction that is none.  */
#define SFRAME_TRAP_SIZE 2

/* The distance of SIZE bytes, 2 or 4, before RA, in bytes.  */
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

/* A call is basr, bras or brasl with the return address in register 14.
   AVAILABLE bytes before RA can be read.  */
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

/* An entry of the PLT and the code in front of it, which all entries share:
   GNU ld 2.47 writes no tables for those of shared objects.  By halfwords, -1
   is any.  Document: the ABI's "Procedure Linkage Table".  */
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

static inline bool
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
      return true;
  return false;
}

/* PLT entries leave SP alone, and so does the code they share.  */
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

/* Whether the instruction that begins with HALFWORD may lead elsewhere: balr,
   bctr, bcr, svc, bsm, bassm, basr, ex, bal, bct, bc, brxh, brxle, bxh, bxle,
   exrl and those that compare and branch, and the relative ones.  */
static inline bool
sframe_is_branch (unsigned int halfword)
{
  unsigned int code = halfword >> 8, more = halfword & 15;

  return ((code >= 0x05 && code <= 0x07) || (code >= 0x0a && code <= 0x0d)
	  || (code >= 0x44 && code <= 0x47) || (code >= 0x84 && code <= 0x87)
	  || code == 0xc6 || code == 0xec
	  || ((code == 0xa7 || code == 0xc0) && more >= 4 && more <= 7));
}

/* gcc keeps SP of leaf functions in floating-point registers, and says that
   the CFA is SP + 160 before lgdr has made it so.  DWARF tells that SP is in
   that register, SFrame cannot.  In code lgdr comes before any branch, and
   before ldgr if SP is in its own register.  */
static inline unsigned int
sframe_find_sp (const unsigned char *code, size_t size)
{
  enum { lgdr = 0xb3cd, ldgr = 0xb3c1 };

  for (size_t at = 0; at + 4 <= size; )
    {
      unsigned int halfword = sframe_halfword (code + at);
      unsigned int to = code[at + 3] >> 4, from = code[at + 3] & 15;
      if (sframe_is_branch (halfword)
	  || (halfword == ldgr && from == SFRAME_MACHINE_SP))
	break;
      if (halfword == lgdr && to == SFRAME_MACHINE_SP)
	for (unsigned int i = 0; i < sizeof sframe_fprs; ++i)
	  if (sframe_fprs[i] == from)
	    return 16 + i;
      /* The first two bits tell the length.  */
      at += halfword < 0x4000 ? 2 : halfword < 0xc000 ? 4 : 6;
    }
  return SFRAME_MACHINE_SP;
}

/* What follows the call of __libc_start_main is no instruction.  */
static inline bool
sframe_entry_return (const unsigned char *code)
{
  return code[0] == 0 && code[1] == 0;
}

#endif /* _SFRAME_MACHINE_H  */
