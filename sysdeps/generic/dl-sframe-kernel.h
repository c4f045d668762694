/* Telling the kernel about .sframe sections: a system that has no such
   interface.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_SFRAME_KERNEL_H
#define _DL_SFRAME_KERNEL_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

/* Register the section of TABLE_SIZE bytes at TABLE for the TEXT_SIZE bytes
   of code at TEXT.  Several ranges of code may share a table.  Return 0 or an
   errno value; ENOSYS where there is no such interface.  */
static inline int
_dl_sframe_kernel_add (uintptr_t table, size_t table_size, uintptr_t text,
		       size_t text_size)
{
  return ENOSYS;
}

/* Take back all registrations of the section at TABLE.  */
static inline void
_dl_sframe_kernel_remove (uintptr_t table)
{
}

#endif /* _DL_SFRAME_KERNEL_H  */
