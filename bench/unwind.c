/* Time the kernel when it unwinds a stack of known depth for a perf event.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: unwind DEPTH [forget|choose] [OBJECT...]

   Reads of fresh pages are page faults; a perf event takes a sample at each.
   Prints "plain NS" for one read with a sample without a stack, and "chain NS
   FRAMES" for one with a deferred stack of FRAMES frames: the difference is
   the cost of the stack.  The figures are those of the best of many batches.

   Up to a depth of 100 each frame is of another function.  Compiled with
   -DOBJECTS the frames are those of one function of each OBJECT in turn; with
   -DBIG and big.o, of functions spread over the program.

   With "forget" the program registers its table anew before each read, which
   empties the kernel's cache of rules.  With "choose" it chooses SFrame and
   frame pointers, in this order, as they are by default: then the kernel checks
   what frame pointers point to, as in a program that has registered a table.  */

#ifdef OBJECTS
# include <dlfcn.h>
#endif
#include <elf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "big.h"
#include "register-table.h"

#ifndef PT_GNU_SFRAME
# define PT_GNU_SFRAME 0x6474e554
#endif

enum { PAGE = 4096, PAGES = 64, BATCHES = 10, RING = 64 * PAGE };
/* STEP has no divisor in common with FUNCTIONS, so that its multiples reach
   all functions of the program.  */
enum { DEPTH_MAX = 120, STEP = 61803 };
#ifdef OBJECTS
enum { OBJECTS_MIN = 1 };
#else
enum { OBJECTS_MIN = 0 };
#endif

static volatile char *fresh;
static struct perf_event_mmap_page *ring;
static uint64_t frames;

/* The table of this program and its text, if it is to be registered anew.  */
static unsigned long int table, table_size, text, text_size;

static double
nanoseconds (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e9 + now.tv_nsec;
}

static void
fail (const char *what)
{
  perror (what);
  exit (1);
}

/* The program is loaded at the address for which it was linked.  Without a
   table there would be nothing to forget.  */
static void
find_table (void)
{
  const Elf64_Phdr *header = (const Elf64_Phdr *) getauxval (AT_PHDR);
  for (unsigned long int i = getauxval (AT_PHNUM); i-- > 0; ++header)
    if (header->p_type == PT_GNU_SFRAME)
      {
	table = header->p_vaddr;
	table_size = header->p_memsz;
      }
    else if (header->p_type == PT_LOAD && (header->p_flags & PF_X) != 0)
      {
	text = header->p_vaddr;
	text_size = header->p_memsz;
      }
  if (table == 0)
    {
      errno = ENOENT;
      fail (".sframe of this program");
    }
}

static void
forget (void)
{
  if (prctl (PR_REMOVE_SFRAME, table, 0, 0, 0) != 0
      || register_table (table, table_size, text, text_size) != 0)
    fail ("prctl");
}

static void
choose (void)
{
  enum { SET_UNWIND_USER = 0x53460003, UNWIND_SFRAME = 1, UNWIND_FP = 2 };

  if (prctl (SET_UNWIND_USER, UNWIND_SFRAME | UNWIND_FP << 4, 0, 0, 0) != 0)
    fail ("PR_SET_UNWIND_USER");
}

static int
open_event (int chain)
{
  struct perf_event_attr attr =
    {
      .type = PERF_TYPE_SOFTWARE,
      .size = sizeof attr,
      .config = PERF_COUNT_SW_PAGE_FAULTS,
      .sample_period = 1,
      .sample_type = PERF_SAMPLE_IP | (chain ? PERF_SAMPLE_CALLCHAIN : 0),
      .disabled = 1,
      .exclude_callchain_kernel = 1,
      .defer_callchain = chain,
      .defer_output = chain,
    };
  int event = syscall (SYS_perf_event_open, &attr, 0, -1, -1, 0);
  if (event < 0)
    fail ("perf_event_open");
  ring = mmap (NULL, PAGE + RING, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
  if (ring == MAP_FAILED)
    fail ("mmap");
  return event;
}

/* The number of frames of the last stack in the ring, which is emptied.  */
static void
drain (void)
{
  const char *data = (const char *) ring + ring->data_offset;
  uint64_t at = ring->data_tail, head = ring->data_head;
  while (at < head)
    {
      /* Records are multiples of eight bytes; headers do not wrap.  */
      struct perf_event_header header;
      memcpy (&header, data + at % RING, sizeof header);
      if (header.type == PERF_RECORD_CALLCHAIN_DEFERRED)
	memcpy (&frames, data + (at + 16) % RING, sizeof frames);
      at += header.size;
    }
  ring->data_tail = at;
}

static __attribute__ ((noipa)) double
batch (int event)
{
  madvise ((void *) fresh, PAGES * PAGE, MADV_DONTNEED);
  ioctl (event, PERF_EVENT_IOC_ENABLE, 0);
  double start = nanoseconds ();
  for (int i = 0; i < PAGES; ++i)
    {
      if (table != 0)
	forget ();
      fresh[i * PAGE];
    }
  double time = nanoseconds () - start;
  ioctl (event, PERF_EVENT_IOC_DISABLE, 0);
  drain ();
  return time / PAGES;
}

static void
measure (const char *name, int chain)
{
  int event = open_event (chain);
  double best = batch (event);
  for (int i = 1; i < BATCHES; ++i)
    {
      double mean = batch (event);
      if (mean < best)
	best = mean;
    }
  printf ("%s %.0f %ju\n", name, best, (uintmax_t) frames);
  munmap (ring, PAGE + RING);
  close (event);
}

static void
measure_both (void *const *unused)
{
  (void) unused;
  measure ("plain", 0);
  measure ("chain", 1);
}

#if defined OBJECTS

/* The function number I of the stack, of COUNT OBJECTS.  */
static void *
function (int i, char **objects, int count)
{
  void *object = dlopen (objects[(long int) i * STEP % count], RTLD_NOW);
  void *through = object == NULL ? NULL : dlsym (object, "through");
  if (through == NULL)
    fail ("dlopen");
  return through;
}

#elif defined BIG

static void *
function (int i, char **unused, int none)
{
  (void) unused, (void) none;
  return ((char *) big_functions
	  + big_functions[(long int) i * STEP % FUNCTIONS]);
}

#else

# define LINK(n)							\
  static __attribute__ ((noipa)) void					\
  link_##n (void *const *list)						\
  {									\
    volatile char local[40];						\
    local[0] = 1;							\
    ((big_function *) *list) (list + 1);				\
    local[0];								\
  }
# define TEN(macro, n)							\
  macro (n##0) macro (n##1) macro (n##2) macro (n##3) macro (n##4)	\
  macro (n##5) macro (n##6) macro (n##7) macro (n##8) macro (n##9)
# define HUNDRED(macro)							\
  TEN (macro, 0) TEN (macro, 1) TEN (macro, 2) TEN (macro, 3)		\
  TEN (macro, 4) TEN (macro, 5) TEN (macro, 6) TEN (macro, 7)		\
  TEN (macro, 8) TEN (macro, 9)

HUNDRED (LINK)

# define NAME(n) link_##n,
static big_function *const links[] = { HUNDRED (NAME) };

static void *
function (int i, char **unused, int none)
{
  (void) unused, (void) none;
  return (void *) links[i % 100];
}

#endif

/* Load all OBJECTS; the stack need not have a frame in each.  */
static void
load (char **objects, int count)
{
#ifdef OBJECTS
  for (int i = 0; i < count; ++i)
    function (i, objects, count);
#else
  (void) objects, (void) count;
#endif
}

int
main (int argc, char **argv)
{
  void *list[DEPTH_MAX + 1];
  int depth = argc > 1 ? atoi (argv[1]) : 0;
  bool forgetful = argc > 2 && strcmp (argv[2], "forget") == 0;
  bool chosen = argc > 2 && strcmp (argv[2], "choose") == 0;
  char **objects = argv + 2 + (forgetful || chosen);
  int count = argv + argc - objects;

  if (depth < 1 || depth > DEPTH_MAX || count < OBJECTS_MIN)
    {
      fprintf (stderr, "usage: %s DEPTH [forget|choose] [OBJECT...]\n", argv[0]);
      return 2;
    }
  fresh = mmap (NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (fresh == MAP_FAILED)
    fail ("mmap");
  if (forgetful)
    find_table ();
  if (chosen)
    choose ();
  load (objects, count);
  for (int i = 0; i < depth; ++i)
    list[i] = function (i, objects, count);
  list[depth] = (void *) measure_both;
  ((big_function *) list[0]) (list + 1);
  return 0;
}
