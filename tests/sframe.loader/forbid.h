/* A seccomp filter that kills the process for a prctl option with a high
   number, as strict sandboxes do.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef FORBID_H
#define FORBID_H

#include <endian.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline void
forbid_unknown_options (void)
{
  enum { LAST_KNOWN = 0x1000 };
  /* The filter permits PR_SET_VMA, which glibc uses and which is above the
     limit.  */
  struct sock_filter code[] =
    {
      BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
      BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 4),
      BPF_STMT (BPF_LD | BPF_W | BPF_ABS,
		offsetof (struct seccomp_data, args)
		+ 4 * (__BYTE_ORDER == __BIG_ENDIAN)),
      BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, PR_SET_VMA, 2, 0),
      BPF_JUMP (BPF_JMP | BPF_JGT | BPF_K, LAST_KNOWN, 0, 1),
      BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
    };
  struct sock_fprog program = { sizeof code / sizeof *code, code };
  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
      || syscall (SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
    _exit (126);
}

#endif
