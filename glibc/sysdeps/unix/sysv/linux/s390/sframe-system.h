/* Frames that Linux makes on s390x: signal frames.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Document: Linux, arch/s390/kernel/signal.c (struct sigframe and struct
   rt_sigframe).  The interface is described in
   sysdeps/generic/sframe-system.h.

   The handler returns to a system call instruction in the vDSO; older
   kernels and user-mode emulators write this instruction into the signal
   frame.  The number of the system call distinguishes the two kinds of frames:
   the old one (struct sigframe) is for a handler installed without
   SA_SIGINFO.  */

#ifndef _SFRAME_SYSTEM_H
#define _SFRAME_SYSTEM_H

#include <ldsodefs.h>
#include <signal.h>
#include <sframe-machine.h>
#include <sframe-module.h>
#include <sframe-signal.h>
#include <stddef.h>
#include <string.h>
#include <ucontext.h>

#define SFRAME_SIGNAL_TRAMPOLINE_SIZE 2

/* The C library has no trampoline on s390x.  */
static inline bool
sframe_own_trampoline (uintptr_t pc)
{
  return false;
}

/* svc __NR_sigreturn and svc __NR_rt_sigreturn.  */
#define SFRAME_SVC_SIGRETURN 0x0a77
#define SFRAME_SVC_RT_SIGRETURN 0x0aad

static inline uint16_t
sframe_svc (const unsigned char *code)
{
  uint16_t instruction;

  memcpy (&instruction, code, sizeof instruction);
  return instruction;
}

static inline bool
sframe_signal_trampoline (const unsigned char *code)
{
  return (sframe_svc (code) == SFRAME_SVC_SIGRETURN
	  || sframe_svc (code) == SFRAME_SVC_RT_SIGRETURN);
}

/* The handler returns to the first byte of the trampoline in the vDSO.  The
   byte before it, at which a caller is looked up, is in another function.  */
static inline bool
sframe_signal_object (const sframe_module *module)
{
  return sframe_module_is_vdso (module);
}

/* Both frames begin with the handler's register save area.  In struct
   rt_sigframe, room for the trampoline, the siginfo_t and the context
   follow...  */
#define SFRAME_RT_INFO (-SFRAME_MACHINE_SP_OFFSET + 8)
#define SFRAME_RT_REGISTERS (SFRAME_RT_INFO + sizeof (siginfo_t) \
			     + offsetof (ucontext_t, uc_mcontext))
/* ... in struct sigframe, the signal mask, a pointer to the registers, the
   registers themselves and the signal number.  */
#define SFRAME_OLD_REGISTERS (-SFRAME_MACHINE_SP_OFFSET + 8)
#define SFRAME_OLD_SIGNAL (SFRAME_OLD_REGISTERS + 8 + sizeof (mcontext_t))

/* Whether the interrupted SP in the registers at CONTEXT equals CHAIN.  */
static inline bool
sframe_signal_chain (uintptr_t context, uintptr_t chain,
		     struct sframe_stack *stack)
{
  uintptr_t sp;

  return (__sframe_stack_read (stack, (context + offsetof (mcontext_t, gregs)
				       + SFRAME_MACHINE_SP * sizeof (greg_t)),
			       &sp)
	  && sp == chain);
}

/* Both frames hold the interrupted SP twice: as the back chain in the first
   word, and among the registers.  The pointer in struct sigframe points to the
   word after itself.  */
static inline bool
sframe_signal_frame (uintptr_t sp, struct sframe_stack *stack)
{
  uintptr_t chain, registers;

  return (__sframe_stack_read (stack, sp, &chain) && chain != 0
	  && (sframe_signal_chain (sp + SFRAME_RT_REGISTERS, chain, stack)
	      || (__sframe_stack_read (stack, sp + SFRAME_OLD_REGISTERS,
				       &registers)
		  && registers == (sp + SFRAME_OLD_REGISTERS
				   + sizeof registers)
		  && sframe_signal_chain (registers, chain, stack))));
}

/* Whether SIGNAL came from an instruction that was completed, so that PC is
   the next one.  */
static inline bool
sframe_signal_completes (const struct sframe_signal *signal)
{
  return ((signal->number == SIGILL || signal->number == SIGFPE
	   || signal->number == SIGTRAP)
	  && signal->code > 0);
}

/* Store the address of the registers saved in the signal frame at SP in
   *CONTEXT, and its signal in *SIGNAL.  */
static inline bool
sframe_signal_registers (bool rt, uintptr_t sp, struct sframe_stack *stack,
			 uintptr_t *context, struct sframe_signal *signal)
{
  uintptr_t number;

  if (rt)
    {
      *context = sp + SFRAME_RT_REGISTERS;
      return sframe_signal_read (sp + SFRAME_RT_INFO, stack, signal);
    }
  if (!__sframe_stack_read (stack, sp + SFRAME_OLD_REGISTERS, context)
      || !__sframe_stack_read (stack, sp + SFRAME_OLD_SIGNAL, &number))
    return false;
  *signal = (struct sframe_signal) { .number = number >> 32, .code = 1 };
  return true;
}

/* Whether SIGNAL means that fetching the instruction at PC faulted.  The
   kernel reports only the page of the address, and the access may have been to
   data.  But if PC was reached by an indirect branch, a register still holds
   its address, since no instruction was executed after the branch.  */
static inline bool
sframe_signal_fetch (const struct sframe_registers *registers,
		     const struct sframe_signal *signal)
{
  uintptr_t page = -(uintptr_t) GLRO (dl_pagesize);

  if (!sframe_signal_access (signal)
      || ((signal->address ^ registers->pc) & page) != 0)
    return false;
  for (unsigned int i = 0; i <= SFRAME_MACHINE_SP; ++i)
    if (registers->value[i] == registers->pc)
      return true;
  return false;
}

/* Read all registers from the mcontext_t at CONTEXT.  */
static inline bool
sframe_signal_restore (struct sframe_registers *registers, uintptr_t context,
		       struct sframe_stack *stack)
{
  for (unsigned int i = 0; i < SFRAME_MACHINE_REGISTERS; ++i)
    {
      uintptr_t address
	= (i < 16
	   ? context + offsetof (mcontext_t, gregs) + i * sizeof (greg_t)
	   : (context + offsetof (mcontext_t, fpregs.fprs)
	      + sframe_fprs[i - 16] * sizeof (fpreg_t)));
      if (!__sframe_stack_read (stack, address, &registers->value[i]))
	return false;
    }
  registers->known = (UINT64_C (1) << SFRAME_MACHINE_REGISTERS) - 1;
  registers->kept = 0;
  return __sframe_stack_read (stack, context + offsetof (mcontext_t, psw.addr),
			      &registers->pc);
}

static inline enum sframe_step_status
sframe_signal_step (struct sframe_registers *registers,
		    struct sframe_stack *stack)
{
  bool rt = (sframe_svc ((const unsigned char *) registers->pc)
	     == SFRAME_SVC_RT_SIGRETURN);
  struct sframe_signal signal;
  uintptr_t context;

  if (!sframe_signal_registers (rt, registers->value[SFRAME_MACHINE_SP], stack,
				&context, &signal)
      || !sframe_signal_restore (registers, context, stack))
    return SFRAME_STEP_BROKEN;
  registers->fetch_failed = sframe_signal_fetch (registers, &signal);
  /* No instruction ends at an odd address, so a branch has led there.  */
  registers->interrupted
    = (!sframe_signal_completes (&signal)
       || registers->pc % SFRAME_MACHINE_CODE_ALIGN != 0);
  if (sframe_signal_fault (&signal))
    __sframe_stack_doubt (stack, sframe_ask_always);
  return SFRAME_STEP_CALLER;
}

/* Not needed: the signal frames say more than the actions.  */
static inline enum sframe_handlers
sframe_signal_handlers (void)
{
  return sframe_handlers_unknown;
}

/* Both kinds of signal frames have the number of the signal.  */
static inline bool
sframe_signal_unsure (uintptr_t sp, enum sframe_handlers handlers,
		      struct sframe_stack *stack)
{
  return false;
}

/* Store the signal whose frame seems to be at SP in *SIGNAL.  */
static inline bool
sframe_signal_of_frame (uintptr_t sp, struct sframe_stack *stack,
			struct sframe_signal *signal)
{
  uintptr_t chain, context;

  return (__sframe_stack_read (stack, sp, &chain)
	  && sframe_signal_registers (sframe_signal_chain
					(sp + SFRAME_RT_REGISTERS, chain,
					 stack),
				      sp, stack, &context, signal));
}

/* Words that are equal are common on a stack; so check the number of the
   signal, too.  */
static inline bool
sframe_signal_search (uintptr_t address, enum sframe_handlers handlers,
		      struct sframe_stack *stack, uintptr_t *sp)
{
  struct sframe_signal signal;

  *sp = address;
  return (sframe_signal_frame (address, stack)
	  && sframe_signal_of_frame (address, stack, &signal)
	  && sframe_signal_valid (&signal));
}

static inline void
sframe_signal_doubt (uintptr_t sp, struct sframe_stack *stack)
{
  struct sframe_signal signal;

  if (!sframe_signal_of_frame (sp, stack, &signal)
      || sframe_signal_fault (&signal))
    __sframe_stack_doubt (stack, sframe_ask_always);
}

/* Not needed: the FDE of __makecontext_ret says that it has no caller.  */
static inline bool
sframe_context_start (uintptr_t pc)
{
  return false;
}

#endif /* _SFRAME_SYSTEM_H  */
