/* The bounds of the calling thread's stack: only the end is known.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _SFRAME_THREAD_H
#define _SFRAME_THREAD_H

#include <ldsodefs.h>
#include <sframe-stack.h>

/* Store the readable part of the calling thread's initial stack in *RANGE and
   return true.  For the main thread, whose stack the kernel made, or if the
   lower bound is not known, store only the end (HIGH) and return false.  */
static inline bool
sframe_thread_stack (struct sframe_range *range)
{
  range->high = (uintptr_t) __libc_stack_end;
  return false;
}

#endif /* _SFRAME_THREAD_H  */
