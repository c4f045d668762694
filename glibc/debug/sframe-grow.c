/* Larger cache tables for unwind rules.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe; no lock; errno is left alone.  A
   thread may be interrupted or terminated at any instruction.

   Each C library has a small table, which is enough for most processes.  When
   all its slots are in use, the process allocates a larger one by mmap, and
   when that is full, a still larger one.  All C libraries of a process share
   the larger tables.

   In traces of sound stacks whose bounds libc knows, this mmap is the only
   system call, but for probes of the stack in frames of more than 128 KiB and
   at code without a table, and for a look at the signal mask or at code in
   handlers of a few signals (sframe-system.h).  If several threads allocate a
   table at the same time, one keeps it, and each of the others calls munmap,
   too.  The mmap has the arguments that malloc uses, so a seccomp filter that
   forbids it also forbids most allocations.  A process makes it only after it
   has stored more rules than the first table has slots; after a dlclose, all
   rules are stored again.  The tunable glibc.rtld.sframe forbids it.

   A table is never unmapped and never changes its size, since a trace that
   uses it may have been interrupted.  The rules of the smaller table are not
   copied but looked up again when they are needed: copying them would make
   one trace much longer than all others.

   Rejected designs: reserving addresses at start-up (a system call for each
   process, most of which never trace); a large .bss (it counts as memory where
   the kernel does not overcommit, and is memory after mlockall); waiting until
   the process itself calls mmap (many programs do not while they are
   profiled).  */

#include <array_length.h>
#include <errno.h>
#include <sframe-pin.h>
#include <sframe-trace.h>
#include <sys/mman.h>

/* The number of the last table.  */
enum { LAST = 1 + array_length (((struct sframe_unloads *) NULL)->tables) };

/* The pointer to the table with NUMBER, which is at least 2.  */
static inline struct sframe_cache **
shared_table (unsigned int number)
{
  return &sframe_unloads ()->tables[number - 2];
}

struct sframe_cache *
__sframe_cache_table (unsigned int number)
{
  /* Pairs with the release in publish: the table's head is initialized.  */
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

/* Make CACHE the table with NUMBER, unless another thread or a signal handler
   was first.  Then unmap CACHE, which no trace can have used.  The release
   pairs with the acquire that loads the table's address.  */
static void
publish (unsigned int number, struct sframe_cache *cache)
{
  struct sframe_cache *none = NULL;

  if (!__atomic_compare_exchange_n (shared_table (number), &none, cache, false,
				    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    __munmap (cache, sframe_cache_size (cache));
}

/* Whether to try to allocate memory.  Called when it is slot 0's turn in FULL,
   and so each time when all slots were stored once more.  Try after 1, 2, 4
   and so on such rounds: after a failure, ever less often.  */
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
