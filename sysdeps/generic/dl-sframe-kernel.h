/* Register .sframe sections with the kernel: a system without such an
   interface.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_SFRAME_KERNEL_H
#define _DL_SFRAME_KERNEL_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

/* Ask whether the kernel has the interface, without registering anything.
   Return 0, ENOSYS if it has not, or EPERM if this process may not use it.
   After an error the loader makes no further system call for SFrame.  */
static inline int
_dl_sframe_kernel_ask (void)
{
  return ENOSYS;
}

/* Register the section of TABLE_SIZE bytes at TABLE for the TEXT_SIZE bytes
   of code at TEXT.  Several ranges of code may share a table.  Return 0 or an
   errno value.  Unmapping any part of the section or of the code ends the
   registration.  */
static inline int
_dl_sframe_kernel_add (uintptr_t table, size_t table_size, uintptr_t text,
		       size_t text_size)
{
  return ENOSYS;
}

#endif /* _DL_SFRAME_KERNEL_H  */
