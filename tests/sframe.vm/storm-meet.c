/* The storm's part in which threads meet: all threads use the same two tables,
   and no operation takes long.
   SPDX-License-Identifier: LGPL-2.1-or-later

   KCSAN, on the race kernel, delays a thread at one of some hundred accesses,
   to detect another thread at the same data.  In the other parts this is rare.
   */

#include "storm.h"

#include <unistd.h>

enum { WORKERS = 3, MEETING_SLOTS = 2 };

static char *
meeting_slot (unsigned int number)
{
  return arena + number * SLOT_PAGES * PAGE;
}

static void
one_deed (void)
{
  char *slot = meeting_slot (roll (MEETING_SLOTS));
  switch (roll (32))
    {
    case 0 ... 9:
      arena_register (slot);
      break;
    case 10 ... 17:
      storm_remove ((unsigned long) slot, 0, 0, 0);
      break;
    case 18 ... 23:
      arena_call (slot);
      break;
    case 24 ... 28:
      arena_call_framed (slot);
      break;
    case 29:
      storm_list (getpid ());
      break;
    case 30:
      storm_choose ();
      break;
    default:
      /* A thread that executes this text, or finds it unmapped, recovers from
	 the fault.  */
      arena_fill_private (slot);
    }
}

void
storm_meet (void)
{
  catch_faults ();
  for (int i = 0; i < MEETING_SLOTS; i++)
    arena_fill_private (meeting_slot (i));
  workers_start (WORKERS, one_deed);
  workers_join ();
}
