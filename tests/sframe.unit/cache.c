/* The cache of rules: which rules fit in a word, which PCs stay, torn slots.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The last cases look for a rule that was never stored for the PC under which
   it was found.  A read or a write is interrupted at each of its instructions
   by other reads and writes, and threads read and write at the same time.
   cache.litmus checks the same in the memory model of C.  */

#include <pthread.h>
#include <sframe-cache.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { SP = 7, FP = 6, PCS = 64, THREADS = 4, ROUNDS = 400000 };

/* That of most cases.  */
enum { LOG2 = SFRAME_CACHE_LOG2_SECOND, SLOTS = 1 << LOG2 };

static struct sframe_cache *cache;

/* A table as __sframe_cache_grow makes it.  */
static struct sframe_cache *
new_table (unsigned int log2)
{
  size_t size = SFRAME_CACHE_SIZE (log2);
  struct sframe_cache *table
    = aligned_alloc (_Alignof (struct sframe_cache), (size + 63) & -64);

  require (table != NULL, "aligned_alloc");
  memset (table, 0, size);
  table->larger = log2 - SFRAME_CACHE_LOG2_FIRST;
  return table;
}

static struct sframe_rule
plain_rule (unsigned int base, int32_t cfa, int32_t ra, int32_t fp)
{
  return (struct sframe_rule)
    {
      .cfa = { .kind = SFRAME_REGISTER_VALUE, .reg = base, .offset = cfa },
      .ra = { .kind = SFRAME_CFA_MEMORY, .offset = ra },
      .fp = { .kind = fp != 0 ? SFRAME_CFA_MEMORY : SFRAME_UNCHANGED,
	      .offset = fp },
    };
}

/* Whether WORD is RULE in one word.  */
static bool
says (uint64_t word, const struct sframe_rule *rule)
{
  bool saved = (word & SFRAME_CACHE_FP_SAVED) != 0;

  return ((word & SFRAME_CACHE_CALLER) != 0
	  && (word & SFRAME_CACHE_OUTERMOST) == 0
	  && ((word & SFRAME_CACHE_CFA_FROM_FP) != 0) == (rule->cfa.reg == FP)
	  && sframe_cache_cfa_offset (word) == rule->cfa.offset
	  && sframe_cache_ra_offset (word) == rule->ra.offset
	  && saved == (rule->fp.kind == SFRAME_CFA_MEMORY)
	  && (!saved || sframe_cache_fp_offset (word) == rule->fp.offset));
}

/* RULE in a word, on a machine where the caller's SP is the CFA + SP_OFFSET
   and FP and RA can only be in the two words below the CFA.  */
static uint64_t
pack_below (const struct sframe_rule *rule, int32_t sp_offset)
{
  return sframe_cache_pack (rule, SP, FP, sp_offset,
			    sframe_cache_reach (sp_offset));
}

/* The same where a call pushes the RA.  */
static uint64_t
pack (const struct sframe_rule *rule)
{
  return pack_below (rule, 0);
}

static void
offsets_at_the_limits_of_their_bits (void)
{
  static const int32_t cfa[] = { SFRAME_LEAP, 0x8000 };
  static const int32_t near[] = { -8, -16, -0x8000 };

  for (unsigned int i = 0; i < sizeof cfa / sizeof *cfa; ++i)
    for (unsigned int j = 0; j < sizeof near / sizeof *near; ++j)
      for (unsigned int k = 0; k <= sizeof near / sizeof *near; ++k)
	{
	  struct sframe_rule rule
	    = plain_rule (SP, cfa[i], near[j], k > 0 ? near[k - 1] : 0);
	  CHECK (says (pack (&rule), &rule));
	}
}

static void
offsets_beyond_the_limits (void)
{
  struct sframe_rule rule = plain_rule (FP, 0x800000, -8, 0);
  CHECK (pack (&rule) == 0);
  rule = plain_rule (SP, 0x10000, -0x8008, 0);
  CHECK (pack (&rule) == 0);
  rule = plain_rule (SP, 0x10000, -8, -0x8008);
  CHECK (pack (&rule) == 0);
}

/* The CFA may lie anywhere as seen from FP, but not the words.  */
static void
words_by_a_cfa_from_fp (void)
{
  static const int32_t cfa[] = { 16, 0, -8, 0x7ffff8, -0x800000 };

  for (unsigned int i = 0; i < sizeof cfa / sizeof *cfa; ++i)
    {
      struct sframe_rule rule = plain_rule (FP, cfa[i], -8, -16);
      CHECK (says (pack (&rule), &rule));
      rule = plain_rule (FP, cfa[i], -16, 0);
      CHECK (says (pack (&rule), &rule));
      rule = plain_rule (FP, cfa[i], -8, -24);
      CHECK (pack (&rule) == 0);
      rule = plain_rule (FP, cfa[i], -24, -8);
      CHECK (pack (&rule) == 0);
    }
}

/* A step by a cached rule does not probe.  */
static void
a_leap_from_sp (void)
{
  struct sframe_rule rule = plain_rule (SP, SFRAME_LEAP + 8, -8, 0);
  CHECK (pack (&rule) == 0);
  rule.cfa.offset = 0x7ffff8;
  CHECK (pack (&rule) == 0);
  /* The leap is measured up to the caller's SP, which is below the CFA.  */
  rule = plain_rule (SP, SFRAME_LEAP + 160, -48, 0);
  CHECK (says (pack_below (&rule, -160), &rule));
  rule.cfa.offset += 8;
  CHECK (pack_below (&rule, -160) == 0);
}

static void
words_that_are_not_between_sp_and_cfa (void)
{
  static const int32_t outside[] = { 0, 8, 0x7ff8, -40, -0x8000 };

  for (unsigned int i = 0; i < sizeof outside / sizeof *outside; ++i)
    {
      struct sframe_rule rule = plain_rule (SP, 32, -32, -8);
      CHECK (says (pack (&rule), &rule));
      rule.ra.offset = outside[i];
      CHECK (pack (&rule) == 0);
      rule = plain_rule (SP, 32, -8, -32);
      CHECK (says (pack (&rule), &rule));
      rule.fp.offset = outside[i];
      CHECK (pack (&rule) == 0);
    }
}

static void
a_stack_that_does_not_shrink (void)
{
  struct sframe_rule rule = plain_rule (SP, 0, -8, 0);
  CHECK (pack (&rule) == 0);
  rule = plain_rule (SP, -16, -8, 0);
  CHECK (pack (&rule) == 0);
  /* The caller has a save area below the CFA.  */
  rule = plain_rule (SP, 160, -48, -72);
  CHECK (says (pack (&rule), &rule));
  CHECK (pack_below (&rule, -160) == 0);
  rule.cfa.offset = 168;
  CHECK (says (pack_below (&rule, -160), &rule));
  rule = plain_rule (FP, 0, -48, -176);
  CHECK (says (pack_below (&rule, -160), &rule));
}

static void
offsets_that_are_not_aligned (void)
{
  for (int32_t byte = 1; byte < 8; ++byte)
    {
      struct sframe_rule rule = plain_rule (SP, 32 + byte, -8, -16);
      CHECK (pack (&rule) == 0);
      rule = plain_rule (SP, 32, -8 - byte, -16);
      CHECK (pack (&rule) == 0);
      rule = plain_rule (SP, 32, -8, -16 - byte);
      CHECK (pack (&rule) == 0);
    }
}

static void
rules_of_other_kinds (void)
{
  struct sframe_rule rule = plain_rule (3, 16, -8, 0);
  CHECK (pack (&rule) == 0);
  rule = plain_rule (SP, 16, -8, 0);
  rule.cfa.kind = SFRAME_REGISTER_MEMORY;
  CHECK (pack (&rule) == 0);
  rule = plain_rule (SP, 16, -8, 0);
  rule.signal = true;
  CHECK (pack (&rule) == 0);
  for (int kind = SFRAME_UNCHANGED; kind <= SFRAME_REGISTER_MEMORY; ++kind)
    {
      rule = plain_rule (SP, 16, -8, 0);
      rule.ra.kind = kind;
      CHECK ((pack (&rule) != 0) == (kind == SFRAME_CFA_MEMORY));
      rule = plain_rule (SP, 16, -8, -16);
      rule.fp.kind = kind;
      CHECK ((pack (&rule) != 0)
	     == (kind == SFRAME_CFA_MEMORY || kind == SFRAME_UNCHANGED));
    }
}

static void
outermost_frame (void)
{
  struct sframe_rule rule = { .outermost = true };
  uint64_t word = pack (&rule);
  CHECK ((word & SFRAME_CACHE_CALLER) == 0);
  CHECK ((word & SFRAME_CACHE_OUTERMOST) != 0);
}

/* The I-th PC, from 0, that has the two buckets of PC 1: that of a hash which
   differs below their bits.  */
static uint64_t
rival (unsigned int i)
{
  const uint64_t factor = sframe_cache_hash (1);
  uint64_t inverse = factor, hash = factor + i * UINT64_C (0x1234567);

  /* Each round doubles the bits that are right, of which there are 3.  */
  for (int round = 0; round < 5; ++round)
    inverse *= 2 - factor * inverse;
  CHECK (sframe_cache_hash (hash * inverse) == hash);
  CHECK ((factor ^ hash) >> (64 - 2 * LOG2) == 0);
  return hash * inverse;
}

static uint64_t
look_up (uint64_t pc, uint64_t tag)
{
  return sframe_cache_find (cache, pc, tag).rule;
}

/* As a trace does for a rule that the cache may already hold.  */
static bool
store_in (struct sframe_cache *where, uint64_t pc, uint64_t tag, uint64_t rule,
	  uint32_t *number)
{
  struct sframe_cache_found found = sframe_cache_find (where, pc, tag);

  *number = found.number;
  return (found.rule == rule
	  || sframe_cache_add (where, pc, tag, rule, number));
}

static bool
store (uint64_t pc, uint64_t tag, uint64_t rule)
{
  uint32_t number;

  return store_in (cache, pc, tag, rule, &number);
}

static void
interrupted_frames_have_rules_of_their_own (void)
{
  store (0x5555, sframe_cache_tag (1, false), 11);
  CHECK (look_up (0x5555, sframe_cache_tag (1, true)) == 0);
  CHECK (look_up (0x5555, sframe_cache_tag (1, false)) == 11);
  /* Counts that differ in any one bit are different.  */
  CHECK (look_up (0x5555, sframe_cache_tag (0, false)) == 0);
  for (unsigned int bit = 1; bit < 63; ++bit)
    CHECK (look_up (0x5555, sframe_cache_tag (1 | UINT64_C (1) << bit, false))
	   == 0);
}

static void
an_unused_slot_is_no_rule_of_address_0 (void)
{
  CHECK (look_up (0, 0) == 0);
}

static void
rivals_share_two_buckets (void)
{
  unsigned int kept = 0;

  for (unsigned int i = 0; i <= SFRAME_CACHE_CHOICES; ++i)
    {
      store (rival (i), 0, 11 + i);
      for (unsigned int j = 0; j <= i && i < SFRAME_CACHE_CHOICES; ++j)
	CHECK (look_up (rival (j), 0) == 11 + j);
    }
  for (unsigned int i = 0; i <= SFRAME_CACHE_CHOICES; ++i)
    kept += look_up (rival (i), 0) == 11 + i;
  CHECK (kept == SFRAME_CACHE_CHOICES);
}

static void
a_rule_stored_twice_takes_one_slot (void)
{
  uint64_t a = rival (0), b = rival (1);
  store (a, 0, 11);
  store (b, 0, 13);
  uint32_t used = cache->used;
  store (b, 0, 13);
  store (a, 0, 11);
  CHECK (cache->used == used);
  CHECK (look_up (a, 0) == 11);
  CHECK (look_up (b, 0) == 13);
}

/* The parts of a table follow each other, and fill it.  */
static void
parts_of_a_table (void)
{
  for (unsigned int log2 = SFRAME_CACHE_LOG2_FIRST;
       log2 <= SFRAME_CACHE_LOG2_LAST; ++log2)
    {
      struct sframe_cache *table = new_table (log2);
      uint32_t slots = sframe_cache_slots (table);
      uint32_t path = sframe_cache_start (table);

      CHECK (slots == 1U << log2);
      CHECK ((void *) sframe_cache_entries (table) == table + 1);
      struct sframe_cache_buckets buckets
	= sframe_cache_buckets (table, UINT64_MAX);
      CHECK (sframe_cache_choice (&buckets, SFRAME_CACHE_WAYS - 1)
	     == sframe_cache_predictions (table) - 1);
      CHECK ((void *) (sframe_cache_predictions (table) + path + 1)
	     == sframe_cache_slot (table, 0));
      CHECK ((char *) sframe_cache_slot (table, slots)
	     == (char *) table + sframe_cache_size (table));
      CHECK ((uintptr_t) sframe_cache_slot (table, 0)
	     % sizeof (struct sframe_cache_slot) == 0);
      for (uint32_t i = 0; i < slots; i += 1 + i / 7)
	CHECK ((path = sframe_cache_path (sframe_cache_start (table),
					  sframe_cache_path_shift (table),
					  path, i))
	       <= sframe_cache_start (table));
      free (table);
    }
}

/* A path depends on the last slot, and on two bits of the one before.  */
static void
paths_of_two_frames (void)
{
  for (unsigned int log2 = SFRAME_CACHE_LOG2_FIRST;
       log2 <= SFRAME_CACHE_LOG2_LAST; ++log2)
    {
      struct sframe_cache *table = new_table (log2);
      uint32_t start = sframe_cache_start (table), paths[8];

      for (uint32_t i = 0; i < 8; ++i)
	{
	  unsigned int shift = sframe_cache_path_shift (table);
	  uint32_t before = sframe_cache_path (start, shift, start, i);
	  paths[i] = sframe_cache_path (start, shift, before, 5);
	  for (uint32_t j = 0; j <= i; ++j)
	    CHECK ((paths[i] == paths[j]) == (i % 4 == j % 4));
	  CHECK (sframe_cache_path (start, shift, before, 6) != paths[i]);
	}
      free (table);
    }
}

/* Most of the time is spent in page faults.  */
static void
few_rules_take_few_pages (void)
{
  struct sframe_cache *fresh = new_table (LOG2);

  for (uint32_t i = 0; i < SLOTS; ++i)
    {
      uint32_t number;
      CHECK (store_in (fresh, 0x1000 + 5 * i, 0, 1 + i, &number));
      CHECK (number == i);
    }
  free (fresh);
}

static void
more_rules_than_slots (void)
{
  struct sframe_cache *full = new_table (LOG2);
  const uint32_t count = 2 * SLOTS;
  unsigned int kept = 0;

  for (uint32_t i = 0; i < count; ++i)
    {
      uint64_t pc = 0x1000 + 5 * i;
      uint32_t number;
      CHECK (store_in (full, pc, 0, 1 + i, &number));
      CHECK (number == i % SLOTS);
      CHECK (sframe_cache_find (full, pc, 0).rule == 1 + i);
    }
  for (uint32_t i = 0; i < count; ++i)
    {
      uint64_t rule = sframe_cache_find (full, 0x1000 + 5 * i, 0).rule;
      CHECK (rule == 0 || (i >= SLOTS && rule == 1 + i));
      kept += rule != 0;
    }
  CHECK (kept > SLOTS * 0.999);
  free (full);
}

/* Where COUNT PCs of a program lie: random, in functions of random length, or
   evenly spread.  */
enum layout { RANDOM, FUNCTIONS, EVEN, LAYOUTS };

static void
lay_out (enum layout layout, uint64_t *pcs, unsigned int count)
{
  for (unsigned int i = 0; i < count; ++i)
    {
      uint64_t random = ((uint64_t) rand () << 31 | rand ()) >> 15;
      uint64_t before = i == 0 ? random : pcs[i - 1];
      pcs[i] = (layout == RANDOM ? random
		: layout == FUNCTIONS ? before + 1 + random % 300
		: before + 16);
    }
}

/* Look for the rules of PCS and TAG, and add those that are not there, as
   traces do.  Return how many that were.  */
static unsigned int
visit_tagged (struct sframe_cache *where, const uint64_t *pcs,
	      unsigned int count, uint64_t tag)
{
  unsigned int missed = 0;

  for (unsigned int i = 0; i < count; ++i)
    if (sframe_cache_find (where, pcs[i], tag).rule == 0)
      {
	uint32_t number;
	CHECK (sframe_cache_add (where, pcs[i], tag, 1, &number));
	++missed;
      }
  return missed;
}

static unsigned int
visit (struct sframe_cache *where, const uint64_t *pcs, unsigned int count)
{
  return visit_tagged (where, pcs, count, 0);
}

/* Each of SETS sets of PCs is stored after others that have filled the cache.
   At most LOST of them may lose an entry.  */
static void
store_sets (unsigned int log2, unsigned int sets, unsigned int lost)
{
  struct sframe_cache *used = new_table (log2);
  const unsigned int room = (9U << log2) / 10;
  uint64_t *pcs = calloc (room, sizeof *pcs);
  unsigned int again = 0;

  require (pcs != NULL, "calloc");
  for (unsigned int i = 0; i < sets; ++i)
    {
      unsigned int count = i / LAYOUTS % 2 == 0 ? room / 2 : room;
      lay_out (i % LAYOUTS, pcs, count);
      CHECK (visit (used, pcs, count) == count);
      again += visit (used, pcs, count);
      CHECK (visit (used, pcs, count) == 0);
    }
  printf ("%u of %u sets lost an entry\n", again, sets);
  CHECK (again <= lost);
  free (pcs);
  free (used);
}

static void
a_set_with_room_is_stored_once (void)
{
  store_sets (SFRAME_CACHE_LOG2_FIRST, 6000, 3);
  store_sets (SFRAME_CACHE_LOG2_SECOND, 300, 3);
  store_sets (SFRAME_CACHE_LOG2_LAST, 18, 3);
}

/* A set of which part was there before, anywhere: no PC is stored twice.  */
static void
a_set_that_changes (void)
{
  struct sframe_cache *used = new_table (LOG2);
  static uint64_t pcs[SLOTS * 9 / 10];
  const unsigned int count = sizeof pcs / sizeof pcs[0];

  lay_out (FUNCTIONS, pcs, count);
  visit (used, pcs, count);
  for (unsigned int i = 0; i < 50; ++i)
    {
      unsigned int missed = 0;
      lay_out (FUNCTIONS, pcs + i * 60, 60);
      for (unsigned int round = 0; round < 100; ++round)
	missed += visit (used, pcs, count);
      CHECK (missed >= 60 && missed <= count);
    }
  free (used);
}

/* The same PCs after objects were unloaded: their old rules do not keep the
   new ones out of the index, although the slots have room for many.  */
static void
a_set_of_many_generations (void)
{
  static uint64_t pcs[300];
  const unsigned int count = sizeof pcs / sizeof pcs[0];

  for (enum layout layout = RANDOM; layout < LAYOUTS; ++layout)
    {
      struct sframe_cache *used = new_table (SFRAME_CACHE_LOG2_SECOND);
      lay_out (layout, pcs, count);
      for (uint64_t generation = 0; generation < 100; ++generation)
	for (int interrupted = 0; interrupted < 2; ++interrupted)
	  {
	    uint64_t tag = sframe_cache_tag (generation, interrupted);
	    CHECK (visit_tagged (used, pcs, count, tag) == count);
	    CHECK (visit_tagged (used, pcs, count, tag) == 0);
	  }
      CHECK (used->used == 100 * 2 * count);
      free (used);
    }
}

/* Entries that races have left, of slots that are other PCs' now, give way.  */
static void
entries_that_lead_nowhere (void)
{
  struct sframe_cache *raced = new_table (LOG2);
  static uint64_t pcs[SLOTS * 9 / 10];
  const unsigned int count = sizeof pcs / sizeof pcs[0];
  sframe_cache_entry *entries = sframe_cache_entries (raced);

  lay_out (RANDOM, pcs, count);
  visit (raced, pcs, count);
  for (unsigned int i = 0; i < SLOTS * SFRAME_CACHE_WAYS; ++i)
    entries[i]
      = sframe_cache_make_entry ((entries[i] + 1) << 16, i % count);
  lay_out (RANDOM, pcs, count);
  CHECK (visit (raced, pcs, count) == count);
  CHECK (visit (raced, pcs, count) < count / 100);
  CHECK (visit (raced, pcs, count) == 0);
  free (raced);
}

static void
rules_of_an_unloaded_object (void)
{
  uint64_t a = rival (0), b = rival (1);
  store (a, 1, 11);
  store (b, 1, 13);
  CHECK (look_up (a, 1) == 11);
  CHECK (look_up (a, 2) == 0);
  store (b, 2, 15);
  CHECK (look_up (b, 2) == 15);
  CHECK (look_up (b, 1) == 13);
}

static void
a_slot_that_is_being_written (void)
{
  uint64_t pc = rival (0);
  store (pc, 0, 11);
  CHECK (look_up (pc, 0) == 11);
  struct sframe_cache_slot *slot
    = sframe_cache_slot (cache, sframe_cache_find (cache, pc, 0).number);
  ++slot->version;
  CHECK (look_up (pc, 0) == 0);
  CHECK (!sframe_cache_write (slot, pc, 0, 11));
  CHECK (slot->version % 2 == 1);
}

/* All bits of the rule depend on all bits of the PC: parts of another rule are
   detected.  */
static uint64_t
stress_rule (uint64_t pc, uint64_t tag)
{
  uint64_t rule = (pc ^ tag << 32)
		  * UINT64_C (0xff51afd7ed558ccd);
  return (rule ^ rule >> 33) | 1;
}

#ifdef __x86_64__
enum { TRAP_FLAG = 0x100 };

/* The processor traps after each instruction of ACTION; after the one with
   number INTERRUPT_AT, INTERRUPTION runs.  */
static volatile unsigned int instructions;
static volatile unsigned int interrupt_at;
static void (*volatile interruption) (void);

static void
on_trap (int signal __attribute__ ((unused)))
{
  if (++instructions == interrupt_at)
    interruption ();
}

static __attribute__ ((noinline)) void
interrupted (void (*action) (void), unsigned int at)
{
  instructions = 0;
  interrupt_at = at;
  __builtin_ia32_writeeflags_u64 (__builtin_ia32_readeflags_u64 ()
				  | TRAP_FLAG);
  action ();
  __builtin_ia32_writeeflags_u64 (__builtin_ia32_readeflags_u64 ()
				  & ~(unsigned long long) TRAP_FLAG);
}

/* Run ACTION, interrupted by OTHER at each of its instructions; run START
   before each time and VERIFY after it.  */
static void
interrupted_everywhere (void (*start) (void), void (*action) (void),
			void (*other) (void), void (*verify) (void))
{
  unsigned int at = 0;

  require (signal (SIGTRAP, on_trap) != SIG_ERR, "signal");
  interruption = other;
  do
    {
      start ();
      interrupted (action, ++at);
      verify ();
    }
  while (at < instructions);
  CHECK (at > 20);
}

/* These cases use only slot 0.  */
static uint64_t found;

static bool
is_rule_of (uint64_t rule, uint64_t pc)
{
  return rule == 0 || rule == stress_rule (pc, 0);
}

static void
write_pc (uint64_t pc)
{
  sframe_cache_write (sframe_cache_slot (cache, 0), pc, 0, stress_rule (pc, 0));
}

static void
write_1 (void)
{
  write_pc (1);
}

static void
write_2 (void)
{
  write_pc (2);
}

static void
write_2_and_1 (void)
{
  write_pc (2);
  write_pc (1);
}

static void
read_1 (void)
{
  found = sframe_cache_read (sframe_cache_slot (cache, 0), 1, 0);
}

static void
read_all (void)
{
  for (uint64_t pc = 1; pc <= 3; ++pc)
    CHECK (is_rule_of (sframe_cache_read (sframe_cache_slot (cache, 0), pc, 0),
		       pc));
}

static void
write_3_and_read_all (void)
{
  write_pc (3);
  read_all ();
}

static void
found_is_right (void)
{
  CHECK (is_rule_of (found, 1));
}

static void
all_is_right_and_the_slot_free (void)
{
  read_all ();
  CHECK (sframe_cache_slot (cache, 0)->version % 2 == 0);
}

static void
a_read_interrupted_by_writes (void)
{
  interrupted_everywhere (write_1, read_1, write_2, found_is_right);
  interrupted_everywhere (write_1, read_1, write_2_and_1, found_is_right);
}

static void
a_write_interrupted_by_reads_and_writes (void)
{
  interrupted_everywhere (write_1, write_2, write_3_and_read_all,
			  all_is_right_and_the_slot_free);
}
#endif

static uint64_t stress_pcs[PCS];
static unsigned long int stress_found[THREADS];
static unsigned long int stress_wrong[THREADS];

static void *
stress_thread (void *number)
{
  unsigned int me = *(unsigned int *) number, state = me + 1;

  for (unsigned int i = 0; i < ROUNDS; ++i)
    {
      state = state * 1664525 + 1013904223;
      uint64_t pc = stress_pcs[(state >> 24) % PCS];
      uint64_t tag = i / 1000;
      uint64_t rule = look_up (pc, tag);
      stress_found[me] += rule != 0;
      stress_wrong[me] += rule != 0 && rule != stress_rule (pc, tag);
      if (rule == 0)
	store (pc, tag, stress_rule (pc, tag));
    }
  return NULL;
}

static void
torn_between_threads (void)
{
  pthread_t threads[THREADS];
  unsigned int numbers[THREADS];

  for (unsigned int i = 0; i < PCS; ++i)
    stress_pcs[i] = rival (i);
  for (unsigned int i = 0; i < THREADS; ++i)
    {
      numbers[i] = i;
      require (pthread_create (&threads[i], NULL, stress_thread,
			       &numbers[i]) == 0, "pthread_create");
    }
  for (unsigned int i = 0; i < THREADS; ++i)
    {
      require (pthread_join (threads[i], NULL) == 0, "pthread_join");
      CHECK (stress_found[i] > 0);
      CHECK (stress_wrong[i] == 0);
    }
}

static const struct test_case cases[] = {
  { "offsets at the limits of their bits",
    offsets_at_the_limits_of_their_bits },
  { "offsets beyond the limits", offsets_beyond_the_limits },
  { "words by a CFA from FP", words_by_a_cfa_from_fp },
  { "a leap from SP", a_leap_from_sp },
  { "words that are not between SP and CFA",
    words_that_are_not_between_sp_and_cfa },
  { "a stack that does not shrink", a_stack_that_does_not_shrink },
  { "offsets that are not aligned", offsets_that_are_not_aligned },
  { "rules of other kinds", rules_of_other_kinds },
  { "outermost frame", outermost_frame },
  { "interrupted frames have rules of their own",
    interrupted_frames_have_rules_of_their_own },
  { "an unused slot is no rule of address 0",
    an_unused_slot_is_no_rule_of_address_0 },
  { "rivals share two buckets", rivals_share_two_buckets },
  { "a rule stored twice takes one slot",
    a_rule_stored_twice_takes_one_slot },
  { "parts of a table", parts_of_a_table },
  { "paths of two frames", paths_of_two_frames },
  { "few rules take few pages", few_rules_take_few_pages },
  { "more rules than slots", more_rules_than_slots },
  { "a set with room is stored once", a_set_with_room_is_stored_once },
  { "a set that changes", a_set_that_changes },
  { "a set of many generations", a_set_of_many_generations },
  { "entries that lead nowhere", entries_that_lead_nowhere },
  { "rules of an unloaded object", rules_of_an_unloaded_object },
  { "a slot that is being written", a_slot_that_is_being_written },
#ifdef __x86_64__
  { "a read interrupted by writes", a_read_interrupted_by_writes },
  { "a write interrupted by reads and writes",
    a_write_interrupted_by_reads_and_writes },
#endif
  { "torn between threads", torn_between_threads },
};

int
main (void)
{
  cache = new_table (LOG2);
  return run_cases (cases, sizeof cases / sizeof *cases);
}
