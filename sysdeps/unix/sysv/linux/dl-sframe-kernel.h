/* Telling Linux about .sframe sections, by prctl.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The interface is described in sysdeps/generic/dl-sframe-kernel.h; prctl's
   side of it in PR_ADD_SFRAME(2const) of this project.  Nothing outside this
   file knows the numbers.  */

#ifndef _DL_SFRAME_KERNEL_H
#define _DL_SFRAME_KERNEL_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sysdep.h>

/* "SF" and a number, out of the way of the options that Linux counts up, so
   that a kernel that does not know these does nothing else instead.  */
#define PR_ADD_SFRAME 0x53460001
#define PR_REMOVE_SFRAME 0x53460002

static inline int
_dl_sframe_kernel_add (uintptr_t table, size_t table_size, uintptr_t text,
		       size_t text_size)
{
  int result = INTERNAL_SYSCALL_CALL (prctl, PR_ADD_SFRAME, table,
				      table_size, text, text_size);
  return INTERNAL_SYSCALL_ERROR_P (result) ? INTERNAL_SYSCALL_ERRNO (result)
					   : 0;
}

static inline int
_dl_sframe_kernel_ask (void)
{
  /* No table can be registered at 0, and so none be removed.  A kernel that
     knows the option says so, any other that the option is invalid.  */
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
