/* Run one of the cases of a program, which prints samples.

   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: PROGRAM CASE DEPTH [ARG]

   DEPTH counts all frames up to the outermost one.  Of fewer than eight, which
   no stack has, it is the innermost ones that are asked for.  */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

#include "cases.h"
#include "timing.h"

int depth, asked, expected;
const char *argument;
double clock_cost;
__thread void *frames[FRAMES];

static void
time_clock (void)
{
  for (int i = 0; i < 1000; ++i)
    {
      double start = nanoseconds ();
      double time = nanoseconds () - start;
      if (i == 0 || time < clock_cost)
	clock_cost = time;
    }
}

static void
check_walker (void)
{
#ifdef WALKER
  Dl_info info;

  if (dladdr ((void *) WALK, &info) == 0
      || strstr (info.dli_fname, WALKER) == NULL)
    fail ("the walker is not that of " WALKER);
#endif
}

int
main (int argc, char **argv)
{
  if (argc < 3 || argc > 4)
    {
      fprintf (stderr, "usage: %s CASE DEPTH [ARG]\n", argv[0]);
      return 2;
    }
  depth = expected = atoi (argv[2]);
  asked = depth < SHALLOW ? depth : FRAMES;
  argument = argv[3];
  time_clock ();
  BEGIN_STACK ();
  for (const struct bench_case *one = cases; one->name != NULL; ++one)
    if (strcmp (one->name, argv[1]) == 0)
      {
	one->run ();
	check_walker ();
	return 0;
      }
  fail ("no such case");
}
