/* What the siginfo_t of a signal frame tells a trace.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe; memory is read through sframe-stack.h alone.
   What is read may be rubbish: x86-64 leaves the place for it as it was if the
   handler was installed without SA_SIGINFO.  */

#ifndef _SFRAME_SIGNAL_H
#define _SFRAME_SIGNAL_H

#include <sframe-stack.h>
#include <signal.h>
#include <sigsetops.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sysdep.h>

struct sframe_signal
{
  int number;
  int code;
  /* Where the fault is, if it is one of memory.  */
  uintptr_t address;
};

/* Read the siginfo_t at INFO.  Return false if it is not readable.  */
static inline bool
sframe_signal_read (uintptr_t info, struct sframe_stack *stack,
		    struct sframe_signal *signal)
{
  /* Not a whole siginfo_t: there is little stack.  */
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

/* Whether SIGNAL comes from an access to memory.  Codes up to 0 are of signals
   that a program has sent.  */
static inline bool
sframe_signal_access (const struct sframe_signal *signal)
{
  return ((signal->number == SIGSEGV || signal->number == SIGBUS)
	  && signal->code > 0);
}

/* The signals of a program that has gone wrong, so that its stack may be
   overwritten, as in a signal mask.  */
#define SFRAME_FAULT_SIGNALS						      \
  (__sigmask (SIGABRT) | __sigmask (SIGBUS) | __sigmask (SIGFPE)	      \
   | __sigmask (SIGILL) | __sigmask (SIGSEGV))

static inline bool
sframe_signal_valid (const struct sframe_signal *signal)
{
  return signal->number > 0 && signal->number < _NSIG;
}

/* Whether SIGNAL is one of these.  */
static inline bool
sframe_signal_fault (const struct sframe_signal *signal)
{
  return (sframe_signal_valid (signal)
	  && (__sigmask (signal->number) & SFRAME_FAULT_SIGNALS) != 0);
}

/* Whether the handler of a signal, which has found the mask at address MASK
   and runs now, may be one of a fault.  The signal itself is blocked in its
   handler, unless there is SA_NODEFER or the handler has changed that: if
   nothing more than before is blocked, it may.  In an outer one of nested
   handlers the answer may be yes for the sake of an inner one.  */
static inline bool
sframe_signal_may_handle_fault (uintptr_t mask, struct sframe_stack *stack)
{
  /* A filter may report success and write nothing.  */
  uintptr_t before, now = -1;

  _Static_assert (sizeof now == __NSIG_BYTES, "one word");
  if (!__sframe_stack_read (stack, mask, &before)
      || (INTERNAL_SYSCALL_ERROR_P
	  (INTERNAL_SYSCALL_CALL (rt_sigprocmask, SIG_BLOCK, NULL, &now,
				  __NSIG_BYTES))))
    return true;
  uintptr_t handled = now & ~before;
  return handled == 0 || (handled & SFRAME_FAULT_SIGNALS) != 0;
}

#endif /* _SFRAME_SIGNAL_H  */
