/* Frames that Linux on s390x makes: signal frames.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Document: Linux, arch/s390/kernel/signal.c (struct sigframe and struct
   rt_sigframe).  The interface is described in
   sysdeps/generic/sframe-system.h.

   The handler returns to a system call instruction in the vDSO; older
   kernels, and emulators of user programs, write it to the signal frame.  Its
   number tells the two kinds of frames apart: a handler that was installed
   without SA_SIGINFO gets the old one.  */

#ifndef _SFRAME_SYSTEM_H
#define _SFRAME_SYSTEM_H

#include <ldsodefs.h>
#include <signal.h>
#include <sframe-machine.h>
#include <sframe-signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <ucontext.h>

#define SFRAME_SIGNAL_TRAMPOLINE_SIZE 2

/* The C library has none.  */
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

/* The handler returns to the first byte of the trampoline in the vDSO; the
   byte before it, where a caller is looked up, is another function's.  */
static inline bool
sframe_signal_object (const struct link_map *map)
{
  const struct link_map *vdso = GLRO (dl_sysinfo_map);
  unsigned long int start;

  if (vdso != NULL)
    return map == vdso;
  /* The ld.so of a libc.so that a static program has loaded does not know.  */
  return (__getauxval2 (AT_SYSINFO_EHDR, &start)
	  && map->l_map_start == start);
}

/* Both frames begin with a save area for the handler.  The new one goes on
   with room for the trampoline, the siginfo_t and the context...  */
#define SFRAME_RT_INFO (-SFRAME_MACHINE_SP_OFFSET + 8)
#define SFRAME_RT_REGISTERS (SFRAME_RT_INFO + sizeof (siginfo_t) \
			     + offsetof (ucontext_t, uc_mcontext))
/* ... the old one with the signal mask, a pointer to the registers, the
   registers themselves and the number of the signal.  */
#define SFRAME_OLD_REGISTERS (-SFRAME_MACHINE_SP_OFFSET + 8)
#define SFRAME_OLD_SIGNAL (SFRAME_OLD_REGISTERS + 8 + sizeof (mcontext_t))

/* Whether SP as it was when the signal came is CHAIN in the registers at
   CONTEXT.  */
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

/* The interrupted SP is in both frames twice: as the back chain, with which
   they begin, and among the registers.  The pointer in the old one leads to
   the word behind it.  */
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

/* Whether SIGNAL came from an instruction that is complete, so that the PC is
   that of the next one.  */
static inline bool
sframe_signal_completes (const struct sframe_signal *signal)
{
  return ((signal->number == SIGILL || signal->number == SIGFPE
	   || signal->number == SIGTRAP)
	  && signal->code > 0);
}

/* Find the saved registers of the signal frame at SP, and what is told about
   the signal.  */
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

/* Whether SIGNAL tells that the instruction at PC could not be fetched.  The
   kernel tells only the page of the access, which may have been one to data;
   but who branches to an address has it in a register, and nothing has been
   executed since.  */
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

static inline enum sframe_step_status
sframe_signal_step (struct sframe_registers *registers,
		    struct sframe_stack *stack)
{
  bool rt = (sframe_svc ((const unsigned char *) registers->pc)
	     == SFRAME_SVC_RT_SIGRETURN);
  struct sframe_signal signal;
  uintptr_t context;

  if (!sframe_signal_registers (rt, registers->value[SFRAME_MACHINE_SP], stack,
				&context, &signal))
    return SFRAME_STEP_BROKEN;
  for (unsigned int i = 0; i < SFRAME_MACHINE_REGISTERS; ++i)
    {
      uintptr_t address
	= (i < 16
	   ? context + offsetof (mcontext_t, gregs) + i * sizeof (greg_t)
	   : (context + offsetof (mcontext_t, fpregs.fprs)
	      + sframe_fprs[i - 16] * sizeof (fpreg_t)));
      if (!__sframe_stack_read (stack, address, &registers->value[i]))
	return SFRAME_STEP_BROKEN;
    }
  if (!__sframe_stack_read (stack, context + offsetof (mcontext_t, psw.addr),
			    &registers->pc))
    return SFRAME_STEP_BROKEN;
  registers->known = (UINT64_C (1) << SFRAME_MACHINE_REGISTERS) - 1;
  registers->fetch_failed = sframe_signal_fetch (registers, &signal);
  /* No instruction ends at an odd address: it was branched to.  */
  registers->interrupted
    = (!sframe_signal_completes (&signal)
       || registers->pc % SFRAME_MACHINE_CODE_ALIGN != 0);
  if (sframe_signal_fault (&signal))
    __sframe_stack_doubt (stack, sframe_ask_always);
  return SFRAME_STEP_CALLER;
}

/* __makecontext_ret has an FDE that says that nobody called it.  */
static inline bool
sframe_context_start (uintptr_t pc)
{
  return false;
}

#endif /* _SFRAME_SYSTEM_H  */
