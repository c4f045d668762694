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

/* One registration: a range of text and its table.  Several ranges of text may
   share a table.  */
struct sframe_kernel_range
{
  uint64_t table;
  uint64_t table_size;
  uint64_t text;
  uint64_t text_size;
};

/* Register COUNT ranges, in the order of RANGES.  Return the number of those
   that were registered, all before the first one that the kernel refused; if
   that is the first of all, return its errno value, negated.  Unmapping any
   part of a table or of its text ends the registration.  */
static inline int
_dl_sframe_kernel_add (const struct sframe_kernel_range *ranges, size_t count)
{
  return -ENOSYS;
}

#endif /* _DL_SFRAME_KERNEL_H  */
