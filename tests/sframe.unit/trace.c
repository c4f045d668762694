/* Steps by cached rules, on a stack that is made here.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Frame I has two words, its FP and its return address, which is pcs[I + 1].
   Which words a step may read, and when another kind of step is needed, is
   described in debug/sframe-trace.h.  */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <sframe-cache.h>
#include <sframe-machine.h>
#include <sframe-trace.h>

#include "check.h"

enum { FRAMES = 8, ROOM = 32 };

static uintptr_t words[2 * FRAMES + ROOM], pcs[FRAMES + 1];
static void *array[FRAMES + 1];
static struct sframe_registers registers;
static struct sframe_trace trace;
static unsigned int growths, grown;

/* debug/sframe-grow.c, where there is no memory.  */
struct sframe_cache *
__sframe_cache_table (unsigned int number)
{
  return number == 1 ? &__sframe_cache.head : NULL;
}

void
__sframe_cache_grow (unsigned int number)
{
  ++growths;
  grown = number;
}

static uintptr_t
sp_of (int frame)
{
  return (uintptr_t) &words[2 * frame];
}

/* The rule of all frames: a CFA from SP, FP not saved.  */
static struct sframe_rule
some_rule (void)
{
  const int cfa = 2 * sizeof *words - SFRAME_MACHINE_SP_OFFSET;

  return (struct sframe_rule)
    { .cfa = { .kind = SFRAME_REGISTER_VALUE, .reg = SFRAME_MACHINE_SP,
	       .offset = cfa },
      .ra = { .kind = SFRAME_CFA_MEMORY,
	      .offset = (int) sizeof *words - cfa },
      .fp = { .kind = SFRAME_UNCHANGED } };
}

/* Be in frame NUMBER, with nothing stored.  */
static void
enter (int number)
{
  registers = (struct sframe_registers)
    { .pc = pcs[number],
      .known = (UINT64_C (1) << SFRAME_MACHINE_SP
		| UINT64_C (1) << SFRAME_MACHINE_FP) };
  registers.value[SFRAME_MACHINE_SP] = sp_of (number);
  memset (array, 0, sizeof array);
  trace = (struct sframe_trace)
    { .array = array, .size = FRAMES, .registers = &registers, .table = 1,
      .path = sframe_cache_start (&__sframe_cache.head),
      .stack = { .current = { (uintptr_t) words,
			      (uintptr_t) (words + 2 * FRAMES + ROOM) } } };
}

/* Cache RULE for frame NUMBER.  */
static uint64_t
cache_rule (int number, struct sframe_rule rule)
{
  enter (number);
  return __sframe_cache_rule (&trace, &rule);
}

/* Make the stack, and cache the rules of COUNT frames.  */
static void
start (int count)
{
  for (int i = 0; i <= FRAMES; ++i)
    pcs[i] = 0x1000 + 0x10 * i;
  for (int i = 0; i < FRAMES; ++i)
    words[2 * i + 1] = pcs[i + 1];
  for (int i = 0; i < count; ++i)
    cache_rule (i, some_rule ());
  enter (0);
}

/* Whether just the frames 1 up to COUNT were stored, and the trace is in the
   last of them.  */
static bool
went (int count)
{
  for (int i = 0; i <= FRAMES; ++i)
    if ((uintptr_t) array[i] != (i < count ? pcs[i + 1] : 0))
      return false;
  return (trace.count == count && registers.pc == pcs[count]
	  && registers.value[SFRAME_MACHINE_SP] == sp_of (count));
}

static void
up_to_a_frame_without_a_rule (void)
{
  start (3);
  registers.value[SFRAME_MACHINE_FP] = 0x4711;
  registers.moved_down = true;
  uint64_t known = registers.known;
  CHECK (__sframe_walk_cached (&trace) == SFRAME_STEP_CALLER);
  CHECK (went (3) && trace.missed);
  CHECK (registers.known == known && !registers.moved_down);
  CHECK (registers.value[SFRAME_MACHINE_FP] == 0x4711);
  /* It is looked up once more, and found when it was stored.  */
  CHECK (__sframe_walk_cached (&trace) == SFRAME_STEP_CALLER);
  CHECK (went (3) && trace.missed);
  struct sframe_rule rule = some_rule ();
  CHECK (__sframe_cache_rule (&trace, &rule) != 0);
  CHECK (__sframe_walk_cached (&trace) == SFRAME_STEP_CALLER);
  CHECK (went (4) && trace.missed);
}

static void
up_to_the_outermost_frame (void)
{
  start (4);
  CHECK (cache_rule (4, (struct sframe_rule) { .outermost = true }) != 0);
  enter (0);
  CHECK (__sframe_walk_cached (&trace) == SFRAME_STEP_OUTERMOST);
  CHECK (went (4) && !trace.missed);
}

static void
up_to_a_return_address_of_0 (void)
{
  start (5);
  words[2 * 2 + 1] = pcs[3] = 0;
  CHECK (__sframe_walk_cached (&trace) == SFRAME_STEP_OUTERMOST);
  CHECK (trace.count == 2 && array[1] == (void *) pcs[2]);
}

static void
up_to_the_end_of_the_array (void)
{
  for (int size = 0; size <= FRAMES; ++size)
    {
      start (FRAMES);
      trace.size = size;
      CHECK (__sframe_walk_cached (&trace) == SFRAME_STEP_CALLER);
      CHECK (went (size));
    }
  /* Some of it is full already.  */
  start (FRAMES);
  array[0] = (void *) pcs[1];
  enter (1);
  array[0] = (void *) pcs[1];
  trace.count = 1;
  trace.size = 4;
  CHECK (__sframe_walk_cached (&trace) == SFRAME_STEP_CALLER);
  CHECK (went (4));
}

static void
up_to_the_end_of_the_stack (void)
{
  for (int count = 1; count < FRAMES; ++count)
    {
      start (FRAMES);
      trace.stack.current.high = sp_of (count) - SFRAME_MACHINE_SP_OFFSET;
      CHECK (__sframe_walk_cached (&trace) == SFRAME_STEP_CALLER);
      CHECK (went (count));
      start (FRAMES);
      trace.stack.current.high = sp_of (count) - SFRAME_MACHINE_SP_OFFSET - 1;
      CHECK (__sframe_walk_cached (&trace) == SFRAME_STEP_CALLER);
      CHECK (went (count - 1));
    }
}

/* By frames of which not enough is known, or whose SP is not in the stack.  */
static void
not_from_there (void)
{
  start (FRAMES);
  registers.known = UINT64_C (1) << SFRAME_MACHINE_SP;
  CHECK (__sframe_walk_cached (&trace) == SFRAME_STEP_CALLER && went (0));

  start (FRAMES);
  registers.value[SFRAME_MACHINE_SP] += 1;
  CHECK (__sframe_walk_cached (&trace) == SFRAME_STEP_CALLER
	 && trace.count == 0);
  start (FRAMES);
  trace.stack.current.low += 1;
  CHECK (__sframe_walk_cached (&trace) == SFRAME_STEP_CALLER && went (0));
  start (FRAMES);
  trace.stack.current.high = sp_of (0) - 1;
  CHECK (__sframe_walk_cached (&trace) == SFRAME_STEP_CALLER && went (0));
}

/* An interrupted frame has a rule of its own; its callers are not
   interrupted.  */
static void
an_interrupted_frame (void)
{
  start (3);
  registers.interrupted = true;
  CHECK (__sframe_walk_cached (&trace) == SFRAME_STEP_CALLER && went (0));
  CHECK (registers.interrupted);
  struct sframe_rule rule = some_rule ();
  CHECK (__sframe_cache_rule (&trace, &rule) != 0);
  trace.missed = false;
  CHECK (__sframe_walk_cached (&trace) == SFRAME_STEP_CALLER && went (3));
  CHECK (!registers.interrupted);
}

static void
rules_of_another_generation (void)
{
  start (3);
  trace.generation = 1;
  CHECK (__sframe_walk_cached (&trace) == SFRAME_STEP_CALLER && went (0));
}

/* A rule with the CFA from FP.  */
static struct sframe_rule
rule_by_fp (void)
{
  struct sframe_rule rule = some_rule ();

  rule.cfa.reg = SFRAME_MACHINE_FP;
  rule.fp = (struct sframe_place) { .kind = SFRAME_CFA_MEMORY,
				    .offset = -rule.cfa.offset };
  return rule;
}

/* Frame 0 has its record where frame RECORD has, plus DISTANCE.  */
static void
start_by_fp (int record, uintptr_t distance)
{
  start (0);
  CHECK (cache_rule (0, rule_by_fp ()) != 0);
  enter (0);
  registers.value[SFRAME_MACHINE_FP] = sp_of (record) + distance;
}

static void
a_cfa_from_fp (void)
{
  start_by_fp (3, 0);
  words[2 * 3] = 0x4711;
  CHECK (__sframe_walk_cached (&trace) == SFRAME_STEP_CALLER);
  CHECK (trace.count == 1 && array[0] == (void *) pcs[4]);
  CHECK (registers.value[SFRAME_MACHINE_SP] == sp_of (4)
	 && registers.value[SFRAME_MACHINE_FP] == 0x4711);
}

/* An FP that is not aligned, below SP, or far above it leads nowhere without a
   probe.  */
static void
a_wild_fp (void)
{
  const uintptr_t distances[] = {
    1, 4, -sizeof *words, -2 * sizeof *words, SFRAME_LEAP, (uintptr_t) 1 << 63,
    -(uintptr_t) sp_of (0)
  };

  for (size_t i = 0; i < sizeof distances / sizeof *distances; ++i)
    {
      start_by_fp (0, distances[i]);
      uintptr_t fp = registers.value[SFRAME_MACHINE_FP];
      CHECK (__sframe_walk_cached (&trace) == SFRAME_STEP_CALLER && went (0));
      CHECK (registers.value[SFRAME_MACHINE_FP] == fp);
    }
  start_by_fp (0, 0);
  CHECK (__sframe_walk_cached (&trace) == SFRAME_STEP_CALLER && went (1));
}

static void
single_steps (void)
{
  start (0);
  uint64_t word = cache_rule (0, some_rule ());
  enter (0);
  CHECK (!__sframe_step_cached (&trace, 0) && went (0));
  CHECK (!__sframe_step_cached (&trace, SFRAME_CACHE_OUTERMOST) && went (0));
  registers.known = UINT64_C (1) << SFRAME_MACHINE_SP;
  CHECK (!__sframe_step_cached (&trace, word) && went (0));
  enter (0);
  CHECK (__sframe_step_cached (&trace, word));
  CHECK (registers.pc == pcs[1]
	 && registers.value[SFRAME_MACHINE_SP] == sp_of (1));
  CHECK (trace.count == 0);
}

static void
what_is_not_cached (void)
{
  struct sframe_rule rule = some_rule ();

  start (0);
  trace.table = 0;
  CHECK (__sframe_cache_rule (&trace, &rule) == 0);
  rule.signal = true;
  trace.table = 1;
  CHECK (__sframe_cache_rule (&trace, &rule) == 0);
  CHECK (__sframe_cache.head.used == 0 && growths == 0);
}

/* A larger table is wanted when the first slot is used, and used again.  */
static void
a_full_table (void)
{
  struct sframe_rule rule = some_rule ();
  uint32_t slots = sframe_cache_slots (&__sframe_cache.head);

  start (0);
  for (uint32_t i = 0; i < 2 * slots; ++i)
    {
      registers.pc = 0x100000 + 0x10 * i;
      CHECK (__sframe_cache_rule (&trace, &rule) != 0);
      CHECK (growths == 1 + i / slots && grown == 1);
    }
}

/* An interrupted trace, or another thread, is about to store a rule there.  */
static void
a_slot_that_is_being_written (void)
{
  start (0);
  ++sframe_cache_slot (&__sframe_cache.head, 0)->version;
  CHECK (cache_rule (0, some_rule ()) != 0);
  CHECK (sframe_cache_find (&__sframe_cache.head, pcs[0], 0).rule == 0);
  CHECK (trace.path == sframe_cache_start (&__sframe_cache.head));
  /* If that never ends, the other slots are full some day all the same.  */
  CHECK (growths == 1 && grown == 1);
}

/* No slot is taken for a rule that is there, be it in the first slot.  */
static void
a_rule_that_is_there (void)
{
  start (0);
  CHECK (cache_rule (0, some_rule ()) != 0 && growths == 1);
  for (int i = 0; i < 3; ++i)
    {
      trace.missed = false;
      CHECK (cache_rule (0, some_rule ()) != 0);
    }
  CHECK (growths == 1 && __sframe_cache.head.used == 1);
}

/* The next trace looks first where this one has stored or found a rule.  */
static void
predictions (void)
{
  start (0);
  cache_rule (3, some_rule ());
  cache_rule (0, some_rule ());
  CHECK (sframe_cache_predictions (&__sframe_cache.head)
	 [sframe_cache_start (&__sframe_cache.head)] == 1);
  start (4);
  __sframe_walk_cached (&trace);
  uint32_t path = sframe_cache_start (&__sframe_cache.head);
  uint32_t last = path;

  for (int i = 0; i < 4; ++i)
    {
      uint32_t slot
	= sframe_cache_find (&__sframe_cache.head, pcs[i], 0).number;
      CHECK (sframe_cache_predictions (&__sframe_cache.head)[path] == slot);
      path = sframe_cache_path (last,
				sframe_cache_path_shift (&__sframe_cache.head),
				path, slot);
    }
  CHECK (trace.path == path);

  enter (0);
  trace.missed = true;
  trace.size = 3;
  __sframe_walk_cached (&trace);
  CHECK (went (3) && !trace.missed);
  enter (0);
  trace.size = 3;
  __sframe_walk_cached (&trace);
  CHECK (went (3) && !trace.missed);
}

/* Those with a rule are dropped, the others stay in their order.  */
static void
return_addresses_without_a_rule (void)
{
  static uintptr_t some[FRAMES];
  uint8_t indices[FRAMES];

  start (3);
  for (int i = 0; i < FRAMES; ++i)
    some[i] = pcs[FRAMES - 1 - i];
  for (unsigned int room = 0; room <= FRAMES; ++room)
    for (unsigned int count = 0; count <= FRAMES; ++count)
      {
	unsigned int left = count < FRAMES - 3 ? count : FRAMES - 3;
	for (unsigned int i = 0; i < count; ++i)
	  indices[i] = i;
	left = left < room ? left : room;
	CHECK (__sframe_drop_cached (&trace, some, indices, count, room)
	       == left);
	for (unsigned int i = 0; i < left; ++i)
	  CHECK (indices[i] == i);
      }
  indices[0] = FRAMES - 1;
  indices[1] = 2;
  indices[2] = FRAMES - 2;
  indices[3] = 0;
  CHECK (__sframe_drop_cached (&trace, some, indices, 4, FRAMES) == 2
	 && indices[0] == 2 && indices[1] == 0);
  /* Without a table there is no rule.  */
  trace.table = 0;
  CHECK (__sframe_drop_cached (&trace, some, indices, 2, FRAMES) == 2
	 && __sframe_drop_cached (&trace, some, indices, 2, 1) == 1);
}

static const struct test_case cases[] = {
  { "up to a frame without a rule", up_to_a_frame_without_a_rule },
  { "up to the outermost frame", up_to_the_outermost_frame },
  { "up to a return address of 0", up_to_a_return_address_of_0 },
  { "up to the end of the array", up_to_the_end_of_the_array },
  { "up to the end of the stack", up_to_the_end_of_the_stack },
  { "not from frames of which not enough is known", not_from_there },
  { "an interrupted frame", an_interrupted_frame },
  { "rules of another generation", rules_of_another_generation },
  { "a CFA from FP", a_cfa_from_fp },
  { "a wild FP", a_wild_fp },
  { "single steps", single_steps },
  { "rules that cannot be cached", what_is_not_cached },
  { "a full table", a_full_table },
  { "a slot that is being written", a_slot_that_is_being_written },
  { "a rule that is there", a_rule_that_is_there },
  { "predictions", predictions },
  { "return addresses without a rule", return_addresses_without_a_rule },
};

int
main (void)
{
  return run_cases (cases, sizeof cases / sizeof *cases);
}
