/* Timing the walk of a stack, and printing samples: lines "CASE METRIC NANOSECONDS", with tabs.

   SPDX-License-Identifier: LGPL-2.1-or-later

   All this adds one frame, that of the innermost function.  Calls in different
   places have different return addresses, and each is new once.  */

#ifndef _TIMING_H
#define _TIMING_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "stack.h"
#include "walk.h"

/* Calls are NEW until their rules were found and cached.  */
enum { FRAMES = 512, BATCHES = 10, BATCH_TIME = 10000, SHALLOW = 8, NEW = 3 };

extern int depth;		/* Of the stack.  */
extern int asked;		/* How many frames at most.  */
extern int expected;		/* How many there are to be, unless 0.  */
extern const char *argument;	/* Of the case.  */
extern double clock_cost;	/* What reading the clock adds to a time.  */

extern __thread void *frames[FRAMES];

#define INLINED static inline __attribute__ ((always_inline))

static inline void __attribute__ ((noreturn))
fail (const char *what)
{
  fprintf (stderr, "bench: %s\n", what);
  exit (1);
}

static inline double
nanoseconds (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e9 + now.tv_nsec;
}

static inline void
sample (const char *name, const char *metric, double time)
{
  printf ("%s, depth %d\t%s\t%.2f\n", name, depth, metric, time);
}

INLINED void
walk (void)
{
  int count = WALK (frames, asked);

  if (expected != 0 && count != expected)
    {
      fprintf (stderr, "bench: %d frames, not %d\n", count, expected);
      exit (1);
    }
}

/* Fail if the last walk has found other functions than those on the stack.  */
void check_frames (void);

/* The time of one call.  */
INLINED double
time_one (void)
{
  double start = nanoseconds ();
  walk ();
  return nanoseconds () - start - clock_cost;
}

/* The mean time of so many CALLS.  */
INLINED double
time_batch (int calls)
{
  double start = nanoseconds ();
  for (int i = 0; i < calls; ++i)
    walk ();
  return (nanoseconds () - start - clock_cost) / calls;
}

/* How many calls of TIME each make a batch.  Batches of all subjects take the
   same time, and so are equally likely to be interrupted.  */
static inline int
batch_size (double time)
{
  return 1 + (int) (BATCH_TIME / time);
}

/* Take samples of batches, after two batches that do not count: they find the
   rules and the time of a call.  */
INLINED void
sample_batches (const char *name)
{
  int calls = NEW;

  for (int i = -2; i < BATCHES; ++i)
    {
      double time = time_batch (calls);
      if (i >= 0)
	sample (name, "time per frame", time / depth);
      else
	calls = batch_size (time);
    }
  check_frames ();
}

/* Run INNERMOST on a stack of DEPTH frames, OUTER of which are those of the
   caller, which this is inlined into, and of its callers.  */
INLINED void
on_stack (int (*innermost) (void), int outer)
{
  int levels = depth < SHALLOW ? SHALLOW : depth - 1 - outer;
  int result = deep_stack (levels) (innermost, 1, 2);

  /* Keep the call above from being a tail call.  */
  asm volatile ("" : : "r" (result));
}

#endif /* _TIMING_H  */
