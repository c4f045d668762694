/* Time the function that walks the stack, in one of many situations, and print samples.

   SPDX-License-Identifier: LGPL-2.1-or-later

   See main.c for the usage.  A time per frame is the mean of as many calls as
   take ten microseconds.  */

#define _GNU_SOURCE
#include <link.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cases.h"
#include "timing.h"

enum { SWEEP = 256 * 1024, SWEEPS = 50, TURN_STACKS = 16, TURNS = 1000 };

static int
first_call (void)
{
  sample ("first call", "time", time_one ());
  sample_batches ("same stack");
  return 0;
}

static void
first (void)
{
  on_stack (first_call, MAIN_FRAMES + 1);
}

/* Map all pages of an object, as if they had been read.  */
static int
populate (struct dl_phdr_info *object, size_t size, void *closure)
{
  (void) size;
  (void) closure;
  for (int i = 0; i < object->dlpi_phnum; ++i)
    {
      const ElfW(Phdr) *ph = &object->dlpi_phdr[i];
      ElfW(Addr) start = object->dlpi_addr + ph->p_vaddr;
      ElfW(Addr) page = start & -(ElfW(Addr)) getpagesize ();
      if (ph->p_type == PT_LOAD
	  && madvise ((void *) page, start + ph->p_memsz - page,
		      MADV_POPULATE_READ) != 0)
	fail ("MADV_POPULATE_READ");
    }
  return 0;
}

static int
first_call_mapped (void)
{
  dl_iterate_phdr (populate, NULL);
  sample ("first call, pages mapped before", "time", time_one ());
  check_frames ();
  return 0;
}

/* The first call without page faults in code and tables.  */
static void
first_mapped (void)
{
  on_stack (first_call_mapped, MAIN_FRAMES + 1);
}

/* Recursion: the same few return addresses many times, as in interpreters and
   in published figures.  */
static int __attribute__ ((noipa))
recurse (int levels)
{
  volatile char local[24];

  local[0] = levels;
  if (levels == 0)
    sample_batches ("recursion");
  else if (levels % 3 == 0)
    return recurse (levels - 1) + local[0];
  else
    return local[0] ^ recurse (levels - 1);
  return 0;
}

static void
recursion (void)
{
  int result = recurse (depth - 2 - MAIN_FRAMES);

  asm volatile ("" : : "r" (result));
}

/* A call after the program has used the processor's caches for other data.  */
static int
call_after_sweep (void)
{
  static volatile char memory[SWEEP];

  for (int i = -NEW; i < SWEEPS; ++i)
    {
      for (int j = 0; j < SWEEP; j += 64)
	++memory[j];
      double time = time_one ();
      if (i >= 0)
	sample ("256 KiB written before", "time", time);
    }
  check_frames ();
  return 0;
}

static void
sweep (void)
{
  on_stack (call_after_sweep, MAIN_FRAMES + 1);
}

static double visit_time;

static int
visit_group (void)
{
  visit_time = time_one ();
  check_frames ();
  return 0;
}

/* Walk only the frames of the group and the innermost one, so that each
   address is new.  */
static void
visit (void)
{
  asked = expected = depth = GROUP_LEVELS + 1;
  for (int i = 0; i < NEW; ++i)
    deep_stack (GROUP_LEVELS) (visit_group, 1, 2);
  for (int pass = 0; pass < 2; ++pass)
    for (int i = 0; i < GROUPS; ++i)
      {
	group_stack (i) (visit_group, 1, 2);
	sample (pass == 0 ? "4,000 functions, first time"
		: "4,000 functions, second time", "time per frame",
		visit_time / GROUP_LEVELS);
      }
}

/* As in a profiler: stacks that were traced before, but not last.  */
static void
turns (void)
{
  unsigned int random = 1;

  asked = expected = depth = GROUP_LEVELS + 1;
  for (int i = -10 * TURN_STACKS; i < TURNS; ++i)
    {
      random = random * 1664525 + 1013904223;
      group_stack ((random >> 16) % TURN_STACKS) (visit_group, 1, 2);
      if (i >= 0)
	sample ("16 stacks in random order", "time per frame",
		visit_time / depth);
    }
}

static void
on_signal (int signal)
{
  (void) signal;
  sample_batches ("in handler, alternate stack");
}

static int
raise_signal (void)
{
  raise (SIGUSR1);
  return 0;
}

/* The stack has more frames than DEPTH: those from the handler to raise.  */
static void
handler (void)
{
  static char memory[1 << 16];
  stack_t stack = { .ss_sp = memory, .ss_size = sizeof memory };
  struct sigaction action = { .sa_handler = on_signal,
			      .sa_flags = SA_ONSTACK };

  expected = 0;
  sigaltstack (&stack, NULL);
  sigaction (SIGUSR1, &action, NULL);
  on_stack (raise_signal, MAIN_FRAMES + 1);
}

const struct bench_case cases[] =
  {
    { "first", first },
    { "first-mapped", first_mapped },
    { "recursion", recursion },
    { "sweep", sweep },
    { "visit", visit },
    { "turns", turns },
    { "handler", handler },
    { "thread", first_in_thread },
    { "threads", at_once },
    { "dlopen", during_dlopen },
    { NULL, NULL },
  };
