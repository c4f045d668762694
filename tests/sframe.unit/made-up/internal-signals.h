/* The signal mask of a thread, for tests on a simulated system.

   SPDX-License-Identifier: LGPL-2.1-or-later

   preload/ has the header; here the test takes its system call.  */

#include <stddef.h>

#include <sysdep.h>

int unit_rt_sigprocmask (int how, const unsigned long int *set,
			 unsigned long int *before, size_t size);

#define __NSIG_BYTES 8UL
#define __sigmask(signal) (1UL << ((signal) - 1))
#undef INTERNAL_SYSCALL_CALL
#define INTERNAL_SYSCALL_CALL(name, how, set, before, size)		      \
  unit_##name (how, (const unsigned long int *) (set),			      \
	       (unsigned long int *) (before), size)

#include_next <internal-signals.h>
