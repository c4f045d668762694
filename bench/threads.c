/* Time the walk of a stack in a process with several threads.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "cases.h"
#include "timing.h"

enum { THREADS = 40, MOST_THREADS = 1024, LOADS = 200, SINGLES = 1000,
       MOST_CALLS = 1 << 20 };

static pthread_t
start (void *(*function) (void *), intptr_t with)
{
  pthread_t thread;

  if (pthread_create (&thread, NULL, function, (void *) with) != 0)
    fail ("pthread_create");
  return thread;
}

static double first_time;

static int
time_first (void)
{
  first_time = time_one ();
  check_frames ();
  return 0;
}

static void *
first_thread (void *unused)
{
  (void) unused;
  BEGIN_STACK ();
  on_stack (time_first, THREAD_FRAMES);
  return NULL;
}

/* Each thread has the same stack, whose rules earlier threads have cached.  */
void
first_in_thread (void)
{
  for (int i = -NEW; i < THREADS; ++i)
    {
      pthread_join (start (first_thread, 0), NULL);
      if (i >= 0)
	sample ("first call in thread", "time", first_time);
    }
}

static double batches[MOST_THREADS][BATCHES];
static pthread_barrier_t barrier;
static __thread int number;

static int
time_batches (void)
{
  int calls = NEW;

  for (int i = -2; i < BATCHES; ++i)
    {
      double time = time_batch (calls);
      if (i >= 0)
	batches[number][i] = time;
      else
	{
	  calls = batch_size (time);
	  pthread_barrier_wait (&barrier);
	}
    }
  check_frames ();
  return 0;
}

static void *
numbered_thread (void *with)
{
  BEGIN_STACK ();
  number = (intptr_t) with;
  on_stack (time_batches, THREAD_FRAMES);
  return NULL;
}

/* ARG threads call all the time.  */
void
at_once (void)
{
  int threads = atoi (argument);
  pthread_t thread[MOST_THREADS];
  char name[40];

  if (threads < 1 || threads > MOST_THREADS)
    fail ("1 to 1024 threads can be timed");
  snprintf (name, sizeof name, "threads at once: %d", threads);
  pthread_barrier_init (&barrier, NULL, threads);
  for (int i = 0; i < threads; ++i)
    thread[i] = start (numbered_thread, i);
  for (int i = 0; i < threads; ++i)
    {
      pthread_join (thread[i], NULL);
      for (int j = 0; j < BATCHES; ++j)
	sample (name, "time per frame", batches[i][j] / depth);
    }
}

/* How often the other thread has loaded and unloaded its object.  It begins
   when traces are taken.  */
static atomic_int loads;
static atomic_bool tracing;

static void *
load_and_unload (void *unused)
{
  (void) unused;
  while (!tracing)
    sched_yield ();
  while (loads < LOADS)
    {
      void *handle = dlopen (argument, RTLD_NOW);
      if (handle == NULL || dlclose (handle) != 0)
	fail (dlerror ());
      ++loads;
    }
  return NULL;
}

/* Take one call in many as a sample, so that samples cover all the time.  */
static int
time_while_loading (void)
{
  static double times[MOST_CALLS];
  int calls = 0;

  do
    {
      times[calls++] = time_one ();
      tracing = true;
    }
  while (calls < MOST_CALLS && loads < LOADS);
  check_frames ();
  for (int i = 0; i < calls; i += calls / SINGLES + 1)
    sample ("dlopen and dlclose meanwhile", "time", times[i]);
  return 0;
}

/* Another thread loads and unloads the object ARG.  */
void
during_dlopen (void)
{
  pthread_t thread = start (load_and_unload, 0);

  on_stack (time_while_loading, MAIN_FRAMES + 1);
  pthread_join (thread, NULL);
}
