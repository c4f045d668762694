/* Test backtrace through objects without SFrame while the lock of the dynamic
   linker is held: by the caller, in dl_iterate_phdr, and by another thread
   that waits for the backtrace to end.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <link.h>

#include <support/xdlfcn.h>
#include <support/xthread.h>

#include "tst-sframe-support.h"

static int (*call) (void (*) (void), int);
static struct trace_pair pair;
static pthread_barrier_t barrier;

/* The oracle takes the lock.  */
static void FRAME
take (void)
{
  pair.ours.count = backtrace (pair.ours.pc, TRACE_MAX);
  KEEP_FRAME ();
}

static void FRAME
take_both (void)
{
  collect (&pair);
  KEEP_FRAME ();
}

static int FRAME
visit (struct dl_phdr_info *info, size_t size, void *closure)
{
  call (take_both, 100);
  return 1;
}

/* Hold the lock until the other thread has its trace.  */
static int
hold (struct dl_phdr_info *info, size_t size, void *closure)
{
  xpthread_barrier_wait (&barrier);
  xpthread_barrier_wait (&barrier);
  return 1;
}

static void *
thread_function (void *closure)
{
  dl_iterate_phdr (hold, NULL);
  return NULL;
}

static int
do_test (void)
{
  void *handle = xdlopen ("tst-sframe-stripped-mod.so", RTLD_NOW);
  call = xdlsym (handle, "call_without_sframe");

  /* The process's first backtrace.  */
  xpthread_barrier_init (&barrier, NULL, 2);
  pthread_t thread = xpthread_create (NULL, thread_function, NULL);
  xpthread_barrier_wait (&barrier);
  call (take, 100);
  xpthread_barrier_wait (&barrier);
  xpthread_join (thread);
  struct trace locked = pair.ours;
  call (take_both, 100);
  /* Compare without the frame of take, and without that of this function,
     whose return address differs.  */
  TEST_COMPARE (locked.count, pair.ours.count - 1);
  TEST_VERIFY (locked.pc[1] == pair.ours.pc[2]);
  for (int i = 3; i < locked.count; ++i)
    TEST_VERIFY (locked.pc[i] == pair.ours.pc[i + 1]);
  check_same_with (&pair, call);

  TEST_COMPARE (dl_iterate_phdr (visit, NULL), 1);
  check_same_with (&pair, call);
  TEST_COMPARE (count_frames (&pair.oracle, visit), 1);

  check_no_fallback ();
  xdlclose (handle);
  return 0;
}

#include <support/test-driver.c>
