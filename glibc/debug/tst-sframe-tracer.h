/* Stop threads during a trace, of which the loader then knows: it keeps the
   objects that are unloaded meanwhile.

   SPDX-License-Identifier: LGPL-2.1-or-later

   tracer_init      call first
   tracer_start     start a thread that takes traces
   stop_in_trace    stop it during a trace
   stop_and_keep    the same, and the loader knows of the trace
   tracer_end       let it end after this trace  */

#ifndef _TST_SFRAME_TRACER_H
#define _TST_SFRAME_TRACER_H

#include <semaphore.h>
#include <stdatomic.h>

#include <support/xdlfcn.h>
#include <support/xthread.h>

#include "tst-sframe-support.h"

/* A signal meets a trace by chance, on a busy machine late.  */
#define TIMEOUT 200

enum
{
  TRACER_DEPTH = 100,
  /* So many objects the tracer unloads at most until it is stopped: the loader
     does not keep more than RETIRED_MAX (dl-sframe-retire.c).  */
  TRACER_UNLOADS = 100,
};

/* An object to be unloaded.  */
static const char module[] = "tst-sframe-cache-unload-mod1.so";
/* How many mappings it has.  */
static int mappings;

/* A thread that takes traces.  */
struct tracer
{
  pthread_t thread;
  atomic_bool tracing, is_stopped, end;
  atomic_int unloads;
  sem_t signaled, go;
};

static _Thread_local struct tracer *self;

static void
reload (const char *name)
{
  xdlclose (xdlopen (name, RTLD_NOW));
}

/* Trace with TRACER_DEPTH frames of this function on the stack.  */
static void FRAME
tracer_loop (int depth)
{
  void *pc[TRACE_MAX];

  if (depth > 0)
    tracer_loop (depth - 1);
  else
    while (!atomic_load (&self->end))
      {
	/* Without cached rules a trace reads objects.  */
	if (atomic_fetch_add (&self->unloads, 1) < TRACER_UNLOADS)
	  reload ("tst-sframe-cache-unload-mod2.so");
	atomic_store (&self->tracing, true);
	int count = backtrace (pc, TRACE_MAX);
	atomic_store (&self->tracing, false);
	TEST_VERIFY (count > TRACER_DEPTH);
      }
  KEEP_FRAME ();
}

static void *
tracer_function (void *closure)
{
  self = closure;
  TEST_COMPARE (sem_post (&self->signaled), 0);
  tracer_loop (TRACER_DEPTH);
  return NULL;
}

static void
tracer_start (struct tracer *tracer)
{
  TEST_COMPARE (sem_init (&tracer->signaled, 0, 0), 0);
  TEST_COMPARE (sem_init (&tracer->go, 0, 0), 0);
  tracer->thread = xpthread_create (NULL, tracer_function, tracer);
  TEST_COMPARE (sem_wait (&tracer->signaled), 0);
}

static void
tracer_handler (int signo)
{
  bool stop = atomic_load (&self->tracing);
  atomic_store (&self->is_stopped, stop);
  TEST_COMPARE (sem_post (&self->signaled), 0);
  if (stop)
    TEST_COMPARE (sem_wait (&self->go), 0);
}

/* Stop TRACER during a trace, of which the loader need not know yet.  */
static void
stop_in_trace (struct tracer *tracer)
{
  do
    {
      xpthread_kill (tracer->thread, SIGUSR1);
      TEST_COMPARE (sem_wait (&tracer->signaled), 0);
    }
  while (!atomic_load (&tracer->is_stopped));
}

static void
let_go (struct tracer *tracer)
{
  atomic_store (&tracer->unloads, 0);
  TEST_COMPARE (sem_post (&tracer->go), 0);
}

/* TRACER is stopped; let it end after this trace.  */
static void
tracer_end (struct tracer *tracer)
{
  atomic_store (&tracer->end, true);
  let_go (tracer);
  xpthread_join (tracer->thread);
}

/* Stop TRACER during a trace for which an unloaded object is kept.  */
static void
stop_and_keep (struct tracer *tracer)
{
  stop_in_trace (tracer);
  for (reload (module); count_mappings (module) == 0; reload (module))
    {
      let_go (tracer);
      stop_in_trace (tracer);
    }
  TEST_COMPARE (count_mappings (module), mappings);
}

static void
tracer_init (void)
{
  handle_signal (SIGUSR1, tracer_handler);
  void *handle = xdlopen (module, RTLD_NOW);
  mappings = count_mappings (module);
  TEST_VERIFY (mappings > 0);
  xdlclose (handle);
}

#endif /* _TST_SFRAME_TRACER_H  */
