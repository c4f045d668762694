/* The storm's part of memory that is short: tables in a file of the host, whose pages are taken away.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Reading them again takes the host a while, in which the kernel waits in
   prctl or when it unwinds.  */

#include "storm.h"

enum { WORKERS = 3 };

static void
one_deed (void)
{
  char *slot = arena_slot ();
  switch (roll (8))
    {
    case 0:
      arena_fill_slow (slot);
      break;
    case 1:
      storm_remove ((unsigned long) slot, 0, 0, 0);
      break;
    case 2: case 3:
      arena_register (slot);
      break;
    default:
      arena_call (NULL);
    }
}

void
storm_reclaim (void)
{
  catch_faults ();
  group_enter ("short");
  arena_make_slow ();
  for (int i = 0; i < SLOTS; i++)
    arena_fill_slow (arena_slot ());
  workers_start (WORKERS, one_deed);
  while (storm_goes_on ())
    group_reclaim ("short");
  workers_join ();
}
