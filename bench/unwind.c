/* Time the kernel when it unwinds a stack of known depth for a perf event.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: unwind DEPTH [forget]

   Reads of fresh pages are page faults, which an event counts, with a sample
   for each.  Prints "plain NS" for one read with samples that have no stack,
   and "chain NS FRAMES" with a deferred one of so many frames: the difference
   is the price of the stack.  The best of many batches counts.  Up to a depth
   of 100 each frame is of another function.

   With "forget" the program registers its table anew before each read, so that
   the kernel remembers nothing of it.  */

#include <elf.h>
#include <linux/perf_event.h>
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

#define PR_ADD_SFRAME 0x53460001
#define PR_REMOVE_SFRAME 0x53460002
#ifndef PT_GNU_SFRAME
# define PT_GNU_SFRAME 0x6474e554
#endif

enum { PAGE = 4096, PAGES = 64, BATCHES = 10, RING = 64 * PAGE };

static volatile char *fresh;
static struct perf_event_mmap_page *ring;
static unsigned int frames;

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

/* A static program, which is where it was linked to be.  */
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
}

static void
forget (void)
{
  if (prctl (PR_REMOVE_SFRAME, table, 0, 0, 0) != 0
      || prctl (PR_ADD_SFRAME, table, table_size, text, text_size) != 0)
    fail ("prctl");
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
  printf ("%s %.0f %u\n", name, best, frames);
  munmap (ring, PAGE + RING);
  close (event);
}

static int descend (int depth);

#define LINK(n)								\
  static __attribute__ ((noipa)) int					\
  link_##n (int depth)							\
  {									\
    volatile char local[40];						\
    local[0] = depth;							\
    return descend (depth - 1) + local[0];				\
  }
#define TEN(macro, n)							\
  macro (n##0) macro (n##1) macro (n##2) macro (n##3) macro (n##4)	\
  macro (n##5) macro (n##6) macro (n##7) macro (n##8) macro (n##9)
#define HUNDRED(macro)							\
  TEN (macro, 0) TEN (macro, 1) TEN (macro, 2) TEN (macro, 3)		\
  TEN (macro, 4) TEN (macro, 5) TEN (macro, 6) TEN (macro, 7)		\
  TEN (macro, 8) TEN (macro, 9)

HUNDRED (LINK)

#define NAME(n) link_##n,
static int (*const links[]) (int) = { HUNDRED (NAME) };

static inline __attribute__ ((always_inline)) int
descend (int depth)
{
  if (depth > 0)
    return links[depth % 100] (depth);
  measure ("plain", 0);
  measure ("chain", 1);
  return 0;
}

int
main (int argc, char **argv)
{
  if (argc != 2 && (argc != 3 || strcmp (argv[2], "forget") != 0))
    {
      fprintf (stderr, "usage: %s DEPTH [forget]\n", argv[0]);
      return 2;
    }
  fresh = mmap (NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (fresh == MAP_FAILED)
    fail ("mmap");
  if (argc == 3)
    find_table ();
  return descend (atoi (argv[1])) == -1;
}
