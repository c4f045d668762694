/* The stack that NPTL gave the calling thread.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The interface is described in sysdeps/generic/sframe-thread.h.  */

#ifndef _SFRAME_THREAD_H
#define _SFRAME_THREAD_H

#include <sframe-stack.h>
#include <tls.h>

/* These members are written before the thread starts.  The main thread has
   __libc_stack_end for its size, which a libc.so that a static program has
   loaded finds here alone: its own ld.so has never started.  */
static inline bool
sframe_thread_stack (struct sframe_range *range)
{
  struct pthread *self = THREAD_SELF;

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
