/* Give a program another vDSO than the kernel's.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef VDSO_SWAP_H
#define VDSO_SWAP_H

#include <sys/types.h>

/* Map the file PATH in process PID, which is stopped at the exit of execve,
   and set AT_SYSINFO_EHDR to its address.  PATH must have a single
   segment.  */
void vdso_swap (pid_t pid, const char *path);

#endif
