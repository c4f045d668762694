/* Time fork, exec, mmap and the like of a process that has objects with SFrame tables.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: life OBJECTS add|none [ROUNDS]

   Maps OBJECTS objects of four segments each, registers their tables if told
   to, and prints lines "NAME NS", the best of ROUNDS:
     fork		a fork, in the parent
     exit		the exit of that child, until its parent knows
     vfork		a vfork whose child exits
     exec		a vfork whose child executes this program, which exits
     mmap		of one page
     munmap		of one page that was written to
     munmap object	one with four segments
   In a machine whose clock counts instructions, NS is how many.  The kernel takes
   pages from its allocator in batches: what does so each time takes some 3,000
   more, so that before each round one page more is kept, which shifts the
   batches.  This program is linked statically and has no table of its own.  */

#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "one-row.h"

enum { PAGE = 4096, SEGMENTS = 4 };

static const struct table table = { ONE_ROW, .start = PAGE, .size = PAGE };

static int file, registering;
static char *program;
/* The time at which a child is about to exit; shared with its relatives.  */
static volatile long long *exit_time;

static void
require (int good, const char *what)
{
  if (good)
    return;
  perror (what);
  exit (EXIT_FAILURE);
}

static long long
now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* Map table, text, constants and data as ld.so does.  Read the first page (the
   ELF headers) and write to data (relocation), as ld.so does.  */
static char *
map_object (void)
{
  static const int rights[SEGMENTS] = { PROT_READ, PROT_READ | PROT_EXEC,
					PROT_READ, PROT_READ | PROT_WRITE };
  char *start = mmap (NULL, SEGMENTS * PAGE, PROT_READ, MAP_PRIVATE, file, 0);

  require (start != MAP_FAILED, "mmap");
  for (int i = 1; i < SEGMENTS; ++i)
    require (mmap (start + i * PAGE, PAGE, rights[i], MAP_PRIVATE | MAP_FIXED,
		   file, (i ^ 1) * PAGE) != MAP_FAILED, "mmap");
  (void) *(volatile char *) start;
  *(volatile char *) (start + 3 * PAGE) = 1;
  if (registering)
    require (register_table ((uintptr_t) start, sizeof table,
			     (uintptr_t) start + PAGE, PAGE) == 0,
	     "PR_ADD_SFRAME");
  return start;
}

static void
wait_for (pid_t pid)
{
  require (pid > 0 && waitpid (pid, NULL, 0) == pid, "child");
}

static long long
time_fork (void)
{
  long long start = now (), taken;
  pid_t pid = fork ();

  if (pid == 0)
    _exit (EXIT_SUCCESS);
  taken = now () - start;
  wait_for (pid);
  return taken;
}

static long long
time_exit (void)
{
  pid_t pid = fork ();

  if (pid == 0)
    {
      *exit_time = now ();
      _exit (EXIT_SUCCESS);
    }
  wait_for (pid);
  return now () - *exit_time;
}

static long long
time_vfork (void)
{
  long long start = now ();
  pid_t pid = vfork ();

  if (pid == 0)
    _exit (EXIT_SUCCESS);
  wait_for (pid);
  return now () - start;
}

static long long
time_exec (void)
{
  long long start = now ();
  pid_t pid = vfork ();

  if (pid == 0)
    {
      execl (program, program, NULL);
      _exit (EXIT_FAILURE);
    }
  wait_for (pid);
  return now () - start;
}

static char *
map_page (void)
{
  return mmap (NULL, PAGE, PROT_READ | PROT_WRITE,
	       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static long long
time_mmap (void)
{
  long long start = now (), taken;
  char *page = map_page ();

  taken = now () - start;
  munmap (page, PAGE);
  return taken;
}

static long long
time_munmap (void)
{
  char *page = map_page ();
  long long start;

  *(volatile char *) page = 1;
  start = now ();
  munmap (page, PAGE);
  return now () - start;
}

static long long
time_munmap_object (void)
{
  char *object = map_object ();
  long long start = now ();

  munmap (object, SEGMENTS * PAGE);
  return now () - start;
}

static const struct
{
  const char *name;
  long long (*take) (void);
} timings[] = {
  { "fork", time_fork },
  { "exit", time_exit },
  { "vfork", time_vfork },
  { "exec", time_exec },
  { "mmap", time_mmap },
  { "munmap", time_munmap },
  { "munmap object", time_munmap_object },
};

/* Pages for ROUNDS rounds of all TIMINGS, which no child gets.  */
static char *
reserve (int rounds)
{
  size_t size = rounds * (sizeof timings / sizeof *timings) * PAGE;
  char *pages = mmap (NULL, size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  require (pages != MAP_FAILED && madvise (pages, size, MADV_DONTFORK) == 0,
	   "pages");
  /* A kernel without huge pages refuses this.  */
  madvise (pages, size, MADV_NOHUGEPAGE);
  return pages;
}

static void
prepare (int objects)
{
  file = memfd_create ("object", 0);
  require (file >= 0 && ftruncate (file, SEGMENTS * PAGE) == 0
	   && write (file, &table, sizeof table) == sizeof table, "memfd");
  exit_time = mmap (NULL, PAGE, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  require (exit_time != MAP_FAILED, "mmap");
  for (int i = 0; i < objects; ++i)
    map_object ();
}

int
main (int argc, char **argv)
{
  /* The program that exec is measured with.  */
  if (argc == 1)
    return EXIT_SUCCESS;
  require (argc == 3 || argc == 4, "usage: life OBJECTS add|none [ROUNDS]");
  int rounds = argc == 4 ? atoi (argv[3]) : 64;
  require (rounds > 0, "ROUNDS");
  program = argv[0];
  registering = strcmp (argv[2], "add") == 0;
  prepare (atoi (argv[1]));
  char *pages = reserve (rounds);
  for (size_t i = 0; i < sizeof timings / sizeof *timings; ++i)
    {
      long long best = 0;
      for (int round = 0; round < rounds; ++round)
	{
	  *(volatile char *) pages = 1;
	  pages += PAGE;
	  long long taken = timings[i].take ();
	  if (round == 0 || taken < best)
	    best = taken;
	}
      printf ("%s\t%lld\n", timings[i].name, best);
    }
  return EXIT_SUCCESS;
}
