/* The parts of linux/sched/signal.h that the unwinder for x86 needs.
   SPDX-License-Identifier: GPL-2.0-only

   A file of its own for the same reason as <linux/signal.h>.  */

#ifndef SHIM_LINUX_SCHED_SIGNAL_H
#define SHIM_LINUX_SCHED_SIGNAL_H

#ifndef SHIM_S390
# undef SIGTRAP
# define SIGTRAP 5
# undef SA_SIGINFO
# define SA_SIGINFO 4
# undef SA_NODEFER
# define SA_NODEFER 0x40000000
# undef SI_KERNEL
# define SI_KERNEL 0x80
# undef sigmask
# define sigmask(number) (1UL << ((number) - 1))
# define sigismember(set, number) ((set)->sig[0] >> ((number) - 1) & 1)
#endif

#endif /* SHIM_LINUX_SCHED_SIGNAL_H  */
