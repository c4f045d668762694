/* Read the siginfo_t of a signal frame, to find signals that mean a fault.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe; memory is read through sframe-stack.h alone.
   The bytes may be garbage: on x86-64 the kernel does not write the siginfo_t
   if the handler was installed without SA_SIGINFO.  They may even be the
   siginfo_t of an earlier signal.  */

#ifndef _SFRAME_SIGNAL_H
#define _SFRAME_SIGNAL_H

#include <sframe-stack.h>
#include <signal.h>
#include <sigsetops.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sysdep.h>
#include <ucontext.h>

struct sframe_signal
{
  int number;
  int code;
  /* The address of a memory fault.  */
  uintptr_t address;
};

/* Read the siginfo_t at INFO.  Return false if it is not readable.  */
static inline bool
sframe_signal_read (uintptr_t info, struct sframe_stack *stack,
		    struct sframe_signal *signal)
{
  /* Do not copy the whole siginfo_t: there is little stack.  */
  uintptr_t number, code;

  _Static_assert (offsetof (siginfo_t, si_signo) == 0
		  && offsetof (siginfo_t, si_code) == sizeof code,
		  "first in their words");
  if (!__sframe_stack_read (stack, info, &number)
      || !__sframe_stack_read (stack, info + sizeof number, &code)
      || !__sframe_stack_read (stack, info + offsetof (siginfo_t, si_addr),
			       &signal->address))
    return false;
  memcpy (&signal->number, &number, sizeof signal->number);
  memcpy (&signal->code, &code, sizeof signal->code);
  return true;
}

/* Whether SIGNAL is a memory fault.  A code of 0 or less means that a program
   has sent the signal.  */
static inline bool
sframe_signal_access (const struct sframe_signal *signal)
{
  return ((signal->number == SIGSEGV || signal->number == SIGBUS)
	  && signal->code > 0);
}

/* The set of signals after which the stack may be overwritten, in the form of
   a signal mask.  */
#define SFRAME_FAULT_SIGNALS						      \
  (__sigmask (SIGABRT) | __sigmask (SIGBUS) | __sigmask (SIGFPE)	      \
   | __sigmask (SIGILL) | __sigmask (SIGSEGV))

static inline bool
sframe_signal_valid (const struct sframe_signal *signal)
{
  return signal->number > 0 && signal->number < _NSIG;
}

/* Whether SIGNAL is one of SFRAME_FAULT_SIGNALS, with a code that Linux or
   libc gives; others are garbage, or sent by a program that has had no
   fault.  */
static inline bool
sframe_signal_fault (const struct sframe_signal *signal)
{
  return (sframe_signal_valid (signal)
	  && (__sigmask (signal->number) & SFRAME_FAULT_SIGNALS) != 0
	  && signal->code >= SI_ASYNCNL && signal->code <= SI_KERNEL);
}

/* Whether SIGNAL, which claims to be a fault, can be one, for all that the
   signal frame says: LAST is the address that the thread's last trap recorded,
   PC the interrupted PC, and TRAPPED says whether a trap was recorded.  The
   kernel reports a fault by an address, except with SI_KERNEL.  Some emulators
   record no trap, but the address.  */
static inline bool
sframe_signal_plausible (const struct sframe_signal *signal, bool trapped,
			 uintptr_t last, uintptr_t pc)
{
  return (trapped || signal->code <= 0 || signal->code == SI_KERNEL
	  || signal->address == last || signal->address == pc);
}

/* Store the signals that the thread blocks in *MASK.  Return false if the
   system call fails.  */
static inline bool
sframe_signal_blocked (uintptr_t *mask)
{
  _Static_assert (sizeof *mask == __NSIG_BYTES, "one word");
  /* All ones, for a seccomp filter that reports success although nothing was
     written.  */
  *mask = -1;
  return !INTERNAL_SYSCALL_ERROR_P
    (INTERNAL_SYSCALL_CALL (rt_sigprocmask, SIG_BLOCK, NULL, mask,
			    __NSIG_BYTES));
}

/* Whether the thread blocks a fault signal, as the handler of one does.  */
static inline bool
sframe_signal_blocks_fault (void)
{
  uintptr_t now;

  return !sframe_signal_blocked (&now) || (now & SFRAME_FAULT_SIGNALS) != 0;
}

/* Store the signals that are blocked since the running handler was called in
   *HANDLED: its own, except with SA_NODEFER or if the handler has unblocked
   it, and for the outer of two nested handlers those of the inner one, too.
   MASK is the address of the signal mask that the kernel saved before it.
   Return false if they cannot be known.  */
static inline bool
sframe_signal_handled (uintptr_t mask, struct sframe_stack *stack,
		       uintptr_t *handled)
{
  uintptr_t before, now;

  if (!__sframe_stack_read (stack, mask, &before)
      || !sframe_signal_blocked (&now))
    return false;
  *handled = now & ~before;
  return true;
}

/* Whether the running handler may be that of a fault signal.  If no more
   signals are blocked than before, the answer is yes.  */
static inline bool
sframe_signal_may_handle_fault (uintptr_t mask, struct sframe_stack *stack)
{
  uintptr_t handled;

  return (!sframe_signal_handled (mask, stack, &handled) || handled == 0
	  || (handled & SFRAME_FAULT_SIGNALS) != 0);
}

/* Whether SIGNAL is known to be no fault.  Each handler of a fault must have a
   siginfo_t, as HANDLERS says.  But one that has none may have installed
   another one that has; then SIGNAL may be an earlier signal.  So SIGNAL must
   be blocked, as it is in its own handler.  */
static inline bool
sframe_signal_other (const struct sframe_signal *signal,
		     enum sframe_handlers handlers)
{
  uintptr_t now;

  return (handlers == sframe_handlers_told && sframe_signal_valid (signal)
	  && (__sigmask (signal->number) & SFRAME_FAULT_SIGNALS) == 0
	  && sframe_signal_blocked (&now)
	  && (now & __sigmask (signal->number)) != 0);
}

/* Whether SP is on the alternate stack of the thread; if so, store its end in
   *END.  */
static inline bool
sframe_signal_stack (uintptr_t sp, uintptr_t *end)
{
  stack_t stack = { .ss_flags = SS_DISABLE };

  if (INTERNAL_SYSCALL_ERROR_P
      (INTERNAL_SYSCALL_CALL (sigaltstack, NULL, &stack))
      || (stack.ss_flags & SS_DISABLE) != 0
      || sp - (uintptr_t) stack.ss_sp >= stack.ss_size)
    return false;
  *end = ((uintptr_t) stack.ss_sp + stack.ss_size) & -sizeof sp;
  return true;
}

/* Whether the ucontext_t at CONTEXT, with its siginfo_t at INFO, can be that
   of a running handler.  What is left of one that has returned is soon
   overwritten in part.  Linux has a few of uc_flags, and uc_link is 0.  What
   was blocked before a handler is blocked in it, too, unless it has changed
   that, or has interrupted sigsuspend or the like; so the mask does not matter
   for a fault, or for a signal that is known to be none.  */
static inline bool
sframe_signal_whole (uintptr_t context, uintptr_t info,
		     enum sframe_handlers handlers, struct sframe_stack *stack)
{
  struct sframe_signal signal;
  uintptr_t flags, link, before, now;

  _Static_assert (offsetof (ucontext_t, uc_link) == sizeof flags,
		  "uc_flags is a word");
  if (!__sframe_stack_read (stack, context, &flags)
      || !__sframe_stack_read (stack, context + sizeof flags, &link)
      || !__sframe_stack_read (stack, (context
				       + offsetof (ucontext_t, uc_sigmask)),
			       &before)
      || !sframe_signal_read (info, stack, &signal))
    return false;
  return (flags <= UINT8_MAX && link == 0
	  && (sframe_signal_fault (&signal)
	      || sframe_signal_other (&signal, handlers)
	      || !sframe_signal_blocked (&now) || (before & ~now) == 0));
}

#endif /* _SFRAME_SIGNAL_H  */
