/* Larger tables for the rules that traces have left behind.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe, without locks; errno is left
   alone.  A thread may be interrupted, or end, anywhere in here.

   Each C library has a small table, which is enough for most processes.  When
   it has given out all its slots, the process takes a larger one by mmap, and
   once more when that has given out its own.  All C libraries of a process
   share these.

   This is the only system call that traces of sound stacks make.  It is
   malloc's, with the same arguments, so that a seccomp filter which does not
   permit it is not one under which programs can allocate memory; and a process
   makes it only after it has traced more places than the first table has
   slots.  The tunable glibc.rtld.sframe forbids it.

   A table in use is never unmapped, since a trace that has begun with it may
   have been interrupted, and never changes its size.  What the smaller one
   holds is not copied: each rule is looked up once more when it is needed,
   whereas the trace that copies them would take longer than any other.

   Ways that were not taken: to reserve addresses at start-up (a system call of
   each process, most of which never trace); a large .bss (counts as memory
   where the kernel does not overcommit, and is memory after mlockall); to wait
   until the process itself calls mmap (many programs do not while they are
   profiled).  */

#include <array_length.h>
#include <errno.h>
#include <sframe-reader.h>
#include <sframe-trace.h>
#include <sys/mman.h>

/* The number of the last table.  */
enum { LAST = 1 + array_length (((struct sframe_unloads *) NULL)->tables) };

/* Where the table with NUMBER is, which is not the first one.  */
static inline struct sframe_cache **
shared_table (unsigned int number)
{
  return &sframe_unloads ()->tables[number - 2];
}

struct sframe_cache *
__sframe_cache_table (unsigned int number)
{
  /* Pairs with the release in publish: the head is seen.  */
  return (number == 1 ? &__sframe_cache.head
	  : atomic_load_acquire (shared_table (number)));
}

unsigned int
__sframe_cache_largest (void)
{
  unsigned int number = LAST;

  while (number > 1 && atomic_load_relaxed (shared_table (number)) == NULL)
    --number;
  return number;
}

/* A table of 1 << LOG2 slots, or null if there is no memory.  */
static struct sframe_cache *
allocate (unsigned int log2)
{
  struct sframe_cache *cache
    = __mmap (NULL, SFRAME_CACHE_SIZE (log2), PROT_READ | PROT_WRITE,
	      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (cache == MAP_FAILED)
    return NULL;
  cache->larger = log2 - SFRAME_CACHE_LOG2_FIRST;
  return cache;
}

/* Make CACHE the table with NUMBER.  If another thread was first, or a handler,
   nobody has seen this one.  */
static void
publish (unsigned int number, struct sframe_cache *cache)
{
  struct sframe_cache *none = NULL;

  if (!__atomic_compare_exchange_n (shared_table (number), &none, cache, false,
				    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    __munmap (cache, sframe_cache_size (cache));
}

/* Whether memory is to be asked for now that FULL has given out its slots once
   more: where there was none it is asked again after twice as many.  */
static bool
is_time (const struct sframe_cache *full)
{
  uint32_t times = ((atomic_load_relaxed (&full->used) - 1)
		    / sframe_cache_slots (full));

  return times != 0 && (times & (times - 1)) == 0;
}

void
__sframe_cache_grow (unsigned int number)
{
  static const uint8_t log2[]
    = { SFRAME_CACHE_LOG2_SECOND, SFRAME_CACHE_LOG2_LAST };
  const int error = errno;

  if (number == LAST || __sframe_cache_largest () != number
      || !is_time (__sframe_cache_table (number))
      || sframe_setting () == 2)
    return;
  struct sframe_cache *cache = allocate (log2[number - 1]);
  if (cache != NULL)
    publish (number + 1, cache);
  __set_errno (error);
}
