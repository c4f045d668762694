/* The parts of linux/signal.h that signal frames of s390 need.
   SPDX-License-Identifier: GPL-2.0-only

   A file of its own: tests include the <signal.h> of user space, which defines
   the same names as other types.  */

#ifndef SHIM_LINUX_SIGNAL_H
#define SHIM_LINUX_SIGNAL_H

#include <stddef.h>

#define SIGILL 4
#define SIGTRAP 5
#define SIGFPE 8
#define TRAP_BRKPT 1

struct siginfo
{
  int si_signo, si_errno, si_code;
  unsigned char rest[116];
} __attribute__ ((aligned (8)));

typedef struct
{
  void *ss_sp;
  int ss_flags;
  size_t ss_size;
} stack_t;

#endif /* SHIM_LINUX_SIGNAL_H  */
