/* Frames that Linux makes on AArch64: signal frames.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Document: Linux, arch/arm64/kernel/signal.c (struct rt_sigframe) and
   arch/arm64/include/uapi/asm/sigcontext.h.  The interface is described in
   sysdeps/generic/sframe-system.h.

   The handler returns to a trampoline in the vDSO; user-mode emulators may
   have it in a page of its own.  The registers of vector and matrix extensions
   follow the general registers, so the unwinder need not know them.  */

#ifndef _SFRAME_SYSTEM_H
#define _SFRAME_SYSTEM_H

#include <asm/sigcontext.h>
#include <sframe-machine.h>
#include <sframe-module.h>
#include <sframe-signal.h>
#include <stddef.h>
#include <string.h>
#include <ucontext.h>

#define SFRAME_SIGNAL_TRAMPOLINE_SIZE 8

/* The C library has no trampoline on AArch64.  */
static inline bool
sframe_own_trampoline (uintptr_t pc)
{
  return false;
}

static inline bool
sframe_signal_trampoline (const unsigned char *code)
{
  /* mov x8, __NR_rt_sigreturn; svc 0.  */
  static const unsigned char expected[SFRAME_SIGNAL_TRAMPOLINE_SIZE]
    = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 };

  return memcmp (code, expected, sizeof expected) == 0;
}

/* The handler returns to the first byte of the trampoline in the vDSO.  The
   byte before it, at which a caller is looked up, is in another function.  */
static inline bool
sframe_signal_object (const sframe_module *module)
{
  return sframe_module_is_vdso (module);
}

/* Struct rt_sigframe, at which SP points in the trampoline, has a siginfo_t
   and a ucontext_t.  */
#define SFRAME_SIGNAL_CONTEXT sizeof (siginfo_t)
#define SFRAME_SIGNAL_MASK (SFRAME_SIGNAL_CONTEXT \
			    + offsetof (ucontext_t, uc_sigmask))
#define SFRAME_SIGNAL_MACHINE (SFRAME_SIGNAL_CONTEXT \
			       + offsetof (ucontext_t, uc_mcontext))

/* The context ends with records, whose first word is a number and a size.  The
   floating-point registers come first; then, if the thread has had a fault,
   the syndrome of the last one.  */
#define SFRAME_SIGNAL_RECORDS (SFRAME_SIGNAL_MACHINE \
			       + offsetof (mcontext_t, __reserved))
#define SFRAME_SIGNAL_SYNDROME (SFRAME_SIGNAL_RECORDS \
				+ sizeof (struct fpsimd_context))
#define SFRAME_RECORD(number, type) \
  ((number) | (uint64_t) sizeof (type) << 32)

/* Whether SP points to a signal frame, by its first record.  Contexts that
   getcontext makes have the same record.  */
static inline bool
sframe_signal_frame (uintptr_t sp, struct sframe_stack *stack)
{
  uintptr_t word;

  return (__sframe_stack_read (stack, sp + SFRAME_SIGNAL_RECORDS, &word)
	  && word == SFRAME_RECORD (FPSIMD_MAGIC, struct fpsimd_context));
}

/* The last fault of the thread, as the signal frame records it.  The signal
   may have another cause.  RECORDED is whether there is a syndrome: emulators
   may record the address alone.  */
struct sframe_trap
{
  bool recorded;
  uintptr_t syndrome;
  uintptr_t address;
};

static inline bool
sframe_read_trap (uintptr_t sp, struct sframe_stack *stack,
		  struct sframe_trap *trap)
{
  const uintptr_t record = sp + SFRAME_SIGNAL_SYNDROME;
  uintptr_t word;

  if (!__sframe_stack_read (stack, sp + SFRAME_SIGNAL_MACHINE
			    + offsetof (mcontext_t, fault_address),
			    &trap->address)
      || !__sframe_stack_read (stack, record, &word))
    return false;
  trap->recorded = word == SFRAME_RECORD (ESR_MAGIC, struct esr_context);
  return (!trap->recorded
	  || __sframe_stack_read (stack, record + offsetof (struct esr_context,
							    esr),
				  &trap->syndrome));
}

/* The exception class in a syndrome, and the classes of an instruction that
   could not be fetched and of a misaligned PC.  Document: Arm Architecture
   Reference Manual for A-profile, "ESR_EL1".  */
#define SFRAME_SYNDROME_CLASS(syndrome) ((syndrome) >> 26 & 0x3f)
#define SFRAME_CLASS_FETCH 0x20
#define SFRAME_CLASS_PC 0x22

/* Whether the signal is that of a fault from fetching the instruction at PC.
   Without a syndrome the address decides: no instruction accesses itself.  */
static inline bool
sframe_trap_fetch (const struct sframe_trap *trap,
		   const struct sframe_signal *signal, uintptr_t pc)
{
  unsigned int class = SFRAME_SYNDROME_CLASS (trap->syndrome);

  if (trap->address != pc)
    return false;
  return (trap->recorded
	  ? class == SFRAME_CLASS_FETCH || class == SFRAME_CLASS_PC
	  : sframe_signal_access (signal) && signal->address == pc);
}

/* Whether the signal that interrupted PC, whose frame is at SP, is one of a
   fault.  SIGNAL is garbage if the handler was installed without SA_SIGINFO.
   If it has no valid signal number, check which signals the handler blocks,
   since it blocks its own.  This costs a system call, but only in such a
   handler and in a thread that once had a fault.  What is missed here,
   sframe_signal_unsure finds.  */
static inline bool
sframe_signal_is_fault (const struct sframe_signal *signal,
			const struct sframe_trap *trap, uintptr_t pc,
			uintptr_t sp, struct sframe_stack *stack)
{
  return ((sframe_signal_fault (signal)
	   && sframe_signal_plausible (signal, trap->recorded, trap->address,
				       pc))
	  || (trap->recorded && !sframe_signal_valid (signal)
	      && sframe_signal_may_handle_fault (sp + SFRAME_SIGNAL_MASK,
						 stack)));
}

/* Find the cause of the signal whose frame is at SP: set fetch_failed in
   *REGISTERS, which has the interrupted PC, and the doubt of *STACK.  Return
   false if the signal frame cannot be read.  */
static inline bool
sframe_signal_cause (struct sframe_registers *registers,
		     struct sframe_stack *stack, uintptr_t sp)
{
  struct sframe_trap trap = { .recorded = false };
  struct sframe_signal signal;

  if (!sframe_read_trap (sp, stack, &trap)
      || !sframe_signal_read (sp, stack, &signal))
    return false;
  registers->fetch_failed
    = sframe_trap_fetch (&trap, &signal, registers->pc);
  if (registers->fetch_failed
      || sframe_signal_is_fault (&signal, &trap, registers->pc, sp, stack))
    __sframe_stack_doubt (stack, sframe_ask_always);
  return true;
}

/* Linux has no SA_RESTORER here, so the default action is the same before a
   handler is installed and after it is removed.  */
static inline enum sframe_handlers
sframe_signal_handlers (void)
{
  return sframe_handlers_unknown;
}

/* Check the signal mask whatever the siginfo_t says, which may be that of an
   earlier signal.  */
static inline bool
sframe_signal_unsure (uintptr_t sp, enum sframe_handlers handlers,
		      struct sframe_stack *stack)
{
  return sframe_signal_may_handle_fault (sp + SFRAME_SIGNAL_MASK, stack);
}

static inline bool
sframe_signal_search (uintptr_t address, enum sframe_handlers handlers,
		      struct sframe_stack *stack, uintptr_t *sp)
{
  *sp = address - SFRAME_SIGNAL_RECORDS;
  return (sframe_signal_frame (*sp, stack)
	  && sframe_signal_whole (*sp + SFRAME_SIGNAL_CONTEXT, *sp, handlers,
				  stack));
}

/* Read the PC that the signal whose frame is at SP has interrupted.  */
static inline bool
sframe_signal_pc (uintptr_t sp, struct sframe_stack *stack, uintptr_t *pc)
{
  return __sframe_stack_read (stack, (sp + SFRAME_SIGNAL_MACHINE
				      + offsetof (mcontext_t, pc)), pc);
}

static inline void
sframe_signal_doubt (uintptr_t sp, struct sframe_stack *stack)
{
  struct sframe_registers registers;

  if (!sframe_signal_pc (sp, stack, &registers.pc)
      || !sframe_signal_cause (&registers, stack, sp))
    __sframe_stack_doubt (stack, sframe_ask_always);
}

/* The registers in struct sigcontext are in DWARF's order: SP follows X30.  */
_Static_assert (offsetof (mcontext_t, sp)
		== (offsetof (mcontext_t, regs)
		    + SFRAME_MACHINE_SP * sizeof (uint64_t)), "one array");

static inline enum sframe_step_status
sframe_signal_step (struct sframe_registers *registers,
		    struct sframe_stack *stack)
{
  const uintptr_t sp = registers->value[SFRAME_MACHINE_SP];
  const uintptr_t saved
    = sp + SFRAME_SIGNAL_MACHINE + offsetof (mcontext_t, regs);

  for (unsigned int i = 0; i < SFRAME_MACHINE_REGISTERS; ++i)
    if (!__sframe_stack_read (stack, saved + i * sizeof (uint64_t),
			      &registers->value[i]))
      return SFRAME_STEP_BROKEN;
  if (!sframe_signal_pc (sp, stack, &registers->pc)
      || !sframe_signal_cause (registers, stack, sp))
    return SFRAME_STEP_BROKEN;
  registers->known = (UINT64_C (1) << SFRAME_MACHINE_REGISTERS) - 1;
  registers->kept = 0;
  registers->interrupted = true;
  return SFRAME_STEP_CALLER;
}

/* Not needed: the FDE of __startcontext says that it has no caller, and the
   call in it precedes its return address.  */
static inline bool
sframe_context_start (uintptr_t pc)
{
  return false;
}

#endif /* _SFRAME_SYSTEM_H  */
