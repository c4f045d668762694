/* The storm's part in which threads register, unwind and fork while other
   threads change the mappings.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Four threads share the memory with processes (CLONE_VM) that start and end
   all the time.  */

#include "storm.h"

#include <err.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

enum { WORKERS = 4 };

static void
fork_away (void)
{
  pid_t pid = storm_fork ();
  if (pid == 0)
    {
      for (int i = 0; i < 8; i++)
	{
	  arena_call (NULL);
	  storm_remove ((unsigned long) arena_slot (), 0, 0, 0);
	  arena_register (arena_slot ());
	  storm_choose ();
	}
      _exit (0);
    }
  storm_await (pid);
}

static void
one_deed (void)
{
  switch (roll (16))
    {
    case 0 ... 4:
      arena_register (arena_slot ());
      break;
    case 5: case 6:
      storm_remove ((unsigned long) arena_slot (), 0, 0, 0);
      break;
    case 7 ... 10:
      arena_change ();
      break;
    case 11 ... 14:
      arena_call (NULL);
      break;
    default:
      if (roll (16) == 0)
	fork_away ();
      else if (roll (4) == 0)
	storm_list (getpid ());
      else
	storm_choose ();
    }
}

/* Shares all memory of the thread that started it, also its thread-local
   variables: nothing here may fault.  */
static int
sharer (void *unused)
{
  for (int i = 0; i < 50; i++)
    {
      char *slot = arena_slot ();
      arena_register (slot);
      if (roll (4) == 0)
	arena_change ();
      if (roll (4) == 0)
	storm_remove ((unsigned long) slot, 0, 0, 0);
    }
  return 0;
}

void
storm_mappings (void)
{
  static char stack[16 * PAGE] __attribute__ ((aligned (16)));
  catch_faults ();
  for (int i = 0; i < SLOTS; i++)
    arena_fill (arena_slot ());
  workers_start (WORKERS, one_deed);
  while (storm_goes_on ())
    if (storm_await (clone (sharer, stack + sizeof stack, CLONE_VM | SIGCHLD,
			    NULL)) != 0)
      errx (1, "a process that shares our memory has failed");
  workers_join ();
}
