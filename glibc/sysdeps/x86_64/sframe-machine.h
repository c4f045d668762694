/* Machine dependencies of SFrame unwinding: x86-64.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Document: System V ABI, AMD64 supplement, "DWARF Register Number
   Mapping" and "The Stack Frame".  The interface is described in
   sysdeps/generic/sframe-machine.h.  */

#ifndef _SFRAME_MACHINE_H
#define _SFRAME_MACHINE_H

#include <sframe-call.h>
#include <sframe-step.h>

#define SFRAME_MACHINE_ABI SFRAME_ABI_AMD64_LE
#define SFRAME_MACHINE_SP 7
#define SFRAME_MACHINE_FP 6
/* The CFA is the value of SP before the call pushed the return address.  */
#define SFRAME_MACHINE_SP_OFFSET 0
#define SFRAME_MACHINE_ENTRY_SIZE 64
#define SFRAME_MACHINE_CODE_ALIGN 1
#define SFRAME_MACHINE_FRAMELESS 0
#define SFRAME_MACHINE_SAVE_AREA 0
#define SFRAME_MACHINE_RECORD 0
#define SFRAME_MACHINE_SP_LOOK 0

/* __builtin_frame_address makes the compiler set up a frame pointer, which
   points to the saved FP and the return address.  The call-saved registers
   other than FP are not captured: compilers write no rule for a call that
   needs one (DRAP functions reload from FP), and the few hand-written rules
   are left to .eh_frame.  */
static inline void __attribute__ ((always_inline))
sframe_capture_caller (struct sframe_registers *registers)
{
  const uintptr_t *frame = __builtin_frame_address (0);

  registers->value[SFRAME_MACHINE_FP] = frame[0];
  registers->pc = frame[1];
  registers->value[SFRAME_MACHINE_SP] = (uintptr_t) (frame + 2);
  registers->known = (UINT64_C (1) << SFRAME_MACHINE_FP
		      | UINT64_C (1) << SFRAME_MACHINE_SP);
  registers->kept = 0;
  registers->interrupted = false;
  registers->fetch_failed = false;
}

/* At the first instruction of a function, SP points to the return address.  */
static inline void
sframe_call_rule (struct sframe_rule *rule)
{
  *rule = (struct sframe_rule)
    { .cfa = { .kind = SFRAME_REGISTER_VALUE, .reg = SFRAME_MACHINE_SP,
	       .offset = 8 },
      .ra = { .kind = SFRAME_CFA_MEMORY, .offset = -8 },
      .fp = { .kind = SFRAME_UNCHANGED } };
}

/* None: GNU ld writes tables for the PLT.  */
#define SFRAME_MACHINE_STUB_SIZE 0

static inline int
sframe_stub (const unsigned char *code)
{
  return -1;
}

/* Repeated blocks are PLT entries.  A PLT entry is called in place of the
   function, so the CFA at its start is SP + 8.  GNU ld up to 2.47 writes
   SP + 16 for the entries of .plt.got.  Correct this in a block of one row: it
   does not change SP, so the CFA is SP + 8 in all of it.  */
static inline bool
sframe_block_rule (struct sframe_rule *rule, const struct sframe_rule *first)
{
  struct sframe_rule entry;

  sframe_call_rule (&entry);
  if (first->outermost || rule->outermost)
    return false;
  if (first->cfa.kind == entry.cfa.kind && first->cfa.reg == entry.cfa.reg
      && first->cfa.offset == entry.cfa.offset)
    return true;
  if (rule->cfa.kind != first->cfa.kind || rule->cfa.reg != first->cfa.reg
      || rule->cfa.offset != first->cfa.offset)
    return false;
  rule->cfa = entry.cfa;
  return true;
}

static inline unsigned int
sframe_find_sp (const unsigned char *code, size_t size)
{
  return SFRAME_MACHINE_SP;
}

/* In crt1.o hlt follows the call of __libc_start_main.  */
static inline bool
sframe_entry_return (const unsigned char *code)
{
  return *code == 0xf4;
}

#endif /* _SFRAME_MACHINE_H  */
