/* Telling the kernel about .sframe sections: a system that has no such
   interface.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_SFRAME_KERNEL_H
#define _DL_SFRAME_KERNEL_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

/* Ask whether there is such an interface, whatever is going to be registered.
   Return 0, ENOSYS if there is none, or EPERM if it is not for this process.
   The system call that finds out is the only one that is made in vain.  */
static inline int
_dl_sframe_kernel_ask (void)
{
  return ENOSYS;
}

/* Register the section of TABLE_SIZE bytes at TABLE for the TEXT_SIZE bytes
   of code at TEXT.  Several ranges of code may share a table.  Return 0 or an
   errno value.  Whatever unmaps a part of section or code ends that.  */
static inline int
_dl_sframe_kernel_add (uintptr_t table, size_t table_size, uintptr_t text,
		       size_t text_size)
{
  return ENOSYS;
}

#endif /* _DL_SFRAME_KERNEL_H  */
