/* Measure what fork costs a process with many text ranges and many mappings.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: fork-cost TEXTS MAPPINGS

   Prints the nanoseconds of one fork, in the parent.  If the clock of the
   machine counts instructions, this is the number of instructions.  The
   mappings are halves of a table and of its text, whose pages have alternating
   permissions.  */

#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sframe_test.h"

static const struct table_header header = {
  .magic = 0xdee2, .version = 3, .flags = 1, .abi = ARCH_ABI,
  .fixed_ra = ARCH_FIXED_RA, .nr_fdes = 1,
  .fre_len = sizeof (struct table_attr), .fre_off = sizeof (struct table_fde)
};

static void
require (int good, const char *what)
{
  if (good)
    return;
  perror (what);
  exit (EXIT_FAILURE);
}

/* Map PAGES with RIGHTS.  */
static char *
map (unsigned long pages, int rights)
{
  char *start = mmap (NULL, (pages + 1) * PAGE, rights,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  require (start != MAP_FAILED, "mmap");
  return start;
}

/* Give every second one of the PAGES at START the permissions RIGHTS.  */
static void
split (char *start, unsigned long pages, int rights)
{
  for (unsigned long i = 1; i < pages; i += 2)
    require (mprotect (start + i * PAGE, PAGE, rights) == 0, "mprotect");
}

static long long
now (void)
{
  struct timespec time;

  require (clock_gettime (CLOCK_MONOTONIC, &time) == 0, "clock_gettime");
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static long long
fork_time (void)
{
  long long start = now (), taken;
  pid_t pid = fork ();

  if (pid == 0)
    _exit (EXIT_SUCCESS);
  taken = now () - start;
  require (pid > 0 && waitpid (pid, NULL, 0) == pid, "fork");
  return taken;
}

int
main (int argc, char **argv)
{
  require (argc == 3, "two arguments");
  unsigned long texts = strtoul (argv[1], NULL, 10);
  unsigned long pages = strtoul (argv[2], NULL, 10) / 2;
  char *table = map (pages, PROT_READ | PROT_WRITE);
  char *text = map (pages, PROT_READ | PROT_EXEC);

  *(struct table_header *) table = header;
  for (unsigned long i = 0; i < texts; ++i)
    require (add ((unsigned long) table, pages * PAGE,
		  (unsigned long) text + i, 1) == 0, "PR_ADD_SFRAME");
  split (table, pages, PROT_READ);
  split (text, pages, PROT_EXEC);
  /* The first fork also does work that later ones need not repeat.  */
  fork_time ();
  printf ("%lld\n", fork_time ());
  return EXIT_SUCCESS;
}
