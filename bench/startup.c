/* Time processes that do nothing, or dlopen and dlclose.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: startup ROUNDS PROGRAM [ARG...]
	  startup ROUNDS -d MODULE

   The first prints the microseconds of the fastest of ROUNDS runs of PROGRAM,
   from its creation to its end, then the same of runs without SFrame, which
   take turns with them, and how many page faults these two runs took.  The
   second prints the microseconds of the fastest of ROUNDS pairs of dlopen and
   dlclose.  */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

/* The environments of a program, the second one without SFrame.  Both set the
   tunable: reading it takes as long as registering two objects.  Without HOME
   sqlite3 prints a warning, which takes a time that varies.  */
static char *plain[] = { (char *) "GLIBC_TUNABLES=glibc.rtld.sframe=1",
			 (char *) "HOME=/", NULL };
static char *off[] = { (char *) "GLIBC_TUNABLES=glibc.rtld.sframe=0",
		       (char *) "HOME=/", NULL };

static double
microseconds (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

struct cost
{
  double time;
  long int faults;	/* Of a process that has ended.  */
};

/* ARGV is the program and its arguments.  */
static int
run (char **argv, char **environment, struct cost *cost)
{
  struct rusage usage;
  pid_t child;
  int status;
  if (posix_spawn (&child, argv[0], NULL, NULL, argv, environment) != 0
      || wait4 (child, &status, 0, &usage) != child || status != 0)
    return -1;
  cost->faults = usage.ru_minflt;
  return 0;
}

static int
load (char **module, char **environment, struct cost *cost)
{
  (void) environment;
  (void) cost;
  void *handle = dlopen (*module, RTLD_NOW);
  return handle == NULL || dlclose (handle) != 0 ? -1 : 0;
}

/* Measure one call of WHAT and keep the result in *BEST if it took less
   time.  */
static void
measure (int (*what) (char **, char **, struct cost *), char **argv,
	 char **environment, struct cost *best)
{
  struct cost cost = { 0 };
  double start = microseconds ();
  if (what (argv, environment, &cost) != 0)
    {
      fprintf (stderr, "%s: failed\n", argv[0]);
      exit (1);
    }
  cost.time = microseconds () - start;
  if (best->time == 0 || cost.time < best->time)
    *best = cost;
}

int
main (int argc, char **argv)
{
  int dynamic = argc == 4 && strcmp (argv[2], "-d") == 0;
  if (argc < 3)
    {
      fprintf (stderr, "usage: %s ROUNDS PROGRAM [ARG...]\n"
	       "       %s ROUNDS -d MODULE\n", argv[0], argv[0]);
      return 2;
    }
  /* The number of page tables depends on the addresses of mappings.  */
  personality (ADDR_NO_RANDOMIZE);
  struct cost with = { 0 }, without = { 0 };
  for (int round = atoi (argv[1]); round > 0; --round)
    if (dynamic)
      measure (load, argv + 3, plain, &with);
    else
      {
	measure (run, argv + 2, plain, &with);
	measure (run, argv + 2, off, &without);
      }
  if (dynamic)
    printf ("%.1f\n", with.time);
  else
    printf ("%.1f %.1f %ld %ld\n", with.time, without.time, with.faults,
	    without.faults);
  return 0;
}
