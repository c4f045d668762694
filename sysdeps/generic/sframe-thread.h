/* The stack that the C library gave the calling thread: not known.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _SFRAME_THREAD_H
#define _SFRAME_THREAD_H

#include <ldsodefs.h>
#include <sframe-stack.h>

/* Store the readable part of the stack that the calling thread was created
   with in *RANGE.  Return false for the main thread, whose stack is the
   system's, or if it is not known; of that store only where it ends.  */
static inline bool
sframe_thread_stack (struct sframe_range *range)
{
  range->high = (uintptr_t) __libc_stack_end;
  return false;
}

#endif /* _SFRAME_THREAD_H  */
