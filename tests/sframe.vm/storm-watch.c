/* The storm's consumer of deferred call chains: perf events on each processor,
   and a thread that reads them.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "storm.h"

#include <linux/perf_event.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { RINGS_MAX = 64, REQUESTS_MAX = 1024 };

/* Room for all chains of seconds in which the reader does not get a processor.  */
#define RING_SIZE (512 * PAGE)

/* The rings for page faults are the even ones.  */
static struct perf_event_mmap_page *rings[RINGS_MAX];
static int ring_count;

/* The cookies of the last faults in the arena's callers whose chains have not
   come yet.  No cookie is zero.  */
static uint64_t requests[REQUESTS_MAX];
static unsigned int last_request;

/* The last chains that came before their requests: a task may ask on one
   processor and return to user space on another, whose ring is read first.  */
struct chain
{
  uint64_t cookie;
  bool from_caller, through_arena;
};
static struct chain early[REQUESTS_MAX];
static unsigned int last_early;

static struct watched watched;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

extern char __start_arena_caller[], __stop_arena_caller[];

/* An event of all processes on processor CPU: each page fault, or times at
   which the kernel may be doing anything.  */
static int
open_event (int cpu, unsigned long config)
{
  struct perf_event_attr attr =
    {
      .type = PERF_TYPE_SOFTWARE, .size = sizeof attr, .config = config,
      .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN,
      .exclude_callchain_kernel = 1, .defer_callchain = 1, .defer_output = 1,
      /* An event of all processes gets chains along with such news only.  */
      .comm = 1,
    };
  if (config == PERF_COUNT_SW_CPU_CLOCK)
    {
      attr.freq = 1;
      attr.sample_freq = 997;
    }
  else
    attr.sample_period = 1;
  return syscall (SYS_perf_event_open, &attr, -1, cpu, -1, 0);
}

static bool
add_ring (int event)
{
  if (event < 0 || ring_count == RINGS_MAX)
    return false;
  void *ring = mmap (NULL, PAGE + RING_SIZE, PROT_READ | PROT_WRITE,
		     MAP_SHARED, event, 0);
  if (ring == MAP_FAILED)
    return false;
  rings[ring_count++] = ring;
  return true;
}

static bool
in_arena (uint64_t ip)
{
  return ip - (uint64_t) arena < SLOTS * SLOT_PAGES * PAGE;
}

static bool
in_caller (uint64_t ip)
{
  return ip >= (uint64_t) __start_arena_caller
	 && ip <= (uint64_t) __stop_arena_caller;
}

/* The byte AT of all that was written to the ring.  What has eight bytes, as
   the header of a record, is never cut in two.  */
static const void *
data (struct perf_event_mmap_page *ring, uint64_t at)
{
  return (const char *) ring + ring->data_offset + at % RING_SIZE;
}

/* Word NUMBER of the record at AT.  */
static uint64_t
word (struct perf_event_mmap_page *ring, uint64_t at, uint64_t number)
{
  return *(const uint64_t *) data (ring, at + 8 * number);
}

static void
count_answer (struct chain chain)
{
  watched.answered += chain.from_caller;
  watched.deep += chain.from_caller && chain.through_arena;
}

/* The request with COOKIE is answered, now or when its chain comes.  */
static void
ask (uint64_t cookie)
{
  watched.asked++;
  for (int i = 0; i < REQUESTS_MAX; i++)
    if (early[i].cookie == cookie)
      {
	count_answer (early[i]);
	early[i].cookie = 0;
	return;
      }
  requests[++last_request % REQUESTS_MAX] = cookie;
}

/* A fault's sample ends with the cookie of its chain.  */
static void
look_at_sample (struct perf_event_mmap_page *ring, uint64_t at)
{
  uint64_t count = word (ring, at, 2);
  if (in_caller (word (ring, at, 1)) && count >= 2
      && word (ring, at, 1 + count) == PERF_CONTEXT_USER_DEFERRED)
    ask (word (ring, at, 2 + count));
}

/* Whether COOKIE is that of a request, which is then answered.  */
static bool
was_asked (uint64_t cookie)
{
  for (int i = 0; i < REQUESTS_MAX; i++)
    if (requests[i] == cookie)
      {
	requests[i] = 0;
	return true;
      }
  return false;
}

/* Our code has no frame pointers: that arena code was called from here is
   known from one of the arena's tables only.  Both rings have the chain of a
   fault; it counts in the one for faults.  */
static void
look_at_chain (struct perf_event_mmap_page *ring, uint64_t at, bool of_faults)
{
  uint64_t count = word (ring, at, 2);
  struct chain chain =
    {
      .cookie = word (ring, at, 1),
      .from_caller = count > 1 && in_caller (word (ring, at, 3)),
    };
  for (uint64_t i = 1; i < count; i++)
    chain.through_arena |= in_arena (word (ring, at, 2 + i))
			   && in_caller (word (ring, at, 3 + i));
  watched.chains++;
  if (of_faults && was_asked (chain.cookie))
    count_answer (chain);
  else if (of_faults)
    early[++last_early % REQUESTS_MAX] = chain;
}

static void
drain (struct perf_event_mmap_page *ring, bool of_faults)
{
  uint64_t head = __atomic_load_n (&ring->data_head, __ATOMIC_ACQUIRE);
  uint64_t at = ring->data_tail;
  while (at < head)
    {
      const struct perf_event_header *header = data (ring, at);
      if (header->type == PERF_RECORD_CALLCHAIN_DEFERRED)
	look_at_chain (ring, at, of_faults);
      else if (header->type == PERF_RECORD_SAMPLE && of_faults)
	look_at_sample (ring, at);
      else if (header->type == PERF_RECORD_LOST)
	watched.lost += word (ring, at, 2);
      at += header->size;
    }
  __atomic_store_n (&ring->data_tail, at, __ATOMIC_RELEASE);
}

static void
drain_all (void)
{
  for (int i = 0; i < ring_count; i++)
    drain (rings[i], i % 2 == 0);
}

static void *
read_rings (void *unused)
{
  for (;;)
    {
      pthread_mutex_lock (&lock);
      drain_all ();
      pthread_mutex_unlock (&lock);
      nanosleep (&(struct timespec) { .tv_nsec = 5000000 }, NULL);
    }
  return NULL;
}

bool
watch_start (void)
{
  int cpus = sysconf (_SC_NPROCESSORS_ONLN);
  for (int cpu = 0; cpu < cpus; cpu++)
    if (!add_ring (open_event (cpu, PERF_COUNT_SW_PAGE_FAULTS))
	|| !add_ring (open_event (cpu, PERF_COUNT_SW_CPU_CLOCK)))
      return false;
  pthread_t reader;
  return pthread_create (&reader, NULL, read_rings, NULL) == 0;
}

struct watched
watch_so_far (void)
{
  pthread_mutex_lock (&lock);
  drain_all ();
  struct watched now = watched;
  pthread_mutex_unlock (&lock);
  return now;
}
