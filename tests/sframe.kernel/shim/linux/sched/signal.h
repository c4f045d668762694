/* As much of linux/sched/signal.h as the unwinder for x86 needs.
   SPDX-License-Identifier: GPL-2.0-only

   Like <linux/signal.h> it is a file of its own.  */

#ifndef SHIM_LINUX_SCHED_SIGNAL_H
#define SHIM_LINUX_SCHED_SIGNAL_H

#ifndef SHIM_S390
# undef SIGTRAP
# define SIGTRAP 5
# define sigismember(set, number) (*(set) >> ((number) - 1) & 1)
#endif

#endif /* SHIM_LINUX_SCHED_SIGNAL_H  */
