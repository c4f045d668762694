/* A storm of SFrame registrations, for a kernel with all its checkers on.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: storm CALLS [SEED]

   The storm makes about CALLS prctl calls, some in each part, while the stacks
   of all processes are sampled.  The kernel's results must be among those that
   the man page lists, and all memory must be freed.  Other faults are in the
   kernel's log.  */

#include "storm.h"
#include "sysdep.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Exit status of an executed storm that saw such an answer.  */
enum { UNDOCUMENTED = 77 };

struct tally *tally;

static unsigned long seed;
static _Thread_local unsigned short dice[3];

void
storm_seed (unsigned int who)
{
  dice[0] = seed;
  dice[1] = seed >> 16;
  dice[2] = who;
}

uint64_t
roll (uint64_t limit)
{
  uint64_t high = nrand48 (dice);
  return (high << 31 | nrand48 (dice)) % limit;
}

pid_t
storm_fork (void)
{
  unsigned int who = roll (0x10000);
  pid_t pid = fork ();
  if (pid == 0)
    storm_seed (who);
  else if (pid > 0)
    __atomic_fetch_add (&tally->processes, 1, __ATOMIC_RELAXED);
  return pid;
}

void
result (bool good, const char *what)
{
  printf ("%s: %s\n", good ? "PASS" : "FAIL", what);
}

/* Not libc's: a process that shares our memory has no errno of its own.  */
static long
kernel_prctl (unsigned long option, unsigned long arg2, unsigned long arg3,
	      unsigned long arg4, unsigned long arg5)
{
  return INTERNAL_SYSCALL_CALL (prctl, option, arg2, arg3, arg4, arg5);
}

/* Count ANSWER among ANSWERS, and whether it is none of DOCUMENTED, a list
   that ends at 0.  EINTR is in no list: who would get it is killed first.  */
static int
count (long answer, unsigned long *answers, const int *documented)
{
  int error = -answer;
  bool known = error == 0;
  for (; !known && *documented != 0; documented++)
    known = *documented == error;
  if (!known || error < 0 || error >= ERRORS)
    {
      __atomic_fetch_add (&tally->undocumented, 1, __ATOMIC_RELAXED);
      error = ERRORS - 1;
    }
  __atomic_fetch_add (&answers[error], 1, __ATOMIC_RELAXED);
  __atomic_fetch_add (&tally->calls, 1, __ATOMIC_RELAXED);
  return error;
}

int
storm_add (unsigned long table, unsigned long table_size, unsigned long text,
	   unsigned long text_size)
{
  static const int documented[] = { EINVAL, EFAULT, EEXIST, ENOSPC, ENOMEM,
				    0 };
  struct prctl_sframe range = { table, table_size, text, text_size };
  /* The second one asks for the same, if nothing comes between.  */
  struct prctl_sframe ranges[] = { range, range };
  long answer = kernel_prctl (PR_ADD_SFRAME, (unsigned long) ranges,
			      1 + roll (2), sizeof range, 0);
  /* The number of ranges registered.  */
  return count (answer == 1 || answer == 2 ? 0 : answer, tally->adds,
		documented);
}

int
storm_remove (unsigned long table, unsigned long arg3, unsigned long arg4,
	      unsigned long arg5)
{
  static const int documented[] = { EINVAL, ENOENT, 0 };
  return count (kernel_prctl (PR_REMOVE_SFRAME, table, arg3, arg4, arg5),
		tally->removes, documented);
}

void
storm_choose (void)
{
  static const int documented[] = { EINVAL, ENOENT, EOPNOTSUPP, ENOMEM, 0 };
  /* By 2 and 3 one machine each unwinds.  */
  static const unsigned long orders[] = { 0, 1, 0x21, 0x31, 0x11, 0x10, 4, -1 };
  /* In turn, so that a short storm does not miss one by chance.  */
  size_t turn = __atomic_fetch_add (&tally->turn, 1, __ATOMIC_RELAXED);
  unsigned long order = orders[turn % (sizeof orders / sizeof *orders)];
  count (kernel_prctl (PR_SET_UNWIND_USER, order, 0, 0, 0), tally->choices,
	 documented);
}

void
storm_list (pid_t pid)
{
  char path[32], buffer[300];
  ssize_t length;
  snprintf (path, sizeof path, "/proc/%d/sframe", (int) pid);
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  while ((length = read (fd, buffer, 1 + roll (sizeof buffer))) > 0)
    __atomic_fetch_add (&tally->listed, length, __ATOMIC_RELAXED);
  close (fd);
}

bool
storm_goes_on (void)
{
  return tally->calls < tally->quota;
}

int
storm_await (pid_t pid)
{
  int status = -1;
  while (pid > 0 && waitpid (pid, &status, 0) < 0 && errno == EINTR)
    ;
  if (WIFEXITED (status) && WEXITSTATUS (status) == UNDOCUMENTED)
    __atomic_fetch_add (&tally->undocumented, 1, __ATOMIC_RELAXED);
  return status;
}

static const struct
{
  const char *name;
  void (*run) (void);
} parts[] =
{
  { "random arguments", storm_arguments },
  { "mappings that change", storm_mappings },
  { "pages that arrive late", storm_late },
  { "reclaimed pages", storm_reclaim },
  { "processes that come and go", storm_processes },
  { "threads that meet", storm_meet },
};

enum { PARTS = sizeof parts / sizeof *parts };

/* Run part NUMBER in a process of its own until CALLS more are made.  */
static bool
run_part (int number, unsigned long calls)
{
  printf ("part: %s\n", parts[number].name);
  tally->quota = tally->calls + calls;
  pid_t pid = storm_fork ();
  if (pid == 0)
    {
      group_enter ("run");
      parts[number].run ();
      _exit (0);
    }
  int status = storm_await (pid);
  if (status != 0)
    printf ("ended with status %#x\n", status);
  return status == 0;
}

/* The first round shows what the kernel keeps once for all; the rest, three
   times as much, must not add to it.  */
static void
run_parts (unsigned long calls)
{
  bool good[PARTS];
  for (int i = 0; i < PARTS; i++)
    good[i] = run_part (i, calls / PARTS / 4);
  long most = group_kept ("run") + VARIATION;
  for (int i = 0; i < PARTS; i++)
    {
      good[i] &= run_part (i, calls / PARTS * 3 / 4);
      result (good[i], parts[i].name);
    }
  long left = group_charge ("run", most);
  printf ("%ld bytes of kernel objects were left, %ld may be\n", left, most);
  result (left <= most, "memory use returns to what it was");
}

/* None of these results means anything if the kernel never got as far.  */
static void
check_answers (void)
{
  static const int wanted[] = { 0, EINVAL, EFAULT, EEXIST };
  bool all = tally->removes[0] && tally->removes[ENOENT]
	     && tally->removes[EINVAL] && tally->choices[0]
	     && tally->choices[ENOENT] && tally->choices[EOPNOTSUPP]
	     && tally->choices[EINVAL];
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
    all &= tally->adds[wanted[i]] != 0;
  for (int i = 0; i < ERRORS; i++)
    if (tally->adds[i] != 0 || tally->removes[i] != 0
	|| tally->choices[i] != 0)
      printf ("%-32s %10lu added %10lu removed %10lu chosen\n", strerror (i),
	      tally->adds[i], tally->removes[i], tally->choices[i]);
  printf ("%lu calls, %lu processes, %lu faults, %lu bytes listed\n",
	  tally->calls, tally->processes, tally->faults, tally->listed);
  result (tally->undocumented == 0, "each error is one that the manual lists");
  result (all, "each error that can be forced was returned");
  result (tally->listed != 0, "registrations were listed throughout");
}

static void
check_chains (void)
{
  struct watched seen = watch_so_far ();
  printf ("%lu call chains; %lu pages touched, %lu asked for a chain, %lu got"
	  " it, %lu through the arena; %lu lost\n", seen.chains,
	  tally->touched, seen.asked, seen.answered, seen.deep, seen.lost);
  /* A few more ask: faults for the code of the caller.  One in fifty gets none:
     the task dies first.  */
  result (tally->touched >= tally->quota / 10
	  && seen.asked * 50 >= tally->touched * 49
	  && seen.answered * 50 >= seen.asked * 49,
	  "each requested stack was unwound");
  /* Of five calls one is through text whose table is there, right and
     registered; half of these would be stacks cut short.  */
  result (seen.deep * 10 >= seen.answered, "stacks were unwound by tables");
}

static void
share_tally (void)
{
  tally = mmap (NULL, sizeof *tally, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (tally == MAP_FAILED)
    err (1, "shared memory");
}

static unsigned long
number (const char *text)
{
  char *end;
  unsigned long value = strtoul (text, &end, 0);
  if (*end != '\0' || end == text)
    errx (1, "%s: not a number", text);
  return value;
}

static void
check_results (void)
{
  check_answers ();
  check_chains ();
  check_reclaim ();
  check_waiting ();
  check_charge ();
  check_leaks ();
  check_pressure ();
  check_denial ();
}

int
main (int argc, char **argv)
{
  if (argc < 2 || argc > 3)
    errx (1, "usage: storm CALLS [SEED]");
  unsigned long calls = number (argv[1]);
  seed = argc > 2 ? number (argv[2]) : (unsigned long) time (NULL);
  storm_seed (0);
  share_tally ();
  arena_make ();
  /* A process of the storm has executed this program.  */
  if (calls == 0)
    {
      storm_executed ();
      return tally->undocumented != 0 ? UNDOCUMENTED : 0;
    }

  /* Otherwise children would print again what is in the buffer.  */
  setlinebuf (stdout);
  printf ("storm %lu %lu\n", calls, seed);
  if (kernel_prctl (PR_REMOVE_SFRAME, PAGE, 0, 0, 0) != -ENOENT)
    errx (1, "this kernel has no SFrame registration");
  if (!watch_start () || !group_make ("run", "max")
      || !group_make ("short", "max"))
    err (1, "no events or no memory cgroups");
  run_parts (calls);
  check_results ();
  return 0;
}
