/* Run a function on a stack that the test has allocated.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef _TST_SFRAME_OWN_STACK_H
#define _TST_SFRAME_OWN_STACK_H

#include <support/check.h>
#include <support/xthread.h>

/* Call FUNCTION (CLOSURE) in a thread whose stack is the SIZE bytes at STACK,
   and join it.  */
static inline void
run_on_stack (void *stack, size_t size, void *(*function) (void *),
	      void *closure)
{
  pthread_attr_t attr;

  xpthread_attr_init (&attr);
  TEST_COMPARE (pthread_attr_setstack (&attr, stack, size), 0);
  xpthread_join (xpthread_create (&attr, function, closure));
  xpthread_attr_destroy (&attr);
}

#endif /* _TST_SFRAME_OWN_STACK_H  */
