/* The bounds of the calling thread's stack, as NPTL has them.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The interface is described in sysdeps/generic/sframe-thread.h.  */

#ifndef _SFRAME_THREAD_H
#define _SFRAME_THREAD_H

#include <sframe-stack.h>
#include <tls.h>

/* These members are written before the thread starts.  For the main thread
   stackblock_size is __libc_stack_end.  In a libc.so loaded by a static
   program __libc_stack_end itself is not set, since its ld.so has never
   run.  */
static inline bool
sframe_thread_stack (struct sframe_range *range)
{
#ifdef __x86_64__
  /* THREAD_SELF is itself a word of the descriptor, to which an overrun of the
     stack may have led; the segment register is not.  The bounds may then be
     wrong: a signal has reported the fault, and so each page is probed.  */
  struct pthread __seg_fs *self = 0;
#else
  struct pthread *self = THREAD_SELF;
#endif

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
