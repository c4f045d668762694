/* Record the stacks of a program as a sampling profiler would; to be preloaded.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: the handler is async-signal-safe on the libc built here.

   Environment: BENCH_STACKS=FILE, to which the process ID is appended.  FILE
   has 64-bit words: for each stack the number of its frames, and their PCs
   from the handler outward.  A 0 ends it.  */

#define _GNU_SOURCE
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Room for a minute, in a file with a hole.  */
enum { FRAMES = 512, WORDS = 1 << 23, EACH = 1000000 };

static uint64_t *words;
static atomic_size_t used;

static void
on_sample (int signal)
{
  void *frames[FRAMES];
  int count = backtrace (frames, FRAMES);
  size_t at = atomic_fetch_add (&used, count + 1);

  (void) signal;
  if (at + count + 2 > WORDS)
    return;
  for (int i = 0; i < count; ++i)
    words[at + 1 + i] = (uintptr_t) frames[i];
  words[at] = count;
}

static uint64_t *
map_file (void)
{
  const char *name = getenv ("BENCH_STACKS");
  char path[PATH_MAX];

  if (name == NULL)
    return MAP_FAILED;
  snprintf (path, sizeof path, "%s.%d", name, (int) getpid ());
  int file = open (path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0 || ftruncate (file, WORDS * sizeof *words) != 0)
    return MAP_FAILED;
  uint64_t *map = mmap (NULL, WORDS * sizeof *words, PROT_READ | PROT_WRITE,
			MAP_SHARED, file, 0);
  close (file);
  return map;
}

/* A clock of processor time has only the resolution of the kernel's tick, and
   programs have handlers of their own for SIGPROF.  */
static void __attribute__ ((constructor))
start (void)
{
  struct sigaction action = { .sa_handler = on_sample, .sa_flags = SA_RESTART };
  struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
			    .sigev_signo = SIGRTMAX };
  struct itimerspec every = { { 0, EACH }, { 0, EACH } };
  timer_t timer;

  words = map_file ();
  if (words == MAP_FAILED)
    return;
  sigaction (SIGRTMAX, &action, NULL);
  if (timer_create (CLOCK_MONOTONIC, &event, &timer) == 0)
    timer_settime (timer, 0, &every, NULL);
}
