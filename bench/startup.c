/* Time how long processes take that do nothing, or how long dlopen and dlclose take.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: startup ROUNDS PROGRAM
	  startup ROUNDS -d MODULE

   The first prints the microseconds of the fastest of ROUNDS runs of PROGRAM,
   from its creation to its end, and then the same of runs without SFrame,
   which take turns with them.  The second prints the microseconds of the
   fastest of ROUNDS pairs of dlopen and dlclose.  */

#include <dlfcn.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

/* The environments of a program, the second one without SFrame.  */
static char *plain[] = { NULL };
static char *off[] = { (char *) "GLIBC_TUNABLES=glibc.rtld.sframe=0", NULL };

static double
microseconds (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

static int
run (char *program, char **environment)
{
  char *argv[] = { program, NULL };
  pid_t child;
  int status;
  return posix_spawn (&child, program, NULL, NULL, argv, environment) != 0
	 || waitpid (child, &status, 0) != child || status != 0;
}

static int
load (char *module, char **environment)
{
  (void) environment;
  void *handle = dlopen (module, RTLD_NOW);
  return handle == NULL || dlclose (handle) != 0;
}

/* Time one call of WHAT and keep the time in *BEST if it is shorter.  */
static void
measure (int (*what) (char *, char **), char *file, char **environment,
	 double *best)
{
  double start = microseconds ();
  if (what (file, environment) != 0)
    {
      fprintf (stderr, "%s: failed\n", file);
      exit (1);
    }
  double time = microseconds () - start;
  if (*best == 0 || time < *best)
    *best = time;
}

int
main (int argc, char **argv)
{
  int dynamic = argc == 4 && strcmp (argv[2], "-d") == 0;
  if (argc != 3 && !dynamic)
    {
      fprintf (stderr, "usage: %s ROUNDS PROGRAM\n"
	       "       %s ROUNDS -d MODULE\n", argv[0], argv[0]);
      return 2;
    }
  double with = 0, without = 0;
  for (int round = atoi (argv[1]); round > 0; --round)
    if (dynamic)
      measure (load, argv[3], plain, &with);
    else
      {
	measure (run, argv[2], plain, &with);
	measure (run, argv[2], off, &without);
      }
  if (dynamic)
    printf ("%.1f\n", with);
  else
    printf ("%.1f %.1f\n", with, without);
  return 0;
}
