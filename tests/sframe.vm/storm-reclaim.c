/* The storm's part with little memory: tables in a file of the host, whose
   pages are reclaimed.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Reading them again takes the host some time, while the kernel waits in prctl
   or when it unwinds.  On a fast machine the calls may be made before many
   pages are reclaimed; so this part makes more calls until enough are.  */

#include "storm.h"

/* More calls at a time, and how often.  */
enum { WORKERS = 3, MORE = 100, TIMES = 100 };

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

static void
reclaim_and_work (void)
{
  workers_start (WORKERS, one_deed);
  while (storm_goes_on ())
    group_reclaim ("short");
  workers_join ();
}

void
storm_reclaim (void)
{
  catch_faults ();
  group_enter ("short");
  struct reclaimed before = group_reclaimed ("short");
  arena_make_slow ();
  for (int i = 0; i < SLOTS; i++)
    arena_fill_slow (arena_slot ());
  reclaim_and_work ();
  for (int i = 0; i < TIMES; i++)
    {
      struct reclaimed now = group_reclaimed ("short");
      if (now.taken - before.taken >= TAKEN_EACH
	  && now.read - before.read >= READ_EACH)
	break;
      tally->quota = tally->calls + MORE;
      reclaim_and_work ();
    }
}
