/* Give a program another vDSO than the kernel's.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef VDSO_SWAP_H
#define VDSO_SWAP_H

#include <sys/types.h>

/* Process PID is stopped where it leaves execve: map the file PATH in it and
   let AT_SYSINFO_EHDR point there.  PATH has to have a single segment.  */
void vdso_swap (pid_t pid, const char *path);

#endif
