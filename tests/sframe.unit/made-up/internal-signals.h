/* The signal mask of a thread, for tests on a simulated system.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _INTERNAL_SIGNALS_H
#define _INTERNAL_SIGNALS_H

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
  set->__val[0] &= ~(1UL << (signo - 1));
}

int internal_sigprocmask (int how, const internal_sigset_t *set,
			  internal_sigset_t *before);
void internal_signal_restore_set (const internal_sigset_t *set);

#endif /* _INTERNAL_SIGNALS_H  */
