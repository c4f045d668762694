/* Time processes that run at once.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: timed FILE COUNT PROGRAM [ARG...]

   Writes to FILE the nanoseconds from the creation of the first of COUNT processes
   to the end of the last.  */

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

static long int
nanoseconds (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000L + now.tv_nsec;
}

/* Run ARGV in COUNT processes.  Return whether all of them succeeded.  */
static int
run (int count, char **argv)
{
  char *environment[] = { NULL };
  int good = 1, status;
  pid_t child;

  for (int i = 0; i < count; ++i)
    good &= posix_spawn (&child, argv[0], NULL, NULL, argv, environment) == 0;
  while (wait (&status) > 0)
    good &= status == 0;
  return good;
}

int
main (int argc, char **argv)
{
  int count = argc > 3 ? atoi (argv[2]) : 0;

  if (count < 1)
    {
      fprintf (stderr, "usage: %s FILE COUNT PROGRAM [ARG...]\n", argv[0]);
      return 2;
    }
  long int start = nanoseconds ();
  if (!run (count, argv + 3))
    {
      fprintf (stderr, "%s: failed\n", argv[3]);
      return 1;
    }
  long int time = nanoseconds () - start;
  FILE *file = fopen (argv[1], "w");
  if (file == NULL || fprintf (file, "%ld\n", time) < 0 || fclose (file) != 0)
    {
      perror (argv[1]);
      return 1;
    }
  return 0;
}
