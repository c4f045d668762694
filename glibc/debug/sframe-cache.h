/* A cache of unwind rules: from the PC of a frame to its rule, in a word.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe; no lock, no allocation, no system
   call.  A reader that meets a slot being written finds nothing, and a writer
   that meets one stores nothing.  What a lookup finds is what was stored for
   that PC and tag, never parts of two rules.

   A table never changes its size.  When all its slots are in use, later traces
   may use a larger one, which is zero-initialized; see debug/sframe-grow.c.  A
   trace uses one table from its beginning to its end, and no table is ever
   freed.

   Each slot is protected by a sequence lock: its version is odd while it is
   written, and a reader uses only what it has read between two loads of the
   same even version.  A version has 64 bits, so that it cannot wrap between
   these loads.  If fork, or the end of a thread, interrupts a writer, the
   version stays odd and the slot is never used again.

   The tag distinguishes objects from those unloaded before, which may have had
   the same addresses.  It also distinguishes interrupted frames from those
   that have made a call: their rules at the same PC differ.

   Rejected designs: two words, one of them scrambled with the other (two torn
   rules can match by chance); one word for all (too few bits for all addresses
   and generations); a table for each thread (it must be allocated, and each
   thread fills its own).  */

#ifndef _SFRAME_CACHE_H
#define _SFRAME_CACHE_H

#include <sframe-read.h>
#include <sframe-stack.h>

/* The binary logarithms of the number of slots: of the first table, and of the
   two larger ones.  */
#define SFRAME_CACHE_LOG2_FIRST 8
#define SFRAME_CACHE_LOG2_SECOND 13
#define SFRAME_CACHE_LOG2_LAST 17

/* The index is a cuckoo hash table: as many buckets as there are slots, WAYS
   entries in each, two buckets for each PC.  It is never more than half full.
   A new entry that finds both buckets full takes the place of another, which
   moves to its other bucket, and so on, with at most 32 moves.  Of 4,000
   random sets of 3,686 PCs one lost an entry.  */
enum
{
  SFRAME_CACHE_WAYS = 2,
  SFRAME_CACHE_CHOICES = 2 * SFRAME_CACHE_WAYS,
  SFRAME_CACHE_MOVES = 32
};

/* Two slots share a cache line.  */
struct sframe_cache_slot
{
  uint64_t version;
  uint64_t pc;
  uint64_t rule;
  uint64_t tag;
} __attribute__ ((aligned (32)));

/* The number of a slot that may hold a rule; only the slot's PC and tag tell
   whether it does.  */
typedef uint32_t sframe_cache_number;

/* An entry of the index: the number of a slot, a bit that is set, and 11 bits
   of the hash, so that few slots of other PCs are read; an empty one is 0.  */
typedef uint32_t sframe_cache_entry;
#define SFRAME_CACHE_ENTRY_BITS 12

_Static_assert (SFRAME_CACHE_LOG2_LAST + SFRAME_CACHE_ENTRY_BITS <= 32,
		"a slot's number fits");

/* The head of a table.  In memory it is followed by the index, which has one
   entry for each slot in use (or none, after a race), the predictions and the
   slots, in this order.  So the parts that most processes use are close
   together.  */
struct sframe_cache
{
  /* The logarithm of the number of slots, minus that of the first table, so
     that the first table can be in .bss.  */
  uint32_t larger;
  /* How many times a slot was allocated.  Slots are allocated in turn, and so
     the oldest one is reused first.  Hence a set of PCs that the slots have
     room for is stored only once, whatever the cache held before.  */
  uint32_t used;
} __attribute__ ((aligned (64)));

/* The number of predictions in a table of 1 << LOG2 slots.  At least 1 << 10:
   a shorter path does not distinguish recursive functions from their
   callers.  */
#define SFRAME_CACHE_PREDICTIONS(log2) (1U << ((log2) < 10 ? 10 : (log2)))

/* The bytes that a table of 1 << LOG2 slots takes.  */
#define SFRAME_CACHE_SIZE(log2)						\
  (sizeof (struct sframe_cache)						\
   + (sizeof (sframe_cache_entry) * SFRAME_CACHE_WAYS << (log2))	\
   + sizeof (sframe_cache_number) * SFRAME_CACHE_PREDICTIONS (log2)	\
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

/* The number of CACHE's slots, and its size in bytes.  */
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

/* The parts of CACHE.  An integer hides from the compiler that they lie beyond
   the object CACHE points to.  */
static inline sframe_cache_entry *
sframe_cache_entries (const struct sframe_cache *cache)
{
  uintptr_t head = (uintptr_t) cache;
  return (sframe_cache_entry *) (head + sizeof *cache);
}

/* The slot of the frame that last followed each path.  With it the processor
   loads the slot before it has loaded the return address, which halves the
   time for a frame.  */
static inline sframe_cache_number *
sframe_cache_predictions (const struct sframe_cache *cache)
{
  return (sframe_cache_entries (cache)
	  + SFRAME_CACHE_WAYS * (size_t) sframe_cache_slots (cache));
}

static inline struct sframe_cache_slot *
sframe_cache_slot (const struct sframe_cache *cache, uint32_t number)
{
  sframe_cache_number *end
    = (sframe_cache_predictions (cache)
       + SFRAME_CACHE_PREDICTIONS (sframe_cache_log2 (cache)));
  return (struct sframe_cache_slot *) end + number;
}

/* Write to each page of the first table's index and predictions: a page that
   is first read and then written takes two faults.  Another thread that
   already uses the table may lose an entry or a prediction.  */
static inline void
sframe_cache_prefault (struct sframe_cache *cache)
{
  const size_t page = 4096 / sizeof (sframe_cache_number);
  sframe_cache_entry *entries = sframe_cache_entries (cache);
  sframe_cache_number *end
    = (sframe_cache_predictions (cache)
       + SFRAME_CACHE_PREDICTIONS (sframe_cache_log2 (cache)));

  for (sframe_cache_entry *word = entries; word < end; word += page)
    __atomic_store_n (word, 0, __ATOMIC_RELAXED);
  __atomic_store_n (end - 1, 0, __ATOMIC_RELAXED);
}

/* A path has all bits of the last frame's slot number, and this many of that
   of the frame before.  */
#define SFRAME_CACHE_PATH_BITS 2

/* The path at the beginning of a trace: all bits of a path are set.  No frame
   leads to this path while the last slot is unused.  */
static inline uint32_t
sframe_cache_start (const struct sframe_cache *cache)
{
  return SFRAME_CACHE_PREDICTIONS (sframe_cache_log2 (cache)) - 1;
}

/* How far a path is shifted left for each frame, which leaves
   SFRAME_CACHE_PATH_BITS of it.  */
static inline unsigned int
sframe_cache_path_shift (const struct sframe_cache *cache)
{
  return (31 - __builtin_clz (sframe_cache_start (cache))
	  - (SFRAME_CACHE_PATH_BITS - 1));
}

/* The path that continues PATH by the frame of slot NUMBER; START is the path
   at the beginning of a trace.  It depends on NUMBER and on few bits of the
   frame before: fewer bits make the same path occur sooner again, but
   recursive functions must be distinguished from their callers.  NUMBER is the
   last operand, because it is available last.  It is in the low bits, so that
   the predictions for slots allocated in turn are close together.  */
static inline uint32_t
sframe_cache_path (uint32_t start, unsigned int shift, uint32_t path,
		   uint32_t number)
{
  return (path << shift & start) ^ number;
}

/* A rule in one word.  From the most significant bit: the offset of the CFA
   (24 bits) from SP or FP; the offset of FP (16 bits) from the CFA; 8 bits for
   the flags below; the offset of RA (16 bits) from the CFA.  Each rule has
   either CALLER or OUTERMOST.  */
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
   been unloaded.  No process unloads 2**63 objects.  */
static inline uint64_t
sframe_cache_tag (uint64_t generation, bool interrupted)
{
  return generation << 1 | interrupted;
}

/* How far below a CFA that is computed from FP a cached rule may read.
   SP_OFFSET is the caller's SP minus the CFA.  */
static inline int32_t
sframe_cache_reach (int32_t sp_offset)
{
  return 2 * (int32_t) sizeof (uintptr_t) - sp_offset;
}

/* Whether the word at OFFSET from an aligned CFA is aligned and in the REACH
   bytes below the CFA.  */
static inline bool
sframe_cache_reaches (int32_t offset, int32_t reach)
{
  return (offset < 0 && offset >= -reach
	  && offset % (int32_t) sizeof (uintptr_t) == 0);
}

/* Whether a word has all that RULE says, apart from the size of its offsets:
   the CFA comes from SP or FP, RA and FP are saved near it.  */
static inline bool
sframe_cache_has_form (const struct sframe_rule *rule, unsigned int sp,
		       unsigned int fp)
{
  return (!rule->signal && rule->cfa.kind == SFRAME_REGISTER_VALUE
	  && (rule->cfa.reg == sp || rule->cfa.reg == fp)
	  && rule->ra.kind == SFRAME_CFA_MEMORY
	  && (rule->fp.kind == SFRAME_UNCHANGED
	      || rule->fp.kind == SFRAME_CFA_MEMORY));
}

/* The word of a caller's rule with these offsets, or 0 if they do not fit.
   FP_OFFSET is 0 if FP is not SAVED.  */
static inline uint64_t
sframe_cache_word (int32_t cfa_offset, int32_t ra_offset, int32_t fp_offset,
		   bool from_fp, bool saved)
{
  uint64_t word
    = ((uint64_t) cfa_offset << 40
       | (uint64_t) (uint16_t) fp_offset << 24
       | (uint64_t) (uint16_t) ra_offset
       | SFRAME_CACHE_CALLER
       | (from_fp ? SFRAME_CACHE_CFA_FROM_FP : 0)
       | (saved ? SFRAME_CACHE_FP_SAVED : 0));

  return (sframe_cache_cfa_offset (word) == cfa_offset
	  && sframe_cache_fp_offset (word) == fp_offset
	  && sframe_cache_ra_offset (word) == ra_offset) ? word : 0;
}

/* RULE as a word, or 0 if it cannot be cached.  SP and FP are the DWARF
   numbers of these registers.  FP_REACH is how far below a CFA that is
   computed from FP the rule may read.

   Invariant: from an aligned SP a cached rule computes an aligned CFA above
   SP; it reads words only between SP and the CFA or, if the CFA is computed
   from FP, in the FP_REACH bytes below it.  A CFA computed from SP
   needs no probe (sframe_stack_leap).  The rules of nearly all functions are
   such.  */
static inline uint64_t
sframe_cache_pack (const struct sframe_rule *rule, unsigned int sp,
		   unsigned int fp, int32_t sp_offset, int32_t fp_reach)
{
  const int32_t word_size = sizeof (uintptr_t);
  bool from_fp = rule->cfa.reg == fp;
  bool saved = rule->fp.kind != SFRAME_UNCHANGED;

  if (rule->outermost)
    return SFRAME_CACHE_OUTERMOST;
  if (!sframe_cache_has_form (rule, sp, fp))
    return 0;

  int32_t fp_offset = saved ? rule->fp.offset : 0;
  int32_t reach = from_fp ? fp_reach : rule->cfa.offset;
  if (rule->cfa.offset % word_size != 0
      || (!from_fp && (rule->cfa.offset <= -sp_offset
		       || sframe_stack_leap (-sp_offset, rule->cfa.offset)))
      || !sframe_cache_reaches (rule->ra.offset, reach)
      || (saved && !sframe_cache_reaches (fp_offset, reach)))
    return 0;
  return sframe_cache_word (rule->cfa.offset, rule->ra.offset, fp_offset,
			    from_fp, saved);
}

/* Multiply by 2**64 divided by the golden ratio, which puts neighbouring PCs
   far apart.  */
static inline uint64_t
sframe_cache_hash (uint64_t pc)
{
  return pc * UINT64_C (0x9e3779b97f4a7c15);
}

/* The entries that a PC may have: two buckets of the index.  */
struct sframe_cache_buckets
{
  sframe_cache_entry *entry[SFRAME_CACHE_CHOICES / SFRAME_CACHE_WAYS];
};

/* The buckets in CACHE of a PC with this HASH.  The first bits of HASH select
   one, the next bits the other.  */
static inline struct sframe_cache_buckets
sframe_cache_buckets (const struct sframe_cache *cache, uint64_t hash)
{
  unsigned int log2 = sframe_cache_log2 (cache);
  sframe_cache_entry *entries = sframe_cache_entries (cache);

  return (struct sframe_cache_buckets)
    { { entries + (hash >> (64 - log2)) * SFRAME_CACHE_WAYS,
	entries + (hash << log2 >> (64 - log2)) * SFRAME_CACHE_WAYS } };
}

/* One of the entries in BUCKETS.  */
static inline sframe_cache_entry *
sframe_cache_choice (const struct sframe_cache_buckets *buckets, int choice)
{
  return (buckets->entry[choice / SFRAME_CACHE_WAYS]
	  + choice % SFRAME_CACHE_WAYS);
}

/* The entry for slot NUMBER, which holds a PC with this HASH.  */
static inline sframe_cache_entry
sframe_cache_make_entry (uint64_t hash, uint32_t number)
{
  const uint32_t used = 1U << (SFRAME_CACHE_ENTRY_BITS - 1);

  return (number << SFRAME_CACHE_ENTRY_BITS | used
	  | (hash >> 16 & (used - 1)));
}

/* The number of the slot that ENTRY refers to.  */
static inline uint32_t
sframe_cache_entry_number (sframe_cache_entry entry)
{
  return entry >> SFRAME_CACHE_ENTRY_BITS;
}

/* The rule in SLOT if it is that of PC and TAG, otherwise 0.  */
static inline uint64_t
sframe_cache_read (const struct sframe_cache_slot *slot, uint64_t pc,
		   uint64_t tag)
{
  /* Pairs with the release store of the version in sframe_cache_write.  */
  uint64_t version = __atomic_load_n (&slot->version, __ATOMIC_ACQUIRE);
  uint64_t slot_pc = __atomic_load_n (&slot->pc, __ATOMIC_RELAXED);
  uint64_t rule = __atomic_load_n (&slot->rule, __ATOMIC_RELAXED);
  uint64_t slot_tag = __atomic_load_n (&slot->tag, __ATOMIC_RELAXED);

  /* Pairs with the release fence in sframe_cache_write: orders the loads above
     before the second load of the version.  */
  __atomic_thread_fence (__ATOMIC_ACQUIRE);
  /* Most slots read are the right ones: the prediction holds for most
     frames.  */
  bool good = (slot_pc == pc && slot_tag == tag && version % 2 == 0
	       && (__atomic_load_n (&slot->version, __ATOMIC_RELAXED)
		   == version));
  return __builtin_expect (good, true) ? rule : 0;
}

/* Store RULE, the one of PC and TAG, in SLOT.  Return false if the slot is
   being written, by another thread or by the code that a signal handler has
   interrupted.  */
static inline bool
sframe_cache_write (struct sframe_cache_slot *slot, uint64_t pc, uint64_t tag,
		    uint64_t rule)
{
  uint64_t version = __atomic_load_n (&slot->version, __ATOMIC_RELAXED);

  /* The acquire pairs with the release store of the version by the last
     writer: its stores come before those below.  */
  if (version % 2 != 0
      || !__atomic_compare_exchange_n (&slot->version, &version, version + 1,
				       false, __ATOMIC_ACQUIRE,
				       __ATOMIC_RELAXED))
    return false;
  /* Pairs with the acquire fence in sframe_cache_read: a reader that sees one
     of the stores below also sees the odd version.  */
  __atomic_thread_fence (__ATOMIC_RELEASE);
  __atomic_store_n (&slot->pc, pc, __ATOMIC_RELAXED);
  __atomic_store_n (&slot->rule, rule, __ATOMIC_RELAXED);
  __atomic_store_n (&slot->tag, tag, __ATOMIC_RELAXED);
  /* Pairs with the acquire load of the version in sframe_cache_read.  */
  __atomic_store_n (&slot->version, version + 2, __ATOMIC_RELEASE);
  return true;
}

/* The result of a lookup: the rule, or 0 if there is none, and the number of
   its slot.  */
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
  struct sframe_cache_buckets buckets = sframe_cache_buckets (cache, hash);

#pragma GCC unroll SFRAME_CACHE_CHOICES
  for (int i = 0; i < SFRAME_CACHE_CHOICES; ++i)
    {
      sframe_cache_entry entry
	= __atomic_load_n (sframe_cache_choice (&buckets, i),
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

/* Whether the first bucket of PC in CACHE seems to have PC, as most PCs in
   CACHE do.  If not, PC is going to be looked up: begin to load the other
   bucket.  Reads no slot and has no branch, to take little time where nothing
   is in the processor's cache.  */
static inline bool
sframe_cache_seems_to_have (const struct sframe_cache *cache, uint64_t pc)
{
  uint64_t hash = sframe_cache_hash (pc);
  sframe_cache_entry like = sframe_cache_make_entry (hash, 0);
  struct sframe_cache_buckets buckets = sframe_cache_buckets (cache, hash);
  bool found = false;

#pragma GCC unroll SFRAME_CACHE_WAYS
  for (int i = 0; i < SFRAME_CACHE_WAYS; ++i)
    {
      sframe_cache_entry entry
	= __atomic_load_n (buckets.entry[0] + i, __ATOMIC_RELAXED);
      found |= (entry ^ like) << (32 - SFRAME_CACHE_ENTRY_BITS) == 0;
    }
  __builtin_prefetch (found ? buckets.entry[0] : buckets.entry[1]);
  return found;
}

/* Replace by NEW the first entry for HASH that is OLD.  Return whether there
   was one.  Not atomic: if two threads replace the same entry, one of them
   loses its entry, and the next lookup misses; a locked instruction for each
   rule would cost more.  */
static inline bool
sframe_cache_exchange (struct sframe_cache *cache, uint64_t hash,
		       sframe_cache_entry old, sframe_cache_entry new)
{
  struct sframe_cache_buckets buckets = sframe_cache_buckets (cache, hash);

#pragma GCC unroll SFRAME_CACHE_CHOICES
  for (int i = 0; i < SFRAME_CACHE_CHOICES; ++i)
    {
      sframe_cache_entry *entry = sframe_cache_choice (&buckets, i);
      if (__atomic_load_n (entry, __ATOMIC_RELAXED) == old)
	{
	  __atomic_store_n (entry, new, __ATOMIC_RELAXED);
	  return true;
	}
    }
  return false;
}

/* Replace by NEW the first entry for HASH whose slot has a rule of an earlier
   generation than TAG: no new trace looks for that.  Return whether there was
   one.  Not atomic, either.  */
static inline bool
sframe_cache_replace_old (struct sframe_cache *cache, uint64_t hash,
			  uint64_t tag, sframe_cache_entry new)
{
  struct sframe_cache_buckets buckets = sframe_cache_buckets (cache, hash);

  for (int i = 0; i < SFRAME_CACHE_CHOICES; ++i)
    {
      sframe_cache_entry *entry = sframe_cache_choice (&buckets, i);
      uint32_t number
	= sframe_cache_entry_number (__atomic_load_n (entry,
						      __ATOMIC_RELAXED));
      uint64_t other
	= __atomic_load_n (&sframe_cache_slot (cache, number)->tag,
			   __ATOMIC_RELAXED);
      if (other >> 1 < tag >> 1)
	{
	  __atomic_store_n (entry, new, __ATOMIC_RELAXED);
	  return true;
	}
    }
  return false;
}

/* Enter slot NUMBER, which holds the rule of PC and TAG, in the index.  A
   lookup does not find an entry that is being moved.  The entry that is left
   over after the last move is lost: the next lookup misses, and its rule is
   added again.  */
static inline void
sframe_cache_enter (struct sframe_cache *cache, uint64_t pc, uint64_t tag,
		    uint32_t number)
{
  for (int moves = 0; moves < SFRAME_CACHE_MOVES; ++moves)
    {
      uint64_t hash = sframe_cache_hash (pc);
      sframe_cache_entry entry = sframe_cache_make_entry (hash, number);
      if (sframe_cache_exchange (cache, hash, 0, entry)
	  || sframe_cache_replace_old (cache, hash, tag, entry))
	return;

      struct sframe_cache_buckets buckets = sframe_cache_buckets (cache, hash);
      int choice = moves % SFRAME_CACHE_CHOICES;
      sframe_cache_entry other
	= __atomic_exchange_n (sframe_cache_choice (&buckets, choice),
			       entry, __ATOMIC_RELAXED);
      number = sframe_cache_entry_number (other);
      pc = __atomic_load_n (&sframe_cache_slot (cache, number)->pc,
			    __ATOMIC_RELAXED);
      /* The slot has been reused since, in a race: drop the entry.  */
      if (other != sframe_cache_make_entry (sframe_cache_hash (pc), number))
	return;
    }
}

/* Store RULE, the one of PC and TAG, in the cache, which does not hold it yet.
   Store its slot in *NUMBER.  Return false if that slot is being written.  */
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
  sframe_cache_enter (cache, pc, tag, *number);
  return true;
}

#endif /* _SFRAME_CACHE_H  */
