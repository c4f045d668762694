/* The storm's part with processes that start and end in all ways.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A few processes at a time do this, with children that have threads; all of
   them have registered tables and are sampled.  */

#include "storm.h"

#include <err.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WORKERS = 3, THREADS = 2 };

extern char **environ;

/* Register tables, and call through their text.  */
static void
some_steps (int steps)
{
  for (int i = 0; i < steps; i++)
    {
      char *slot = arena_slot ();
      if (roll (2))
	arena_fill (slot);
      arena_register (slot);
      arena_call (NULL);
      if (roll (4) == 0)
	storm_remove ((unsigned long) slot, 0, 0, 0);
    }
}

static void *
steps_without_end (void *number)
{
  storm_seed ((unsigned long) number);
  for (;;)
    some_steps (10);
  return NULL;
}

static void
start_threads (void)
{
  pthread_t thread;
  for (int i = 0; i < THREADS; i++)
    pthread_create (&thread, NULL, steps_without_end,
		    (void *) (long) roll (0x10000));
}

/* The argument 0 tells the program not to start a storm.  */
static void
execute (void)
{
  static char seed[16];
  static char *const again[] = { "storm", "0", seed, NULL };
  static char *const dynamic[] = { "true", NULL };
  snprintf (seed, sizeof seed, "%d", (int) roll (0x10000));
  if (roll (8) == 0)
    execve ("/bin/true", dynamic, environ);
  execve ("/proc/self/exe", again, environ);
}

/* For a program that a process of the storm has executed: earlier tables must
   be gone, and its own tables registered.  */
void
storm_executed (void)
{
  catch_faults ();
  some_steps (4);
}

static void
crash (void)
{
  static char *volatile nowhere;
  setrlimit (RLIMIT_CORE, &(struct rlimit) { 1 << 20, 1 << 20 });
  *nowhere = 1;
}

/* Exit with a list of robust futexes in an unmapped page: the fault, which
   requests the stack, occurs when the task executes no more user code.  */
static void
exit_faulting (void)
{
  static char page[PAGE] __attribute__ ((aligned (PAGE)));
  madvise (page, PAGE, MADV_DONTNEED);
  syscall (SYS_set_robust_list, page, sizeof (struct robust_list_head));
}

/* A child that ends in some way, perhaps from the midst of its threads.  */
static void
live_and_die (void)
{
  static void (*const ends[]) (void) = { execute, crash, exit_faulting };
  if (roll (3) == 0)
    start_threads ();
  some_steps (roll (20));
  if (roll (2))
    ends[roll (sizeof ends / sizeof *ends)] ();
  _exit (0);
}

static void
remove_core (pid_t pid)
{
  char name[40];
  snprintf (name, sizeof name, "/dev/shm/core.%d", (int) pid);
  unlink (name);
}

static void
one_child (void)
{
  pid_t pid = storm_fork ();
  if (pid == 0)
    live_and_die ();
  if (roll (4) == 0)
    storm_list (pid);
  if (roll (4) == 0)
    {
      usleep (roll (5000));
      kill (pid, SIGKILL);
    }
  storm_await (pid);
  remove_core (pid);
}

/* The child has our memory, and we wait until it has executed or is gone.  */
static void
one_vfork (void)
{
  pid_t pid = vfork ();
  if (pid == 0)
    {
      storm_add ((unsigned long) arena, TEXT_OFFSET,
		 (unsigned long) arena + TEXT_OFFSET, TEXT_SIZE);
      if (roll (2))
	execute ();
      _exit (0);
    }
  storm_await (pid);
}

static int
executes (void *unused)
{
  arena_register (arena_slot ());
  execute ();
  return 0;
}

/* The child has our memory, and leaves it while we go on.  */
static void
one_sharer (void)
{
  static char stack[16 * PAGE] __attribute__ ((aligned (16)));
  pid_t pid = clone (executes, stack + sizeof stack, CLONE_VM | SIGCHLD, NULL);
  for (int i = 0; i < 5; i++)
    arena_register (arena_slot ());
  storm_await (pid);
}

static void
work (void)
{
  static void (*const deeds[]) (void) =
    { one_child, one_child, one_child, one_vfork, one_sharer };
  while (storm_goes_on ())
    {
      some_steps (10);
      deeds[roll (sizeof deeds / sizeof *deeds)] ();
    }
}

void
storm_processes (void)
{
  pid_t workers[WORKERS];
  catch_faults ();
  for (int i = 0; i < WORKERS; i++)
    {
      workers[i] = storm_fork ();
      if (workers[i] == 0)
	{
	  work ();
	  exit (0);
	}
    }
  for (int i = 0; i < WORKERS; i++)
    if (storm_await (workers[i]) != 0)
      errx (1, "a worker has failed");
}
