/* The signal mask of a thread, for another libc.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe.  errno is left alone.  */

#ifndef _INTERNAL_SIGNALS_H
#define _INTERNAL_SIGNALS_H

#include <signal.h>
#include <stddef.h>

#include <sysdep.h>

/* As the kernel has it.  */
typedef struct
{
  unsigned long int __val[1];
} internal_sigset_t;

static inline void
internal_sigfillset (internal_sigset_t *set)
{
  set->__val[0] = -1;
}

static inline void
internal_sigdelset (internal_sigset_t *set, int signo)
{
  set->__val[0] &= ~__sigmask (signo);
}

/* Return 0, or a negative error.  */
static inline int
internal_sigprocmask (int how, const internal_sigset_t *set,
		      internal_sigset_t *before)
{
  return INTERNAL_SYSCALL_CALL (rt_sigprocmask, how, set, before,
				__NSIG_BYTES);
}

static inline void
internal_signal_restore_set (const internal_sigset_t *set)
{
  internal_sigprocmask (SIG_SETMASK, set, NULL);
}

#endif /* _INTERNAL_SIGNALS_H  */
