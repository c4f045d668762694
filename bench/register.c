/* Time the prctls that register SFrame tables, or register many so that their memory can be measured.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: register time COUNT
	  register hold COUNT COMMAND...

   The first prints "getppid NS", a system call that does next to nothing, then
   "add NS", "again NS" and "remove NS" for each of COUNT tables.  Each table
   is as small as possible, since the kernel reads only its header.  "ask NS"
   is the call by which ld.so tests for the prctls.  The figures are those of
   the best of some rounds.

   The second registers COUNT tables and runs COMMAND in a child meanwhile.
   The child execs, so it has none of the tables.  */

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "one-row.h"

enum { ROUNDS = 7, STRIDE = 64 };

static const struct table example = { ONE_ROW, .size = STRIDE };

static unsigned long int count;
static char *tables;		/* COUNT tables; as much text follows.  */
static unsigned long int text;

static double
nanoseconds (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e9 + now.tv_nsec;
}

static void
make_tables (void)
{
  size_t size = (count * STRIDE + 4095) & -4096UL;
  tables = mmap (NULL, 2 * size, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  text = (unsigned long int) tables + size;
  if (tables == MAP_FAILED
      || mprotect ((void *) text, size, PROT_READ | PROT_EXEC) != 0)
    {
      perror ("mmap");
      exit (1);
    }
  for (unsigned long int i = 0; i < count; ++i)
    memcpy (tables + i * STRIDE, &example, sizeof example);
}

/* A failure is timed like a success, and reported.  */
static int
add (unsigned long int i)
{
  return register_table ((uintptr_t) tables + i * STRIDE, sizeof example,
			 (uintptr_t) text + i * STRIDE, STRIDE);
}

static int
drop (unsigned long int i)
{
  return prctl (PR_REMOVE_SFRAME, tables + i * STRIDE, 0UL, 0UL, 0UL);
}

/* The kernel supports the prctl if it finds nothing to remove.  */
static int
ask (unsigned long int i)
{
  (void) i;
  return prctl (PR_REMOVE_SFRAME, 0UL, 0UL, 0UL, 0UL) == 0 || errno != ENOENT;
}

static int
call_getppid (unsigned long int i)
{
  (void) i;
  syscall (SYS_getppid);
  return 0;
}

struct timing
{
  const char *name;
  int (*call) (unsigned long int);
  double best;
};

static int
measure (void)
{
  struct timing timing[] = { { "getppid", call_getppid, 0 }, { "ask", ask, 0 },
			     { "add", add, 0 }, { "again", add, 0 },
			     { "remove", drop, 0 } };
  const int kinds = sizeof timing / sizeof *timing;
  int failed = 0;
  for (int round = 0; round < ROUNDS; ++round)
    for (int k = 0; k < kinds; ++k)
      {
	double start = nanoseconds ();
	for (unsigned long int i = 0; i < count; ++i)
	  failed |= timing[k].call (i);
	double mean = (nanoseconds () - start) / count;
	if (round == 0 || mean < timing[k].best)
	  timing[k].best = mean;
      }
  for (int k = 0; k < kinds; ++k)
    printf ("%s %.0f\n", timing[k].name, timing[k].best);
  return failed != 0;
}

static int
hold (char **command)
{
  for (unsigned long int i = 0; i < count; ++i)
    if (add (i) != 0)
      {
	perror ("PR_ADD_SFRAME");
	return 1;
      }
  pid_t child = vfork ();
  if (child == 0)
    {
      execvp (command[0], command);
      _exit (127);
    }
  int status = -1;
  waitpid (child, &status, 0);
  return status != 0;
}

int
main (int argc, char **argv)
{
  int hold_them = argc > 3 && strcmp (argv[1], "hold") == 0;
  if (!hold_them && (argc != 3 || strcmp (argv[1], "time") != 0))
    {
      fprintf (stderr, "usage: %s time COUNT\n"
	       "       %s hold COUNT COMMAND...\n", argv[0], argv[0]);
      return 2;
    }
  count = strtoul (argv[2], NULL, 10);
  make_tables ();
  return hold_them ? hold (argv + 3) : measure ();
}
