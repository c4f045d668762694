/* What the siginfo_t of a signal frame tells a trace.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe; memory is read through sframe-stack.h alone.
   What is read may be rubbish: x86-64 leaves the place for it as it was if the
   handler was installed without SA_SIGINFO.  */

#ifndef _SFRAME_SIGNAL_H
#define _SFRAME_SIGNAL_H

#include <sframe-stack.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/* Whether SIGNAL is one of a program that has gone wrong, so that its stack
   may be overwritten.  */
static inline bool
sframe_signal_fault (const struct sframe_signal *signal)
{
  switch (signal->number)
    {
    case SIGABRT:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGSEGV:
      return true;
    default:
      return false;
    }
}

#endif /* _SFRAME_SIGNAL_H  */
