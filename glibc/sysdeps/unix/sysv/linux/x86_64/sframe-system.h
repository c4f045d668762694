/* Frames that Linux makes on x86-64: signal frames and new contexts.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Document: Linux, arch/x86/include/asm/sigframe.h (struct rt_sigframe).
   The interface is described in sysdeps/generic/sframe-system.h.

   The handler returns to a trampoline that the C library supplies
   (sa_restorer).  Its code is part of the ABI: debuggers and unwinders
   recognize its bytes.  SFrame has no FDE for it.  */

#ifndef _SFRAME_SYSTEM_H
#define _SFRAME_SYSTEM_H

#include <sframe-machine.h>
#include <sframe-module.h>
#include <sframe-signal.h>
#include <stddef.h>
#include <string.h>
#include <ucontext.h>

#define SFRAME_SIGNAL_TRAMPOLINE_SIZE 9

/* The trampoline that sigaction passes as sa_restorer.  Weak, since a static
   program need not contain it.  */
extern char __restore_rt[] attribute_hidden __attribute__ ((weak));

static inline bool
sframe_own_trampoline (uintptr_t pc)
{
  return pc == (uintptr_t) __restore_rt && pc != 0;
}

static inline bool
sframe_signal_trampoline (const unsigned char *code)
{
  /* mov $__NR_rt_sigreturn, %rax; syscall.  */
  static const unsigned char expected[SFRAME_SIGNAL_TRAMPOLINE_SIZE]
    = { 0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05 };

  return memcmp (code, expected, sizeof expected) == 0;
}

/* The trampoline is always in an object.  */
static inline bool
sframe_signal_frame (uintptr_t sp, struct sframe_stack *stack)
{
  return false;
}

/* Not needed: the FDE of the C library's trampoline begins one byte before the
   address that the handler returns to.  */
static inline bool
sframe_signal_object (const sframe_module *module)
{
  return false;
}

/* The return to the trampoline has popped the first member of struct
   rt_sigframe, so SP points to the second one, the context.  The siginfo_t
   follows right after the kernel's signal mask, which is shorter than that of
   the C library.  */
#define SFRAME_SIGNAL_INFO (offsetof (ucontext_t, uc_sigmask) + __NSIG_BYTES)

/* The number of the page fault, and the error code bit for an instruction
   fetch.  Document: Intel's manual, volume 3, "Interrupt 14".  */
#define SFRAME_TRAP_PAGE_FAULT 14
#define SFRAME_PAGE_FAULT_FETCH 16

static inline bool
sframe_read_greg (struct sframe_stack *stack, uintptr_t gregs, int number,
		  uintptr_t *value)
{
  return __sframe_stack_read (stack, gregs + number * sizeof (greg_t), value);
}

/* The last trap of the thread, as the signal frame records it.  Linux never
   clears it, so the signal may have another cause.  */
struct sframe_trap
{
  uintptr_t number;
  uintptr_t error;
  uintptr_t address;
};

static inline bool
sframe_read_trap (struct sframe_stack *stack, uintptr_t gregs,
		  struct sframe_trap *trap)
{
  return (sframe_read_greg (stack, gregs, REG_TRAPNO, &trap->number)
	  && sframe_read_greg (stack, gregs, REG_ERR, &trap->error)
	  && sframe_read_greg (stack, gregs, REG_CR2, &trap->address));
}

/* Whether TRAP is a page fault from fetching the instruction at PC.  */
static inline bool
sframe_trap_fetch (const struct sframe_trap *trap, uintptr_t pc)
{
  return (trap->number == SFRAME_TRAP_PAGE_FAULT
	  && (trap->error & SFRAME_PAGE_FAULT_FETCH) != 0
	  && trap->address == pc);
}

/* Whether the signal that interrupted PC is one of a fault.  TRAP is the last
   trap; MASK is the address of the saved signal mask.  SIGNAL is garbage if
   the handler was installed without SA_SIGINFO.  If it has no valid signal
   number, check which signals the handler blocks, since it blocks its own.
   This costs a system call, but only in such a handler and in a thread that
   once had a trap.  What is missed here, sframe_signal_unsure finds: SIGABRT
   and a division by zero leave no trap, and SIGNAL may be that of an earlier
   signal.  */
static inline bool
sframe_signal_is_fault (const struct sframe_signal *signal,
			const struct sframe_trap *trap, uintptr_t pc,
			uintptr_t mask, struct sframe_stack *stack)
{
  return ((sframe_signal_fault (signal)
	   && sframe_signal_plausible (signal, trap->number != 0,
				       trap->address, pc))
	  || (trap->number != 0 && !sframe_signal_valid (signal)
	      && sframe_signal_may_handle_fault (mask, stack)));
}

/* INT3 and its trap number: the PC that Linux reports is that of the next
   instruction, which may belong to another function.  */
#define SFRAME_TRAP_INT3 3
#define SFRAME_INT3 0xcc

/* Whether the byte before PC is INT3.  */
static inline bool
sframe_after_int3 (uintptr_t pc, struct sframe_stack *stack)
{
  uintptr_t word, at = pc - 1;

  return (__sframe_stack_read (stack, at & -sizeof word, &word)
	  && (word >> at % sizeof word * 8 & 0xff) == SFRAME_INT3);
}

/* Whether the signal that interrupted PC is that of an INT3; the arguments are
   those of sframe_signal_is_fault.  Linux sends SIGTRAP with SI_KERNEL.  If
   the handler was installed without SA_SIGINFO, look for a handler that blocks
   SIGTRAP.  Look at the code last, which may need a system call.  */
static inline bool
sframe_signal_is_int3 (const struct sframe_signal *signal,
		       const struct sframe_trap *trap, uintptr_t pc,
		       uintptr_t mask, struct sframe_stack *stack)
{
  uintptr_t handled;

  if (trap->number != SFRAME_TRAP_INT3)
    return false;
  if (sframe_signal_valid (signal)
      ? signal->number != SIGTRAP || signal->code != SI_KERNEL
      : (!sframe_signal_handled (mask, stack, &handled)
	 || (handled & __sigmask (SIGTRAP)) == 0))
    return false;
  return sframe_after_int3 (pc, stack);
}

/* Find the cause of the signal whose context is at CONTEXT: set fetch_failed
   and interrupted in *REGISTERS, which has the interrupted PC, and the doubt
   of *STACK.  Return false if the signal frame cannot be read.  */
static inline bool
sframe_signal_cause (struct sframe_registers *registers,
		     struct sframe_stack *stack, uintptr_t context)
{
  uintptr_t gregs = context + offsetof (ucontext_t, uc_mcontext.gregs);
  uintptr_t mask = context + offsetof (ucontext_t, uc_sigmask);
  struct sframe_trap trap;
  struct sframe_signal signal;

  if (!sframe_read_trap (stack, gregs, &trap)
      || !sframe_signal_read (context + SFRAME_SIGNAL_INFO, stack, &signal))
    return false;
  registers->fetch_failed = sframe_trap_fetch (&trap, registers->pc);
  registers->interrupted
    = !sframe_signal_is_int3 (&signal, &trap, registers->pc, mask, stack);
  if (registers->fetch_failed
      || sframe_signal_is_fault (&signal, &trap, registers->pc, mask, stack))
    __sframe_stack_doubt (stack, sframe_ask_always);
  return true;
}

/* An action without any flag was never changed: libc sets SA_RESTORER, which a
   handler needs, also when it removes a handler.  A seccomp filter may let the
   system call succeed without effect.  */
static inline enum sframe_handlers
sframe_signal_handlers (void)
{
  /* Struct kernel_sigaction; the others are the restorer and the mask.  */
  struct { uintptr_t handler, flags, others[2]; } action;
  enum sframe_handlers handlers = sframe_handlers_none;

  for (int number = 1; number < _NSIG; ++number)
    if ((__sigmask (number) & SFRAME_FAULT_SIGNALS) != 0)
      {
	action.handler = (uintptr_t) SIG_ERR;
	action.flags = 0;
	if (INTERNAL_SYSCALL_ERROR_P
	    (INTERNAL_SYSCALL_CALL (rt_sigaction, number, NULL, &action,
				    __NSIG_BYTES)))
	  return sframe_handlers_unknown;
	if (action.handler == (uintptr_t) SIG_DFL && action.flags == 0)
	  continue;
	if ((action.flags & SA_SIGINFO) == 0)
	  return sframe_handlers_unknown;
	handlers = sframe_handlers_told;
      }
  return handlers;
}

/* Unless the siginfo_t can be relied on, check the signal mask: the siginfo_t
   may be that of an earlier signal.  */
static inline bool
sframe_signal_unsure (uintptr_t sp, enum sframe_handlers handlers,
		      struct sframe_stack *stack)
{
  struct sframe_signal signal;

  return (!(sframe_signal_read (sp + SFRAME_SIGNAL_INFO, stack, &signal)
	    && sframe_signal_other (&signal, handlers))
	  && sframe_signal_may_handle_fault (sp + offsetof (ucontext_t,
							    uc_sigmask),
					     stack));
}

/* CS and SS of a 64-bit process, in the word of a signal frame that has CS,
   GS, FS and SS, 16 bits each.  */
#define SFRAME_SEGMENTS UINT64_C (0x002b000000000033)
#define SFRAME_SEGMENTS_MASK UINT64_C (0xffff00000000ffff)
/* CS alone, also that of a Xen PV guest, 0xe033.  */
#define SFRAME_CS_MASK UINT64_C (0x1fff)

/* Recognize the return address and CS or, if the trampoline is that of another
   C library, CS and SS.  The address alone is no proof: sigaction leaves it on
   the stack, and backtrace stores it in the caller's array.  */
static inline bool
sframe_signal_search (uintptr_t address, enum sframe_handlers handlers,
		      struct sframe_stack *stack, uintptr_t *sp)
{
  const size_t segments
    = offsetof (ucontext_t, uc_mcontext.gregs[REG_CSGSFS]);
  uintptr_t word;
  bool found;

  if (!__sframe_stack_read (stack, address, &word))
    return false;
  if (sframe_own_trampoline (word))
    {
      *sp = address + sizeof word;
      found = (__sframe_stack_read (stack, *sp + segments, &word)
	       && ((word ^ SFRAME_SEGMENTS) & SFRAME_CS_MASK) == 0);
    }
  else
    {
      *sp = address - segments;
      found = (word & SFRAME_SEGMENTS_MASK) == SFRAME_SEGMENTS;
    }
  return found && sframe_signal_whole (*sp, *sp + SFRAME_SIGNAL_INFO,
				       handlers, stack);
}

static inline void
sframe_signal_doubt (uintptr_t sp, struct sframe_stack *stack)
{
  uintptr_t gregs = sp + offsetof (ucontext_t, uc_mcontext.gregs);
  struct sframe_registers registers;

  if (!sframe_read_greg (stack, gregs, REG_RIP, &registers.pc)
      || !sframe_signal_cause (&registers, stack, sp))
    __sframe_stack_doubt (stack, sframe_ask_always);
}

static inline enum sframe_step_status
sframe_signal_step (struct sframe_registers *registers,
		    struct sframe_stack *stack)
{
  /* By DWARF number: the index in the saved registers.  */
  static const unsigned char saved[SFRAME_MACHINE_REGISTERS]
    = { REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP,
	REG_RSP, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14,
	REG_R15 };
  uintptr_t context = registers->value[SFRAME_MACHINE_SP];
  uintptr_t gregs = context + offsetof (ucontext_t, uc_mcontext.gregs);

  for (unsigned int i = 0; i < SFRAME_MACHINE_REGISTERS; ++i)
    if (!sframe_read_greg (stack, gregs, saved[i], &registers->value[i]))
      return SFRAME_STEP_BROKEN;
  if (!sframe_read_greg (stack, gregs, REG_RIP, &registers->pc)
      || !sframe_signal_cause (registers, stack, context))
    return SFRAME_STEP_BROKEN;
  registers->known = (UINT64_C (1) << SFRAME_MACHINE_REGISTERS) - 1;
  registers->kept = 0;
  return SFRAME_STEP_CALLER;
}

/* makecontext stores the address of __start_context as the return address.  No
   call precedes it, so looking up the byte before it would find another
   function.  With shadow stacks, it is that of a jump to __start_context, in
   the function before it.  Weak, since a static program need not contain
   them.  */
extern char __start_context[] attribute_hidden __attribute__ ((weak));
#if defined SHSTK_ENABLED && SHSTK_ENABLED
extern char __push___start_context[] attribute_hidden __attribute__ ((weak));
#endif

static inline bool
sframe_context_start (uintptr_t pc)
{
#if defined SHSTK_ENABLED && SHSTK_ENABLED
  if (pc > (uintptr_t) __push___start_context
      && pc < (uintptr_t) __start_context)
    return true;
#endif
  return pc == (uintptr_t) __start_context;
}

#endif /* _SFRAME_SYSTEM_H  */
