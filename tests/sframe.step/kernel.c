/* Let the kernel unwind a thread's stack at each of its instructions.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Each step ends with a SIGTRAP, which the thread is sent in the kernel, after
   the trap.  A perf event counts these and requests the stack.  The kernel
   unwinds it before it delivers the signal and stops the thread for the
   tracer, so the registers are those of the program.

   Document: perf_event_open(2).  */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>

#include <sframe_chain.h>

#include "kernel.h"

#define EVENT_FILE "/sys/kernel/tracing/events/signal/signal_generate/id"
/* Count only SIGTRAP: there are other signals from this thread to the
   tracer.  */
#define FILTER "sig == 5"

/* The rings of a thread: signals, and the judge's page faults.  */
struct rings
{
  bool open;
  char *page;
  struct ring signals, faults;
};

static _Thread_local struct rings rings
  __attribute__ ((tls_model ("initial-exec")));
static unsigned int event;

bool
kernel_start (void)
{
  FILE *file = fopen (EVENT_FILE, "r");
  bool good = file != NULL && fscanf (file, "%u", &event) == 1;

  if (file != NULL)
    fclose (file);
  return good;
}

static void
open_rings (void)
{
  struct perf_event_attr signals = chain_attr (PERF_TYPE_TRACEPOINT, event);
  struct perf_event_attr faults = chain_attr (PERF_TYPE_SOFTWARE,
					      PERF_COUNT_SW_PAGE_FAULTS);

  rings.page = mmap (NULL, PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (rings.page == MAP_FAILED || open_ring (&rings.signals, &signals, 0, -1)
      || open_ring (&rings.faults, &faults, 0, -1)
      || ioctl (rings.signals.fd, PERF_EVENT_IOC_SET_FILTER, FILTER) != 0)
    abort ();
  ioctl (rings.signals.fd, PERF_EVENT_IOC_ENABLE, 0);
  rings.open = true;
}

/* Store the last chain in RING in *CHAIN; if PC is not 0, the last one that
   begins at PC.  */
static void
take_chain (struct ring *ring, uintptr_t pc, struct chain *chain)
{
  static _Thread_local unsigned long ips[CHAIN_MAX]
    __attribute__ ((tls_model ("initial-exec")));
  struct perf_event_header header;
  uint64_t at = ring->page->data_tail;

  chain->count = 0;
  for (; at < ring->page->data_head; at += header.size)
    {
      copy_out (ring, at, &header, sizeof header);
      if (header.type != PERF_RECORD_CALLCHAIN_DEFERRED)
	continue;
      int count = read_ips (ring, at, ips);
      if (count == 0 || (pc != 0 && ips[0] != pc))
	continue;
      chain->count = count < 128 ? count : 128;
      memcpy (chain->pc, ips, chain->count * sizeof *chain->pc);
    }
  ring->page->data_tail = at;
}

/* The page was unmapped, so this is a page fault.  */
static void noinline
touch (void)
{
  *(volatile char *) rings.page = 1;
  KEEP ();
}

void
kernel_collect (uintptr_t pc, struct chain *before, struct chain *now)
{
  before->count = now->count = 0;
  if (!rings.open)
    {
      open_rings ();
      return;
    }
  take_chain (&rings.signals, pc, before);
  madvise (rings.page, PAGE, MADV_DONTNEED);
  ioctl (rings.faults.fd, PERF_EVENT_IOC_ENABLE, 0);
  touch ();
  ioctl (rings.faults.fd, PERF_EVENT_IOC_DISABLE, 0);
  take_chain (&rings.faults, 0, now);
}

/* The start of the function of FDE number I of TABLE.  */
static uintptr_t
function_start (const struct table_header *table, const struct table_fde *fdes,
		uint32_t i)
{
  bool relative = table->flags & 4;

  return fdes[i].start + (uintptr_t) (relative ? (void *) &fdes[i]
					       : (void *) table);
}

/* Find the last function of TABLE, which is sorted, that begins at PC or
   before, and see whether PC is in it.  */
static uintptr_t
search_table (const struct table_header *table, uintptr_t pc)
{
  const struct table_fde *fdes
    = (const void *) ((const char *) (table + 1) + table->aux_len
		      + table->fde_off);
  uint32_t low = 0, high = table->nr_fdes;

  while (low < high)
    {
      uint32_t middle = low + (high - low) / 2;
      if (function_start (table, fdes, middle) <= pc)
	low = middle + 1;
      else
	high = middle;
    }
  if (low == 0)
    return 0;
  uintptr_t start = function_start (table, fdes, low - 1);
  return pc - start < fdes[low - 1].size ? start : 0;
}

uintptr_t
kernel_function (uintptr_t pc, const char **object)
{
  struct dl_find_object found;

  if (_dl_find_object ((void *) pc, &found) != 0)
    return 0;
  const Elf64_Ehdr *ehdr = found.dlfo_map_start;
  uintptr_t bias = found.dlfo_link_map->l_addr, start = 0;
  const Elf64_Phdr *phdr = (const void *) ((const char *) ehdr + ehdr->e_phoff);

  *object = found.dlfo_link_map->l_name;
  for (int i = 0; i < ehdr->e_phnum; ++i)
    if (phdr[i].p_type == PT_GNU_SFRAME)
      start = search_table ((const void *) (bias + phdr[i].p_vaddr), pc);
  return start == 0 ? 0 : start - bias;
}
