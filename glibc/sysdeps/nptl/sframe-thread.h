/* The bounds of the calling thread's stack, as NPTL has them.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The interface is described in sysdeps/generic/sframe-thread.h.  */

#ifndef _SFRAME_THREAD_H
#define _SFRAME_THREAD_H

#include <sframe-self.h>
#include <sframe-stack.h>

/* These members are written before the thread starts.  For the main thread
   stackblock_size is __libc_stack_end.  In a libc.so loaded by a static
   program __libc_stack_end itself is not set, since its ld.so has never
   run.  After an overrun that has reached the descriptor they may be wrong.
   The handler of the fault does not depend on them: from its signal frame on
   each page is probed.  */
static inline bool
sframe_thread_stack (struct sframe_range *range)
{
  const __typeof (*SFRAME_SELF) *self = SFRAME_SELF;

  if (self->stackblock == NULL)
    {
      range->high = self->stackblock_size;
      return false;
    }
  range->low = (uintptr_t) self->stackblock + self->guardsize;
  range->high = (uintptr_t) self->stackblock + self->stackblock_size;
  return true;
}

#endif /* _SFRAME_THREAD_H  */
