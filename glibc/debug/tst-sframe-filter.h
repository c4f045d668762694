/* A seccomp filter for the tests of backtrace.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef _TST_SFRAME_FILTER_H
#define _TST_SFRAME_FILTER_H

#include <stddef.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <support/test-driver.h>

/* The first statement of a filter: load the number of the system call.  */
#define LOAD_NUMBER							\
  BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr))

/* Install FILTER, which has COUNT statements, in the calling thread.  Exit
   with EXIT_UNSUPPORTED if the kernel has no filters.  */
static void
install_filter (const struct sock_filter *filter, size_t count)
{
  struct sock_fprog program
    = { .len = count, .filter = (struct sock_filter *) filter };
  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
      || prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0)
    _exit (EXIT_UNSUPPORTED);
}

#endif /* _TST_SFRAME_FILTER_H  */
