/* Sample a program, and compare each stack that the kernel records with the
   chain of frame pointers at that sample.

   SPDX-License-Identifier: GPL-2.0-only

   Usage: paired PROGRAM [ARG...]

   PROGRAM has processor 0 to itself, except for this program, which has
   priority: after a sample, memory and registers of PROGRAM stay unchanged
   until this program has followed the chain of frame pointers, as the
   unpatched kernel does.  Samples for which this program had to wait are not
   counted.

   "frames" counts the frames of those chains that lead to code.  "same" counts
   the samples whose stack equals that chain.  A sample is
   "shorter" if the kernel recorded fewer frames than the part of the chain
   that leads to code.  It is "lost" if the kernel left out a frame of that
   part, unless the chain found this frame by the frame pointer of code that
   has a table.

   Document: perf_event_open(2).  */

#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum
{
  RING = 1 << 20,
  FRAMES_MAX = 500,
  PAGE = 4096,
  TOLD_MAX = 20				/* Differences that are printed.  */
};

/* In the order of their numbers, see asm/perf_regs.h.  */
enum { BP = 6, SP = 7, IP = 8 };
struct registers
{
  uint64_t bp, sp, ip;
};

struct stack
{
  uint64_t cookie;			/* Equal for chain and walk.  */
  int count;
  uint64_t pc[];
};

struct stacks
{
  struct stack **item;
  size_t count, room;
};

struct range
{
  uint64_t start, end;
};

struct ranges
{
  struct range *item;
  size_t count;
};

static struct perf_event_mmap_page *ring;
static int event, memory;
static struct stacks chains, walks;
static struct ranges code, tables;
static pid_t child;
static char record[1 << 16];
static unsigned long dropped;

/* The number of times that this process had waited when PROGRAM was stopped
   last; -1 if PROGRAM may have run since.  */
static long stopped = -1;

static void
die (const char *what)
{
  perror (what);
  exit (2);
}

static void *
grow (void *old, size_t count, size_t size)
{
  void *new = reallocarray (old, count, size);
  if (new == NULL)
    die ("memory");
  return new;
}

static void
keep (struct stacks *stacks, const struct stack *stack)
{
  size_t size = sizeof *stack + stack->count * sizeof *stack->pc;

  if (stacks->count == stacks->room)
    {
      stacks->room = 2 * stacks->room + 1024;
      stacks->item = grow (stacks->item, stacks->room, sizeof *stacks->item);
    }
  stacks->item[stacks->count] = grow (NULL, 1, size);
  memcpy (stacks->item[stacks->count++], stack, size);
}

static bool
is_in (const struct ranges *ranges, uint64_t pc)
{
  for (size_t i = 0; i < ranges->count; ++i)
    if (pc - ranges->item[i].start
	< ranges->item[i].end - ranges->item[i].start)
      return true;
  return false;
}

/* Add to RANGES the address ranges in the child's FILE, only executable ones
   if EXECUTABLE is set.  Ranges that were there once stay: a stack that is
   judged later may lead there.  */
static void
read_ranges (struct ranges *ranges, const char *file, bool executable)
{
  char name[32], line[PAGE + 256], x = 0;
  struct range range;

  snprintf (name, sizeof name, "/proc/%d/%s", (int) child, file);
  FILE *stream = fopen (name, "r");
  while (stream != NULL && fgets (line, sizeof line, stream) != NULL)
    if (sscanf (line, "%" SCNx64 "-%" SCNx64 " %*2c%c", &range.start,
		&range.end, &x) >= 2
	&& (!executable || x == 'x')
	&& !(is_in (ranges, range.start) && is_in (ranges, range.end - 1)))
      {
	ranges->item = grow (ranges->item, ranges->count + 1,
			     sizeof *ranges->item);
	ranges->item[ranges->count++] = range;
      }
  if (stream != NULL)
    fclose (stream);
}

/* Store the word at ADDRESS of the child in *WORD.  The child's memory does
   not change until the next record is taken.  */
static bool
child_word (uint64_t address, uint64_t *word)
{
  return pread (memory, word, sizeof *word, address) == sizeof *word;
}

/* Follow the frame pointers from REGS on, as unwind_user() does.  */
static void
walk (const struct registers *regs, struct stack *stack)
{
  uint64_t fp = regs->bp, sp = regs->sp, ra;

  stack->count = 0;
  stack->pc[stack->count++] = regs->ip;
  while (stack->count < FRAMES_MAX)
    {
      uint64_t cfa = fp + 16;
      if (fp < sp || cfa <= sp || cfa % 8 != 0
	  || !child_word (cfa - 8, &ra) || !child_word (cfa - 16, &fp))
	break;
      stack->pc[stack->count++] = ra;
      sp = cfa;
    }
}

/* Store the COUNT addresses at FROM in *STACK; return the cookie, if there is
   one.  */
static uint64_t
take_addresses (const char *from, uint64_t count, struct stack *stack)
{
  uint64_t pc, cookie = 0;

  stack->count = 0;
  for (uint64_t i = 0; i < count; ++i)
    {
      memcpy (&pc, from + 8 * i, sizeof pc);
      if (pc == PERF_CONTEXT_USER_DEFERRED && i + 1 < count)
	memcpy (&cookie, from + 8 * ++i, sizeof cookie);
      else if (pc < PERF_CONTEXT_MAX && stack->count < FRAMES_MAX)
	stack->pc[stack->count++] = pc;
    }
  return cookie;
}

static long
waits (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return usage.ru_nvcsw;
}

/* A sample: process, thread, chain, registers.  */
static void
take_sample (struct stack *stack)
{
  const char *at = record + sizeof (struct perf_event_header);
  struct registers regs;
  uint64_t count, abi;
  uint32_t pid;

  memcpy (&pid, at, sizeof pid);
  memcpy (&count, at + 8, sizeof count);
  stack->cookie = take_addresses (at + 16, count, stack);
  at += 16 + 8 * count;
  memcpy (&abi, at, sizeof abi);
  if ((pid_t) pid != child || stack->cookie == 0
      || abi != PERF_SAMPLE_REGS_ABI_64)
    return;
  memcpy (&regs, at + 8, sizeof regs);
  walk (&regs, stack);
  /* Reading the memory takes a lock that a thread of the child may hold.  */
  if (waits () == stopped)
    keep (&walks, stack);
}

static void
take_record (struct stack *stack)
{
  struct perf_event_header header;
  uint64_t count;

  memcpy (&header, record, sizeof header);
  if (header.type == PERF_RECORD_SAMPLE)
    take_sample (stack);
  else if (header.type == PERF_RECORD_LOST)
    ++dropped;
  else if (header.type == PERF_RECORD_CALLCHAIN_DEFERRED)
    {
      memcpy (&stack->cookie, record + 8, sizeof stack->cookie);
      memcpy (&count, record + 16, sizeof count);
      take_addresses (record + 24, count, stack);
      keep (&chains, stack);
    }
}

/* Copy SIZE bytes of the ring from AT on, which may wrap, to the record.  */
static void
copy_out (uint64_t at, size_t size)
{
  const char *data = (const char *) ring + ring->data_offset;
  size_t first = RING - at % RING;

  if (first > size)
    first = size;
  memcpy (record, data + at % RING, first);
  memcpy (record + first, data, size - first);
}

static void
drain (struct stack *stack)
{
  uint64_t head = __atomic_load_n (&ring->data_head, __ATOMIC_ACQUIRE);
  uint64_t at = ring->data_tail;

  while (at < head)
    {
      struct perf_event_header header;
      copy_out (at, sizeof header);
      memcpy (&header, record, sizeof header);
      copy_out (at, header.size);
      take_record (stack);
      at += header.size;
      __atomic_store_n (&ring->data_tail, at, __ATOMIC_RELEASE);
    }
}

/* Open an event that samples the child from its exec on, and its threads.  */
static void
open_ring (void)
{
  struct perf_event_attr attr =
    {
      .type = PERF_TYPE_SOFTWARE,
      .size = sizeof attr,
      .config = PERF_COUNT_SW_CPU_CLOCK,
      .sample_period = 1000000,		/* A millisecond.  */
      .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN
		     | PERF_SAMPLE_REGS_USER,
      .sample_regs_user = 1 << BP | 1 << SP | 1 << IP,
      .wakeup_events = 1,
      .disabled = 1,
      .enable_on_exec = 1,
      .inherit = 1,
      .exclude_kernel = 1,
      .exclude_callchain_kernel = 1,
      .defer_callchain = 1,
      .defer_output = 1
    };

  event = syscall (SYS_perf_event_open, &attr, child, 0, -1, 0);
  if (event < 0)
    die ("perf_event_open");
  ring = mmap (NULL, PAGE + RING, PROT_READ | PROT_WRITE, MAP_SHARED, event,
	       0);
  if (ring == MAP_FAILED)
    die ("mmap");
}

/* Run on processor 0 with priority over all other tasks.  */
static void
take_processor (void)
{
  struct sched_param first = { .sched_priority = 1 };
  cpu_set_t set;

  CPU_ZERO (&set);
  CPU_SET (0, &set);
  if (sched_setaffinity (0, sizeof set, &set) != 0
      || sched_setscheduler (0, SCHED_FIFO | SCHED_RESET_ON_FORK, &first) != 0)
    die ("scheduler");
}

/* Start PROGRAM in a child, and return after its exec.  */
static void
start (char **program)
{
  int ready[2], exec[2];
  char name[32], byte;

  if (pipe2 (ready, O_CLOEXEC) != 0 || pipe2 (exec, O_CLOEXEC) != 0
      || (child = fork ()) < 0)
    die ("fork");
  if (child == 0)
    {
      if (read (ready[0], &byte, 1) == 1)
	execvp (program[0], program);
      _exit (127);
    }
  open_ring ();
  close (exec[1]);
  if (write (ready[1], "", 1) != 1 || read (exec[0], &byte, 1) != 0)
    die ("pipe");
  snprintf (name, sizeof name, "/proc/%d/mem", (int) child);
  memory = open (name, O_RDONLY);
  if (memory < 0)
    die (name);
}

static int
compare (const void *a, const void *b)
{
  uint64_t x = (*(struct stack *const *) a)->cookie;
  uint64_t y = (*(struct stack *const *) b)->cookie;

  return x < y ? -1 : x > y;
}

static void
tell (const char *what, const struct stack *stack)
{
  printf ("%s:", what);
  for (int i = 0; i < stack->count; ++i)
    printf (" %" PRIx64, stack->pc[i]);
  puts ("");
}

/* Whether CHAIN has the first COUNT frames of WALK, in this order.  The
   register of the frame pointer may hold another value in code with a table:
   if such code has led WALK to a frame that CHAIN does not have, nothing after
   it is compared.  */
static bool
has_frames (const struct stack *chain, const struct stack *walk, int count)
{
  int at = 0;

  for (int i = 0; i < count; ++i)
    {
      int next = at;
      while (next < chain->count && chain->pc[next] != walk->pc[i])
	++next;
      if (next == chain->count)
	return i > 0 && is_in (&tables, walk->pc[i - 1] - 1);
      at = next + 1;
    }
  return true;
}

static bool
is_same (const struct stack *chain, const struct stack *walk)
{
  return chain->count == walk->count
	 && memcmp (chain->pc, walk->pc, chain->count * sizeof *chain->pc) == 0;
}

static struct stack *
find_chain (const struct stack *walk)
{
  struct stack **found = bsearch (&walk, chains.item, chains.count,
				  sizeof *chains.item, compare);
  return found == NULL ? NULL : *found;
}

static void
judge (void)
{
  unsigned long paired = 0, frames = 0, same = 0, shorter = 0, lost = 0;

  qsort (chains.item, chains.count, sizeof *chains.item, compare);
  for (size_t i = 0; i < walks.count; ++i)
    {
      const struct stack *walk = walks.item[i], *chain = find_chain (walk);
      int count = 1;

      if (chain == NULL)
	continue;
      while (count < walk->count && is_in (&code, walk->pc[count] - 1))
	++count;
      bool is_shorter = chain->count < count;
      bool is_lost = !has_frames (chain, walk, count);
      ++paired;
      frames += count;
      same += is_same (chain, walk);
      shorter += is_shorter;
      lost += is_lost;
      if ((is_shorter || is_lost) && shorter + lost < TOLD_MAX)
	{
	  tell (is_shorter ? "shorter" : "lost", chain);
	  tell ("frame pointers", walk);
	}
    }
  printf ("samples %zu paired %lu frames %lu same %lu shorter %lu lost %lu"
	  " dropped %lu\n",
	  walks.count, paired, frames, same, shorter, lost, dropped);
}

int
main (int argc, char **argv)
{
  struct stack *stack = grow (NULL, 1, sizeof *stack
				       + FRAMES_MAX * sizeof *stack->pc);
  int status;

  if (argc < 2)
    return 2;
  take_processor ();
  start (argv + 1);
  for (unsigned int n = 0; waitpid (child, &status, WNOHANG) == 0; ++n)
    {
      struct pollfd ready = { .fd = event, .events = POLLIN };
      poll (&ready, 1, 20);
      stopped = waits ();
      drain (stack);
      stopped = -1;
      if (n % 64 == 0)
	{
	  read_ranges (&code, "maps", true);
	  read_ranges (&tables, "sframe", false);
	}
      /* Samples that arrived meanwhile are too old.  */
      drain (stack);
    }
  drain (stack);
  judge ();
  return WIFEXITED (status) ? WEXITSTATUS (status) : 1;
}
