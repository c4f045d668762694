/* Register .sframe sections with Linux, by prctl.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The interface is described in sysdeps/generic/dl-sframe-kernel.h, the prctl
   operations in PR_ADD_SFRAME(2const).  Only this file uses their numbers.  */

#ifndef _DL_SFRAME_KERNEL_H
#define _DL_SFRAME_KERNEL_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sysdep.h>

/* "SF" and a number, far from the options that Linux numbers in sequence, so
   that no other kernel takes them for a different request.  */
#define PR_ADD_SFRAME 0x53460001
#define PR_REMOVE_SFRAME 0x53460002

/* The layout of struct prctl_sframe.  */
struct sframe_kernel_range
{
  uint64_t table;
  uint64_t table_size;
  uint64_t text;
  uint64_t text_size;
};

static inline int
_dl_sframe_kernel_add (const struct sframe_kernel_range *ranges, size_t count)
{
  return INTERNAL_SYSCALL_CALL (prctl, PR_ADD_SFRAME, ranges, count,
				sizeof *ranges, 0UL);
}

static inline int
_dl_sframe_kernel_ask (void)
{
  /* No table can be registered at address 0, so a kernel that knows the
     option returns ENOENT; any other returns EINVAL.  */
  int result = INTERNAL_SYSCALL_CALL (prctl, PR_REMOVE_SFRAME, 0UL, 0UL, 0UL,
				      0UL);
  if (!INTERNAL_SYSCALL_ERROR_P (result))
    return ENOSYS;
  switch (INTERNAL_SYSCALL_ERRNO (result))
    {
    case ENOENT:
      return 0;
    case EPERM:
    case EACCES:
      return EPERM;
    default:
      return ENOSYS;
    }
}

#endif /* _DL_SFRAME_KERNEL_H  */
