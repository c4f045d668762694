/* Time one way of walking the stack, at one depth, and print nanoseconds.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: backtrace DEPTH [BATCHES]

   Prints "first NS", the first call in the process, then "warm NS FRAMES",
   the best mean of many batches of calls on the same stack: other work on the
   machine only ever adds time.  WALK names the function; that of libunwind is
   called by its own name, as libunwind would otherwise replace backtrace.  */

#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef WALK
extern int WALK (void **, int);
#else
# define WALK backtrace
#endif

enum { CALLS = 100, FRAMES = 512 };

static int batches = 200;
static void *frames[FRAMES];

static double
nanoseconds (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e9 + now.tv_nsec;
}

static double
batch (void)
{
  double start = nanoseconds ();
  for (int i = 0; i < CALLS; ++i)
    WALK (frames, FRAMES);
  return (nanoseconds () - start) / CALLS;
}

static __attribute__ ((noinline)) void
measure (void)
{
  double start = nanoseconds ();
  int count = WALK (frames, FRAMES);
  printf ("first %.0f\n", nanoseconds () - start);

  double best = batch ();
  for (int i = 1; i < batches; ++i)
    {
      double mean = batch ();
      if (mean < best)
	best = mean;
    }
  printf ("warm %.1f %d\n", best, count);
}

/* Frames of three sizes, so that no two in a row have the same rule.  */
static __attribute__ ((noinline)) int
descend (int depth)
{
  volatile char small[24], large[200];
  if (depth == 0)
    {
      measure ();
      return 0;
    }
  small[0] = depth;
  if (depth % 3 == 0)
    {
      large[depth % 200] = small[0];
      return descend (depth - 1) + large[depth % 200];
    }
  return descend (depth - 1) + small[0];
}

int
main (int argc, char **argv)
{
  if (argc != 2 && argc != 3)
    {
      fprintf (stderr, "usage: %s DEPTH [BATCHES]\n", argv[0]);
      return 2;
    }
  if (argc == 3)
    batches = atoi (argv[2]);
  return descend (atoi (argv[1])) == -1;
}
