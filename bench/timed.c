/* Time a process.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: timed FILE PROGRAM [ARG...]

   Writes to FILE the nanoseconds from its creation to its end.  */

#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>

static long int
nanoseconds (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000L + now.tv_nsec;
}

int
main (int argc, char **argv)
{
  char *environment[] = { NULL };
  pid_t child;
  int status;

  if (argc < 3)
    {
      fprintf (stderr, "usage: %s FILE PROGRAM [ARG...]\n", argv[0]);
      return 2;
    }
  long int start = nanoseconds ();
  if (posix_spawn (&child, argv[2], NULL, NULL, argv + 2, environment) != 0
      || waitpid (child, &status, 0) != child || status != 0)
    {
      fprintf (stderr, "%s: failed\n", argv[2]);
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
