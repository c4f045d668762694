/* The storm's memory cgroups: the charges of registrations, and the behaviour
   at the limit.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "storm.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROOT "/sys/fs/cgroup"

/* Text ranges of a byte each, fewer than the limit of a process.  */
enum { TEXTS = 8000 };

/* SETTLING: seconds after which a charge that has not changed is assumed to be
   final, also on a busy machine.  STALE: seconds for which the kernel's figure
   may be out of date.  */
enum { SETTLING = 60, STALE = 3 };

/* Seconds after which most of the memory that can be freed is freed.  */
enum { BATCHES = 12 };

/* The least size of all entries: an entry has at least three words, start,
   size and table.  */
static const long entries = TEXTS * 3 * sizeof (long);

/* Other charges vary by up to 24 KiB; a sixth of the entries has this
   size.  */
static const long rest = 32 << 10;

static bool
write_file (const char *group, const char *file, const char *text)
{
  char path[128];
  snprintf (path, sizeof path, ROOT "/%s/%s", group, file);
  int fd = open (path, O_WRONLY);
  bool good = fd >= 0 && write (fd, text, strlen (text)) > 0;
  close (fd);
  return good;
}

/* The number after WORD in FILE of GROUP, or -1 if there is none.  */
static long
read_number (const char *group, const char *file, const char *word)
{
  char path[128], name[64];
  long value, found = -1;
  snprintf (path, sizeof path, ROOT "/%s/%s", group, file);
  FILE *stream = fopen (path, "r");
  while (stream != NULL && fscanf (stream, "%63s %ld", name, &value) == 2)
    if (strcmp (name, word) == 0)
      found = value;
  if (stream != NULL)
    fclose (stream);
  return found;
}

bool
group_make (const char *name, const char *limit)
{
  char path[128];
  snprintf (path, sizeof path, ROOT "/%s", name);
  write_file (".", "cgroup.subtree_control", "+memory");
  return mkdir (path, 0755) == 0 && write_file (name, "memory.max", limit);
}

void
group_enter (const char *name)
{
  if (!write_file (name, "cgroup.procs", "0"))
    err (1, "cgroup %s", name);
}

void
group_reclaim (const char *name)
{
  write_file (name, "memory.reclaim", "256K");
}

/* Reading a reclaimed page again is a major fault.  There are no other major
   faults, since the file has just been written.  */
struct reclaimed
group_reclaimed (const char *name)
{
  return (struct reclaimed) { read_number (name, "memory.stat", "pgsteal"),
			      read_number (name, "memory.stat",
					   "pgmajfault") };
}

/* All that the group NAME is charged with.  */
static long
all_charges (const char *name)
{
  char path[128];
  long value = -1;
  snprintf (path, sizeof path, ROOT "/%s/memory.current", name);
  FILE *stream = fopen (path, "r");
  if (stream == NULL || fscanf (stream, "%ld", &value) != 1)
    err (1, "%s", path);
  fclose (stream);
  return value;
}

static long
slab (const char *name)
{
  return read_number (name, "memory.stat", "slab_unreclaimable");
}

/* RCU frees in batches, 5 seconds later, and the figure may be 2 seconds
   old.  */
long
group_charge (const char *name, long most)
{
  long charge = slab (name);
  for (int i = 0; i < SETTLING && charge > most; i++)
    {
      sleep (1);
      charge = slab (name);
    }
  return charge;
}

long
group_kept (const char *name)
{
  sleep (BATCHES);
  return slab (name);
}

/* The charge of NAME in steady state: after a charge like that of be_charged
   was freed, and the figure is up to date.  */
static long
warm_charge (const char *name, long most)
{
  group_charge (name, most);
  sleep (STALE);
  return slab (name);
}

static char *
get_text (void)
{
  char *text = mmap (NULL, TEXTS, PROT_READ | PROT_EXEC,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (text == MAP_FAILED)
    err (1, "text");
  return text;
}

/* Register a table for each byte of some text; return the number of
   registrations.  */
static int
register_many (const char *text)
{
  int i = 0;
  while (i < TEXTS
	 && storm_add ((unsigned long) arena, TEXT_OFFSET,
		       (unsigned long) text + i, 1) == 0)
    i++;
  return i;
}

static bool
rises (const char *name, long from)
{
  for (int i = 0; i < SETTLING && slab (name) < from + entries; i++)
    sleep (1);
  return slab (name) >= from + entries;
}

/* The part of check_charge that runs in the group; the table stays
   registered.  */
static void
be_charged (void)
{
  group_enter ("charge");
  char *text = get_text ();
  arena_fill_small (arena);
  register_many (text);
  storm_remove ((unsigned long) arena, 0, 0, 0);
  long before = warm_charge ("charge", entries / 4), most = before + rest;
  bool all = register_many (text) == TEXTS;
  result (all && rises ("charge", before), "registrations are charged");
  storm_remove ((unsigned long) arena, 0, 0, 0);
  long removed = group_charge ("charge", most);
  result (removed <= most, "the charge goes when the table is removed");
  all = register_many (text) == TEXTS && rises ("charge", before);
  munmap (text, TEXTS);
  long unmapped = group_charge ("charge", most);
  result (all && unmapped <= most, "the charge goes when the text is unmapped");
  printf ("%ld bytes before, %ld removed, %ld unmapped\n", before, removed,
	  unmapped);
  _exit (register_many (get_text ()) != TEXTS);
}

void
check_charge (void)
{
  bool made = group_make ("charge", "max");
  pid_t pid = storm_fork ();
  if (pid == 0)
    be_charged ();
  result (made && storm_await (pid) == 0
	  && group_charge ("charge", rest) <= rest,
	  "the charge goes when the process ends");
}

/* Operations that may leak, with a table and text at SLOT.  */

static void
add_and_remove (char *slot)
{
  storm_add ((unsigned long) slot, TEXT_OFFSET,
	     (unsigned long) slot + TEXT_OFFSET, TEXT_SIZE);
  storm_remove ((unsigned long) slot, 0, 0, 0);
}

/* Replace the table and a part of the text.  */
static void
add_and_replace (char *slot)
{
  arena_fill_small (slot);
  storm_add ((unsigned long) slot, TEXT_OFFSET,
	     (unsigned long) slot + TEXT_OFFSET, TEXT_SIZE);
  munmap (slot + TEXT_OFFSET, PAGE);
}

/* Register the same text twice, an invalid table, and an unmapped one.  */
static void
add_in_vain (char *slot)
{
  arena_fill_small (slot);
  unsigned long text = (unsigned long) slot + TEXT_OFFSET;
  storm_add ((unsigned long) slot, TEXT_OFFSET, text, PAGE);
  storm_add ((unsigned long) slot, TEXT_OFFSET, text, TEXT_SIZE);
  storm_add (text, PAGE, text + PAGE, PAGE);
  storm_add (PAGE, PAGE, text + PAGE, PAGE);
}

static void
add_and_unwind (char *slot)
{
  arena_fill_private (slot);
  storm_add ((unsigned long) slot, TEXT_OFFSET,
	     (unsigned long) slot + TEXT_OFFSET, TEXT_SIZE);
  arena_call (slot);
  storm_list (getpid ());
}

static void
add_and_fork (char *slot)
{
  arena_fill_small (slot);
  storm_add ((unsigned long) slot, TEXT_OFFSET,
	     (unsigned long) slot + TEXT_OFFSET, TEXT_SIZE);
  pid_t pid = storm_fork ();
  if (pid == 0)
    _exit (0);
  storm_await (pid);
}

/* An object takes at least 64 bytes: an operation that leaks one each time leaks
   more than VARIATION.  Processes take longer to make; what fork copies, such
   as a registered text, takes 200 bytes or more.  */
static const struct
{
  void (*run) (char *);
  int times;
} deeds[] =
{
  { add_and_remove, 2000 }, { add_and_replace, 2000 }, { add_in_vain, 2000 },
  { add_and_unwind, 2000 }, { add_and_fork, 1000 }
};

/* Repeat each operation its number of times, divided by SHARE.  Memory that it
   does not leak is freed.  */
static void
do_deeds (int share)
{
  for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++)
    for (int j = 0; j < deeds[i].times / share; j++)
      deeds[i].run (arena);
  arena_fill_small (arena);
}

static void
leave_nothing (void)
{
  group_enter ("leaks");
  catch_faults ();
  do_deeds (10);
  long before = warm_charge ("leaks", entries / 4);
  do_deeds (1);
  /* An outdated figure would be too low.  */
  sleep (STALE);
  long most = before + VARIATION, left = group_charge ("leaks", most);
  printf ("%ld bytes before, %ld after each deed was done many times\n",
	  before, left);
  _exit (left > most);
}

void
check_leaks (void)
{
  bool made = group_make ("leaks", "max");
  pid_t pid = storm_fork ();
  if (pid == 0)
    leave_nothing ();
  result (made && storm_await (pid) == 0,
	  "no operation leaks memory");
}

void
check_reclaim (void)
{
  struct reclaimed all = group_reclaimed ("short");
  printf ("%ld pages taken from tables and texts, %ld read\n", all.taken,
	  all.read);
  result (all.taken >= 2 * TAKEN_EACH && all.read >= 2 * READ_EACH,
	  "pages were reclaimed and read again throughout");
}

/* Register many ranges, and make children that copy them, until the limit
   stops a process or it is killed.  */
static void
exhaust (const char *text)
{
  arena_fill_small (arena);
  while (register_many (text) == TEXTS)
    {
      pid_t pid = storm_fork ();
      if (pid < 0)
	_exit (0);
      if (pid > 0)
	{
	  storm_await (pid);
	  _exit (0);
	}
    }
  _exit (0);
}

/* The limit has room for the registrations of one such process, not of
   two.  */
void
check_pressure (void)
{
  bool made = group_make ("small", "1536K");
  for (int i = 0; i < 3; i++)
    {
      pid_t pid = storm_fork ();
      if (pid == 0)
	{
	  group_enter ("small");
	  exhaust (get_text ());
	}
      storm_await (pid);
    }
  result (made && read_number ("small", "memory.events", "max") > 0,
	  "a group of processes meets its limit");
  result (group_charge ("small", rest) <= rest,
	  "all memory of processes that met the limit is freed");
}

/* Stacks through a wrong table, which is dropped only from a copy of all
   registrations.  The room is enough for the pages that these touch, not for
   such a copy.  */
enum { STACKS = 40, ROOM = 512 << 10 };

/* The part of check_denial that shares its registrations.  */
static void
be_denied (char *slot)
{
  char limit[32];
  snprintf (limit, sizeof limit, "%ld", all_charges ("denied") + ROOM);
  write_file ("denied", "memory.max", limit);
  for (int i = 0; i < STACKS; i++)
    arena_call (slot);
  long denied = read_number ("denied", "memory.events", "max");
  printf ("%d stacks, %ld times at the limit\n", STACKS, denied);
  _exit (denied == 0 || denied > STACKS / 4);
}

static void
register_and_share (void)
{
  char *slot = arena + SLOT_PAGES * PAGE;
  group_enter ("denied");
  arena_fill_small (arena);
  arena_fill_private (slot);
  bool all = register_many (get_text ()) == TEXTS
	     && storm_add ((unsigned long) slot, TEXT_OFFSET,
			   (unsigned long) slot + TEXT_OFFSET, TEXT_SIZE) == 0;
  arena_corrupt (slot);
  pid_t pid = storm_fork ();
  if (pid == 0)
    be_denied (slot);
  _exit (!all || storm_await (pid) != 0);
}

void
check_denial (void)
{
  bool made = group_make ("denied", "max");
  pid_t pid = storm_fork ();
  if (pid == 0)
    register_and_share ();
  result (made && storm_await (pid) == 0,
	  "a copy that was denied is not tried again for each stack");
}
