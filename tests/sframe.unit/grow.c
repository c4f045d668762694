/* When a larger cache table is allocated, and how large it is.

   SPDX-License-Identifier: LGPL-2.1-or-later

   mmap is simulated: it returns memory of which only the head of a table is
   written, or fails.  Expected results are those of debug/sframe-trace.h and
   of the first comment in debug/sframe-grow.c.  */

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>

#include <sframe-pin.h>
#include <sframe-trace.h>

#include "check.h"

enum { LAST = 3, ROUNDS = 40, ERROR = 4711 };

static const unsigned int log2_of[LAST]
  = { SFRAME_CACHE_LOG2_FIRST, SFRAME_CACHE_LOG2_SECOND,
      SFRAME_CACHE_LOG2_LAST };

union sframe_cache_first __sframe_cache;

/* The members after the pointers to the tables must not change.  */
static struct
{
  struct sframe_unloads unloads;
  void *behind[2];
} shared;
static int setting = 1;
static struct sframe_cache heads[LAST];
static unsigned int maps, unmaps;
static size_t mapped, unmapped;
static void *unmapped_at;
static bool refuse;
/* The table that another thread publishes while this one calls mmap.  */
static struct sframe_cache *meanwhile;

struct sframe_unloads *
sframe_unloads (void)
{
  return &shared.unloads;
}

int
sframe_setting (void)
{
  return setting;
}

void *
__mmap (void *address, size_t size, int protection, int flags, int file,
	off_t offset)
{
  unsigned int number = __sframe_cache_largest ();

  CHECK (address == NULL && protection == (PROT_READ | PROT_WRITE)
	 && flags == (MAP_PRIVATE | MAP_ANONYMOUS) && file == -1
	 && offset == 0);
  mapped = size;
  errno = ENOMEM;
  if (refuse)
    {
      ++maps;
      return MAP_FAILED;
    }
  if (meanwhile != NULL)
    shared.unloads.tables[number - 1] = meanwhile;
  return &heads[maps++];
}

int
__munmap (void *address, size_t size)
{
  ++unmaps;
  unmapped_at = address;
  unmapped = size;
  errno = EINVAL;
  return 0;
}

/* Be after the use of slot 0 of the largest table, which has been used ROUND
   times before.  */
static void
use_again (uint32_t round)
{
  struct sframe_cache *cache
    = __sframe_cache_table (__sframe_cache_largest ());

  cache->used = round * sframe_cache_slots (cache) + 1;
  errno = ERROR;
}

static bool
is_whole (unsigned int number)
{
  struct sframe_cache *cache = __sframe_cache_table (number);

  return (cache == (number == 1 ? &__sframe_cache.head : &heads[number - 2])
	  && sframe_cache_log2 (cache) == log2_of[number - 1]);
}

/* A table follows when all slots of the one before are in use, and after the
   last one none.  */
static void
up_to_the_last (void)
{
  for (unsigned int number = 1; number <= LAST; ++number)
    {
      CHECK (__sframe_cache_largest () == number && is_whole (number));
      use_again (0);
      __sframe_cache_grow (number);
      CHECK (maps == number - 1);
      use_again (1);
      __sframe_cache_grow (number);
      CHECK (maps == (number < LAST ? number : LAST - 1) && errno == ERROR);
      if (number < LAST)
	CHECK (mapped == SFRAME_CACHE_SIZE (log2_of[number]));
    }
  CHECK (__sframe_cache_largest () == LAST && unmaps == 0);
  CHECK (shared.behind[0] == NULL && shared.behind[1] == NULL);
}

/* Of a trace that has begun with a smaller table.  */
static void
not_from_a_smaller_one (void)
{
  use_again (1);
  __sframe_cache_grow (1);
  use_again (1);
  __sframe_cache_grow (1);
  CHECK (maps == 1 && __sframe_cache_largest () == 2);
}

/* Not sooner than after twice as many rounds.  */
static void
without_memory (void)
{
  unsigned int wanted = 0;

  refuse = true;
  for (uint32_t round = 0; round < ROUNDS; ++round)
    {
      if (round == 1 || round == 2 || round == 4 || round == 8 || round == 16
	  || round == 32)
	++wanted;
      use_again (round);
      __sframe_cache_grow (1);
      CHECK (maps == wanted && errno == ERROR);
      CHECK (__sframe_cache_largest () == 1);
    }
}

/* Other threads may have used more slots before this one looks.  */
static void
slots_used_meanwhile (void)
{
  uint32_t slots = sframe_cache_slots (&__sframe_cache.head);

  refuse = true;
  for (uint32_t more = 0; more < slots; ++more)
    {
      use_again (0);
      __sframe_cache.head.used += more;
      __sframe_cache_grow (1);
      CHECK (maps == more);
      use_again (1);
      __sframe_cache.head.used += more;
      __sframe_cache_grow (1);
      CHECK (maps == more + 1);
    }
}

static void
forbidden (void)
{
  setting = 2;
  use_again (1);
  __sframe_cache_grow (1);
  CHECK (maps == 0 && __sframe_cache_largest () == 1);
  setting = 0;
  __sframe_cache_grow (1);
  CHECK (maps == 1);
}

/* The table that came first stays.  */
static void
another_thread_was_first (void)
{
  static struct sframe_cache first
    = { .larger = SFRAME_CACHE_LOG2_SECOND - SFRAME_CACHE_LOG2_FIRST };

  meanwhile = &first;
  use_again (1);
  __sframe_cache_grow (1);
  CHECK (__sframe_cache_table (2) == &first && errno == ERROR);
  CHECK (maps == 1 && unmaps == 1 && unmapped_at == &heads[0]
	 && unmapped == mapped);
}

static const struct test_case cases[] = {
  { "up to the last table", up_to_the_last },
  { "not from a smaller table", not_from_a_smaller_one },
  { "without memory", without_memory },
  { "slots that were used meanwhile", slots_used_meanwhile },
  { "if it is forbidden", forbidden },
  { "another thread was first", another_thread_was_first },
};

int
main (void)
{
  return run_cases (cases, sizeof cases / sizeof *cases);
}
