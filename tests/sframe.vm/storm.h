/* A storm of registrations: declarations that its parts share.
   SPDX-License-Identifier: LGPL-2.1-or-later

   No part waits for another.  All memory whose mappings change is in an arena
   that is mapped before, and is only replaced by MAP_FIXED. libc cannot map
   anything into a hole of the arena, since nothing else is mapped while a part
   runs.  */

#ifndef STORM_H
#define STORM_H

/* Each file includes this one first.  */
#define _GNU_SOURCE

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifndef PR_ADD_SFRAME
# define PR_ADD_SFRAME 0x53460001
# define PR_REMOVE_SFRAME 0x53460002
# define PR_SET_UNWIND_USER 0x53460003
struct prctl_sframe
{
  uint64_t table, table_size, text, text_size;
};
#endif

#define PAGE 4096UL

/* storm.c: chance, and the calls that count.  */

enum { ERRORS = 160 };

/* In memory that all processes share.  */
struct tally
{
  unsigned long quota;			/* Calls to be made so far.  */
  unsigned long calls;
  unsigned long adds[ERRORS];		/* By the kernel's answer.  */
  unsigned long removes[ERRORS];
  unsigned long choices[ERRORS];
  unsigned long turn;			/* The number of choices begun.  */
  unsigned long undocumented;
  unsigned long faults;			/* Signals that were caught.  */
  unsigned long touched;		/* Pages, to be unwound.  */
  unsigned long processes;
  unsigned long listed;			/* Bytes of /proc/PID/sframe.  */
};

extern struct tally *tally;

/* A number below LIMIT.  Threads and new processes have to seed themselves;
   storm_fork does.  */
extern uint64_t roll (uint64_t limit);
extern void storm_seed (unsigned int who);
extern pid_t storm_fork (void);

extern int storm_add (unsigned long table, unsigned long table_size,
		      unsigned long text, unsigned long text_size);
extern int storm_remove (unsigned long table, unsigned long arg3,
			 unsigned long arg4, unsigned long arg5);

/* Choose ways to unwind, one of which is SFrame, or none, or what there is
   not.  */
extern void storm_choose (void);

/* Read the kernel's list of what PID, who may be gone, has registered.  */
extern void storm_list (pid_t pid);

/* Whether the part has not made all of its calls yet.  */
extern bool storm_goes_on (void);

/* Await PID and return its status as waitpid has it.  */
extern int storm_await (pid_t pid);

extern void result (bool good, const char *what);

/* storm-arena.c: memory with text and tables.  */

enum { SLOTS = 8, SLOT_PAGES = 4, TABLE_PAGES = 2 };

#define TEXT_OFFSET (TABLE_PAGES * PAGE)
#define TEXT_SIZE ((SLOT_PAGES - TABLE_PAGES) * PAGE)

extern char *arena;

extern void arena_make (void);
extern char *arena_slot (void);

/* Map an image to SLOT, or its table or its text alone.  */
extern void arena_fill (char *slot);

/* The same with images from a file of the host, which takes time to read and
   can be taken out of memory; it has to be made before.  */
extern void arena_make_slow (void);
extern void arena_fill_slow (char *slot);

/* The first image, which is right, is at SLOT from then on, its table in
   memory of its own.  */
extern void arena_fill_private (char *slot);

/* The same with a table of one function, for a kernel that looks at all of
   it.  */
extern void arena_fill_small (char *slot);

/* Let each function in the table of SLOT, which is private, contradict the
   format.  */
extern void arena_corrupt (char *slot);

/* Bytes that can stand for page NUMBER of some table.  */
extern const char *arena_table_page (int number);

extern void arena_change (void);
extern int arena_register (char *slot);

/* Run through the text of SLOT, or of any slots if it is null, and touch a
   page that is not there, for the kernel to unwind that stack.  */
extern void arena_call (char *slot);

/* Once through the text of SLOT, and by functions with a frame pointer.  */
extern void arena_call_framed (char *slot);

/* From here on arena_call goes on when it hits memory that is gone.  */
extern void catch_faults (void);

/* storm-workers.c: HOW_MANY threads, each of which does one DEED after the
   other until the part has made its calls.  */

enum { WORKERS_MAX = 4 };

extern void workers_start (int how_many, void (*deed) (void));
extern void workers_join (void);

/* storm-watch.c: the consumer of deferred call chains.  */

extern bool watch_start (void);

/* How many chains there were; how many faults in the arena's callers asked for
   one, how many of these got it, and how many through the arena; how many records
   the rings had no room for.  */
struct watched
{
  unsigned long chains, asked, answered, deep, lost;
};

extern struct watched watch_so_far (void);

/* storm-group.c: memory cgroups, and what is charged to them.  */

/* What the kernel keeps for a while varies by some ten pages from round to
   round.  A registration takes 200 bytes or more, so that 490 never given back
   may be missed here; check_leaks does each kind of deed more often.  */
enum { VARIATION = 96 << 10 };

extern bool group_make (const char *name, const char *limit);
extern void group_enter (const char *name);

/* Take as much memory from the group NAME as can be had, if it is not more
   than all that the arena has.  */
extern void group_reclaim (const char *name);

/* Pages that were taken from the group NAME, and pages of files that it read
   again.  */
struct reclaimed
{
  long taken, read;
};

extern struct reclaimed group_reclaimed (const char *name);

/* As many at least in each of the two rounds of storm_reclaim.  */
enum { TAKEN_EACH = 50, READ_EACH = 25 };

/* Bytes of kernel objects that the group NAME is charged with, once that is
   at most MOST, or after some seconds.  */
extern long group_charge (const char *name, long most);

/* Bytes that it is charged with some seconds from now, when little of that is
   on its way back.  Too high a figure makes what is compared with it lax, but
   no test fail.  */
extern long group_kept (const char *name);

/* The parts.  */

extern void storm_arguments (void);
extern void storm_mappings (void);
extern void storm_late (void);
extern void storm_reclaim (void);
extern void storm_processes (void);
extern void storm_meet (void);
extern void storm_executed (void);
extern void check_waiting (void);
extern void check_reclaim (void);
extern void check_charge (void);
extern void check_leaks (void);
extern void check_pressure (void);
extern void check_denial (void);

#endif
