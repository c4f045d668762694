/* A cache of unwind rules: from the PC of a frame to its rule, in a word.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe, without locks: who reads while a
   slot is written, or writes one that is being written, does without it.  No
   allocation and no system call.  What is found is what was stored for that
   PC and tag, never parts of two rules.

   A table has a size for ever.  When it has given out all slots a larger one,
   of zeros, may take its place for traces to come; see debug/sframe-grow.c.
   A trace keeps to the table it has begun with, and no table ever goes
   away.

   A slot is a sequence lock: its version is odd while it is written, and a
   reader that did not see the same even version before and after has seen
   nothing.  A version has 64 bits, so that it does not come round between two
   loads.  If fork, or the end of a thread, catches a writer at work, the slot
   stays odd, which costs a slot.

   The tag tells objects from those unloaded before, which may have had the
   same addresses, and frames that were interrupted from those that have made
   a call, which have other rules at the same PC.

   Ways that were not taken: two words of which one is scrambled with the
   other (two rules can be torn so that they match by chance); one word for
   all (not enough bits to tell all addresses and generations apart); a table
   for each thread (it has to be allocated, and warms up anew in each).  */

#ifndef _SFRAME_CACHE_H
#define _SFRAME_CACHE_H

#include <sframe-read.h>

/* How many slots a table has, as powers of two: the first one, and the larger
   ones that take its place.  */
#define SFRAME_CACHE_LOG2_FIRST 8
#define SFRAME_CACHE_LOG2_SECOND 13
#define SFRAME_CACHE_LOG2_LAST 17

/* The index is a cuckoo hash table: as many buckets as there are slots, WAYS
   entries in each, two buckets for each PC.  It is never more than half full.
   An entry that finds no room moves another one to its other bucket, and so
   on.  With 32 moves one entry was lost in 4,000 sets of 3,686 PCs each.  */
enum
{
  SFRAME_CACHE_WAYS = 2,
  SFRAME_CACHE_CHOICES = 2 * SFRAME_CACHE_WAYS,
  SFRAME_CACHE_MOVES = 32
};

/* Two share a cache line.  */
struct sframe_cache_slot
{
  uint64_t version;
  uint64_t pc;
  uint64_t rule;
  uint64_t tag;
} __attribute__ ((aligned (32)));

/* The number of a slot where something may be, which the slot's PC confirms or
   not.  */
typedef uint32_t sframe_cache_number;

/* An entry of the index: the number of a slot, a bit that is set, and 11 bits
   of the hash, so that few slots of other PCs are read; 0 if it is empty.  */
typedef uint32_t sframe_cache_entry;
#define SFRAME_CACHE_ENTRY_BITS 12

_Static_assert (SFRAME_CACHE_LOG2_LAST + SFRAME_CACHE_ENTRY_BITS <= 32,
		"a slot's number fits");

/* The head of a table.  What follows it, in this order: the index, in which
   each slot in use has one entry, if no race has lost it; the guesses; the
   slots.  So the few that most processes use are close together.  */
struct sframe_cache
{
  /* By how much the logarithm of the number of slots is above FIRST, so that
     the first table can be all zero.  */
  uint32_t larger;
  /* How many slots were given out: one after the other, and then those again
     that were given out longest ago.  So each PC of a set that the slots have
     room for is stored once at most, whatever the cache held before.  */
  uint32_t used;
} __attribute__ ((aligned (64)));

/* How many guesses there are next to 1 << LOG2 slots: no fewer than a path
   needs to tell recursive functions from their callers.  */
#define SFRAME_CACHE_GUESSES(log2) (1U << ((log2) < 10 ? 10 : (log2)))

/* The bytes that a table of 1 << LOG2 slots takes.  */
#define SFRAME_CACHE_SIZE(log2)						\
  (sizeof (struct sframe_cache)						\
   + (sizeof (sframe_cache_entry) * SFRAME_CACHE_WAYS << (log2))	\
   + sizeof (sframe_cache_number) * SFRAME_CACHE_GUESSES (log2)		\
   + (sizeof (struct sframe_cache_slot) << (log2)))

/* The first table of a process.  */
union sframe_cache_first
{
  struct sframe_cache head;
  char memory[SFRAME_CACHE_SIZE (SFRAME_CACHE_LOG2_FIRST)];
} __attribute__ ((may_alias));

_Static_assert (sizeof (union sframe_cache_first) <= 16 * 1024,
		"each process has one");

static inline unsigned int
sframe_cache_log2 (const struct sframe_cache *cache)
{
  return SFRAME_CACHE_LOG2_FIRST + cache->larger;
}

/* How many slots CACHE has, and bytes.  */
static inline uint32_t
sframe_cache_slots (const struct sframe_cache *cache)
{
  return 1U << sframe_cache_log2 (cache);
}

static inline size_t
sframe_cache_size (const struct sframe_cache *cache)
{
  return SFRAME_CACHE_SIZE (sframe_cache_log2 (cache));
}

/* The parts of CACHE.  The compiler is not to see that they are beyond the
   head.  */
static inline sframe_cache_entry *
sframe_cache_entries (const struct sframe_cache *cache)
{
  uintptr_t head = (uintptr_t) cache;
  return (sframe_cache_entry *) (head + sizeof *cache);
}

/* The caller that each path has led to last time.  This lets the processor
   load the slot while the return address is still under way, which is half of
   the time.  */
static inline sframe_cache_number *
sframe_cache_guesses (const struct sframe_cache *cache)
{
  return (sframe_cache_entries (cache)
	  + SFRAME_CACHE_WAYS * (size_t) sframe_cache_slots (cache));
}

static inline struct sframe_cache_slot *
sframe_cache_slot (const struct sframe_cache *cache, uint32_t number)
{
  sframe_cache_number *end
    = (sframe_cache_guesses (cache)
       + SFRAME_CACHE_GUESSES (sframe_cache_log2 (cache)));
  return (struct sframe_cache_slot *) end + number;
}

/* Have the system provide the pages that any rule may need of the first table,
   ready for writing: a page that is read first takes two faults.  Another
   thread that is at work already may lose an entry or a guess.  */
static inline void
sframe_cache_open (struct sframe_cache *cache)
{
  const size_t page = 4096 / sizeof (sframe_cache_number);
  sframe_cache_entry *entries = sframe_cache_entries (cache);
  sframe_cache_number *end = sframe_cache_guesses (cache)
			     + SFRAME_CACHE_GUESSES (sframe_cache_log2 (cache));

  for (sframe_cache_entry *word = entries; word < end; word += page)
    __atomic_store_n (word, 0, __ATOMIC_RELAXED);
  __atomic_store_n (end - 1, 0, __ATOMIC_RELAXED);
}

/* On how many bits of the slot before a path depends.  */
#define SFRAME_CACHE_PATH_BITS 2

/* The path of a trace that begins, which has all bits that a path may have.
   No frame leads to it, as long as the last slot is not used.  */
static inline uint32_t
sframe_cache_start (const struct sframe_cache *cache)
{
  return SFRAME_CACHE_GUESSES (sframe_cache_log2 (cache)) - 1;
}

/* By how much a path is shifted left, so that few bits of it are left.  */
static inline unsigned int
sframe_cache_path_shift (const struct sframe_cache *cache)
{
  return (31 - __builtin_clz (sframe_cache_start (cache))
	  - (SFRAME_CACHE_PATH_BITS - 1));
}

/* The path that goes on from PATH to the frame of slot NUMBER; START is that
   of a trace that begins.  It depends on NUMBER and little on the frame before:
   the less, the sooner it is met again, but recursive functions need to be
   told from their callers.  NUMBER comes last, since the processor waits for
   it, and in the lower bits, so that slots given out one after the other have
   their guesses close together.  */
static inline uint32_t
sframe_cache_path (uint32_t start, unsigned int shift, uint32_t path,
		   uint32_t number)
{
  return (path << shift & start) ^ number;
}

/* A rule in one word.  Most significant first: the CFA's offset (24 bits) from
   SP or FP, the offset of FP (16 bits) from the CFA, 8 bits of these, and the
   offset of RA (16 bits) from the CFA.  There is a caller, or it is known that
   there is none.  */
#define SFRAME_CACHE_CALLER 0x10000
#define SFRAME_CACHE_OUTERMOST 0x20000
#define SFRAME_CACHE_CFA_FROM_FP 0x40000
#define SFRAME_CACHE_FP_SAVED 0x80000

static inline intptr_t
sframe_cache_cfa_offset (uint64_t rule)
{
  return (int64_t) rule >> 40;
}

static inline intptr_t
sframe_cache_fp_offset (uint64_t rule)
{
  return (int16_t) (rule >> 24);
}

static inline intptr_t
sframe_cache_ra_offset (uint64_t rule)
{
  return (int16_t) rule;
}

/* The tag of frames that were INTERRUPTED or not, when GENERATION objects have
   been unloaded, which no process does 2**63 times.  */
static inline uint64_t
sframe_cache_tag (uint64_t generation, bool interrupted)
{
  return generation << 1 | interrupted;
}

/* How far below a CFA that FP tells the words of a rule are.  The caller's SP
   is SP_OFFSET bytes away from the CFA.  */
static inline int32_t
sframe_cache_reach (int32_t sp_offset)
{
  return 2 * (int32_t) sizeof (uintptr_t) - sp_offset;
}

/* Whether the word at OFFSET from an aligned CFA is aligned and lies in the
   REACH bytes below.  */
static inline bool
sframe_cache_reaches (int32_t offset, int32_t reach)
{
  return (offset < 0 && offset >= -reach
	  && offset % (int32_t) sizeof (uintptr_t) == 0);
}

/* RULE in a word, or 0 if it has not room there or is out of the ordinary.  A
   rule in a word leads from an aligned SP to an aligned CFA above, and what it
   reads lies between both, or in reach of a CFA that FP tells; so it is with
   nearly all functions.  SP and FP are registers.  */
static inline uint64_t
sframe_cache_pack (const struct sframe_rule *rule, unsigned int sp,
		   unsigned int fp, int32_t sp_offset)
{
  const int32_t word_size = sizeof (uintptr_t);
  bool from_fp = rule->cfa.reg == fp;
  bool saved = rule->fp.kind != SFRAME_UNCHANGED;

  if (rule->outermost)
    return SFRAME_CACHE_OUTERMOST;
  if (rule->signal || rule->cfa.kind != SFRAME_REGISTER_VALUE
      || (rule->cfa.reg != sp && !from_fp)
      || rule->ra.kind != SFRAME_CFA_MEMORY
      || (saved && rule->fp.kind != SFRAME_CFA_MEMORY))
    return 0;

  int32_t fp_offset = saved ? rule->fp.offset : 0;
  int32_t reach = from_fp ? sframe_cache_reach (sp_offset) : rule->cfa.offset;
  if (rule->cfa.offset % word_size != 0
      || (!from_fp && rule->cfa.offset <= -sp_offset)
      || !sframe_cache_reaches (rule->ra.offset, reach)
      || (saved && !sframe_cache_reaches (fp_offset, reach)))
    return 0;
  uint64_t word
    = ((uint64_t) rule->cfa.offset << 40
       | (uint64_t) (uint16_t) fp_offset << 24
       | (uint64_t) (uint16_t) rule->ra.offset
       | SFRAME_CACHE_CALLER
       | (from_fp ? SFRAME_CACHE_CFA_FROM_FP : 0)
       | (saved ? SFRAME_CACHE_FP_SAVED : 0));
  if (sframe_cache_cfa_offset (word) != rule->cfa.offset
      || sframe_cache_fp_offset (word) != fp_offset
      || sframe_cache_ra_offset (word) != rule->ra.offset)
    return 0;
  return word;
}

/* 2**64 by the golden ratio, so that near PCs come to lie far apart.  */
static inline uint64_t
sframe_cache_hash (uint64_t pc)
{
  return pc * UINT64_C (0x9e3779b97f4a7c15);
}

/* The CHOICE-th entry of CACHE that may be that of a PC with this HASH: of the
   bucket that its first bits tell, and of that of its next bits.  */
static inline sframe_cache_entry *
sframe_cache_choice (struct sframe_cache *cache, uint64_t hash, int choice)
{
  unsigned int log2 = sframe_cache_log2 (cache);
  uint64_t bucket = (hash << (choice / SFRAME_CACHE_WAYS * log2)
		     >> (64 - log2));

  return (sframe_cache_entries (cache) + bucket * SFRAME_CACHE_WAYS
	  + choice % SFRAME_CACHE_WAYS);
}

/* The entry for slot NUMBER, which is that of a PC with this HASH.  */
static inline sframe_cache_entry
sframe_cache_make_entry (uint64_t hash, uint32_t number)
{
  const uint32_t used = 1U << (SFRAME_CACHE_ENTRY_BITS - 1);

  return (number << SFRAME_CACHE_ENTRY_BITS | used
	  | (hash >> 16 & (used - 1)));
}

/* The slot that ENTRY is for.  */
static inline uint32_t
sframe_cache_entry_number (sframe_cache_entry entry)
{
  return entry >> SFRAME_CACHE_ENTRY_BITS;
}

/* The rule in SLOT if it is that of PC and TAG, or else 0.  */
static inline uint64_t
sframe_cache_read (const struct sframe_cache_slot *slot, uint64_t pc,
		   uint64_t tag)
{
  uint64_t version = __atomic_load_n (&slot->version, __ATOMIC_ACQUIRE);
  uint64_t slot_pc = __atomic_load_n (&slot->pc, __ATOMIC_RELAXED);
  uint64_t rule = __atomic_load_n (&slot->rule, __ATOMIC_RELAXED);
  uint64_t slot_tag = __atomic_load_n (&slot->tag, __ATOMIC_RELAXED);

  /* No load from above may come after the one below.  */
  __atomic_thread_fence (__ATOMIC_ACQUIRE);
  /* The guess is right for most frames.  */
  bool good = (slot_pc == pc && slot_tag == tag && version % 2 == 0
	       && (__atomic_load_n (&slot->version, __ATOMIC_RELAXED)
		   == version));
  return __builtin_expect (good, true) ? rule : 0;
}

/* Put RULE, the one of PC and TAG, in SLOT.  Return whether it is there: not
   if another thread, or the one that a signal handler has interrupted, is
   writing the slot.  */
static inline bool
sframe_cache_write (struct sframe_cache_slot *slot, uint64_t pc, uint64_t tag,
		    uint64_t rule)
{
  uint64_t version = __atomic_load_n (&slot->version, __ATOMIC_RELAXED);

  if (version % 2 != 0
      || !__atomic_compare_exchange_n (&slot->version, &version, version + 1,
				       false, __ATOMIC_ACQUIRE,
				       __ATOMIC_RELAXED))
    return false;
  /* Who sees a store from below must see the odd version.  */
  __atomic_thread_fence (__ATOMIC_RELEASE);
  __atomic_store_n (&slot->pc, pc, __ATOMIC_RELAXED);
  __atomic_store_n (&slot->rule, rule, __ATOMIC_RELAXED);
  __atomic_store_n (&slot->tag, tag, __ATOMIC_RELAXED);
  __atomic_store_n (&slot->version, version + 2, __ATOMIC_RELEASE);
  return true;
}

/* A rule, 0 if there is none, and the number of its slot.  */
struct sframe_cache_found
{
  uint64_t rule;
  uint64_t number;
};

/* Look for the rule of PC and TAG by the index.  */
static inline struct sframe_cache_found
sframe_cache_find (struct sframe_cache *cache, uint64_t pc, uint64_t tag)
{
  uint64_t hash = sframe_cache_hash (pc);
  sframe_cache_entry like = sframe_cache_make_entry (hash, 0);

#pragma GCC unroll SFRAME_CACHE_CHOICES
  for (int i = 0; i < SFRAME_CACHE_CHOICES; ++i)
    {
      sframe_cache_entry entry
	= __atomic_load_n (sframe_cache_choice (cache, hash, i),
			   __ATOMIC_RELAXED);
      if ((entry ^ like) << (32 - SFRAME_CACHE_ENTRY_BITS) != 0)
	continue;
      uint32_t number = sframe_cache_entry_number (entry);
      uint64_t rule
	= sframe_cache_read (sframe_cache_slot (cache, number), pc, tag);
      if (rule != 0)
	return (struct sframe_cache_found) { rule, number };
    }
  return (struct sframe_cache_found) { 0, 0 };
}

/* Store NEW in the first of the choices of HASH that is OLD, if there is one.
   Return whether there was.  */
static inline bool
sframe_cache_exchange (struct sframe_cache *cache, uint64_t hash,
		       sframe_cache_entry old, sframe_cache_entry new)
{
#pragma GCC unroll SFRAME_CACHE_CHOICES
  for (int i = 0; i < SFRAME_CACHE_CHOICES; ++i)
    {
      sframe_cache_entry *place = sframe_cache_choice (cache, hash, i);
      sframe_cache_entry there = __atomic_load_n (place, __ATOMIC_RELAXED);
      if (there == old
	  && __atomic_compare_exchange_n (place, &there, new, false,
					  __ATOMIC_RELAXED, __ATOMIC_RELAXED))
	return true;
    }
  return false;
}

/* Enter slot NUMBER, which has the rule of PC, in the index.  While an entry
   is moved it is not found, and after the last move it is lost: its rule is
   then added again.  */
static inline void
sframe_cache_enter (struct sframe_cache *cache, uint64_t pc, uint32_t number)
{
  for (int moves = 0; moves < SFRAME_CACHE_MOVES; ++moves)
    {
      uint64_t hash = sframe_cache_hash (pc);
      sframe_cache_entry entry = sframe_cache_make_entry (hash, number);
      if (sframe_cache_exchange (cache, hash, 0, entry))
	return;

      int choice = moves % SFRAME_CACHE_CHOICES;
      sframe_cache_entry other
	= __atomic_exchange_n (sframe_cache_choice (cache, hash, choice),
			       entry, __ATOMIC_RELAXED);
      number = sframe_cache_entry_number (other);
      pc = __atomic_load_n (&sframe_cache_slot (cache, number)->pc,
			    __ATOMIC_RELAXED);
      /* A race has left it.  */
      if (other != sframe_cache_make_entry (sframe_cache_hash (pc), number))
	return;
    }
}

/* Put RULE, the one of PC and TAG, in the cache, where it was not found.
   Return whether it is there now, in slot *NUMBER: not if that is being
   written.  */
static inline bool
sframe_cache_add (struct sframe_cache *cache, uint64_t pc, uint64_t tag,
		  uint64_t rule, uint32_t *number)
{
  *number = (__atomic_fetch_add (&cache->used, 1, __ATOMIC_RELAXED)
	     % sframe_cache_slots (cache));
  struct sframe_cache_slot *slot = sframe_cache_slot (cache, *number);
  bool used = __atomic_load_n (&slot->rule, __ATOMIC_RELAXED) != 0;
  uint64_t hash
    = sframe_cache_hash (__atomic_load_n (&slot->pc, __ATOMIC_RELAXED));

  if (!sframe_cache_write (slot, pc, tag, rule))
    return false;
  if (used)
    sframe_cache_exchange (cache, hash,
			   sframe_cache_make_entry (hash, *number), 0);
  sframe_cache_enter (cache, pc, *number);
  return true;
}

/* Likewise, where it may be already.  */
static inline bool
sframe_cache_store (struct sframe_cache *cache, uint64_t pc, uint64_t tag,
		    uint64_t rule, uint32_t *number)
{
  struct sframe_cache_found found = sframe_cache_find (cache, pc, tag);

  *number = found.number;
  return (found.rule == rule
	  || sframe_cache_add (cache, pc, tag, rule, number));
}

#endif /* _SFRAME_CACHE_H  */
