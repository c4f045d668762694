/* Test that libgcc, if loaded by the program, is not unmapped while backtrace
   uses it.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <gnu/lib-names.h>

#include <support/check.h>
#include <support/xdlfcn.h>
#include <support/xthread.h>

enum
{
  /* libgcc needs milliseconds for this many frames.  */
  DEPTH = 20000,
  ROUNDS = 20,
  /* Enough on any machine; the default depends on ulimit.  */
  STACK_SIZE = DEPTH * 512,
};

static void *pc[2 * DEPTH];
static int count;
static pthread_barrier_t barrier;

static void __attribute_optimization_barrier__
recurse (int depth)
{
  if (depth > 0)
    recurse (depth - 1);
  else
    {
      xpthread_barrier_wait (&barrier);
      count = backtrace (pc, 2 * DEPTH);
    }
  asm volatile ("" ::: "memory");
}

static void *
thread_function (void *closure)
{
  recurse (DEPTH);
  return closure;
}

static int
do_test (void)
{
  pthread_attr_t attr;

  xpthread_attr_init (&attr);
  xpthread_attr_setstacksize (&attr, STACK_SIZE);
  xpthread_barrier_init (&barrier, NULL, 2);
  for (int i = 0; i < ROUNDS; ++i)
    {
      /* libgcc is loaded when backtrace looks for it, so backtrace does not
	 call dlopen and takes no reference.  */
      void *handle = xdlopen (LIBGCC_S_SO, RTLD_NOW);
      pthread_t thread = xpthread_create (&attr, thread_function, NULL);
      xpthread_barrier_wait (&barrier);
      usleep (200 * (i + 1));
      xdlclose (handle);
      xpthread_join (thread);
      TEST_VERIFY (count > DEPTH);
    }
  return 0;
}

#include <support/test-driver.c>
