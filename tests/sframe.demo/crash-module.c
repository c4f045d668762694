/* A library whose constructor waits for a thread that crashes: ld.so's lock is held.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <pthread.h>

int crash_here (const char *how);

static void *
crash (void *closure)
{
  return (void *) (long) crash_here (closure);
}

static void __attribute__ ((constructor))
wait_for_crash (void)
{
  pthread_t thread;
  pthread_create (&thread, NULL, crash, (void *) "segv");
  pthread_join (thread, NULL);
}
