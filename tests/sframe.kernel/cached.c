/* The kernel's cache of rules: which rules it holds, how long, and steps by
   them.
   SPDX-License-Identifier: GPL-2.0-only

   Each access to user memory is counted; the count shows whether a table was
   read.  */

#include <linux/unwind_uprobe.h>
#include <linux/unwind_user_types.h>

#include "process.h"

#include "sframe_cache.h"

enum
{
  TABLE = 0x10000, TEXT = 0x20000, TEXT_SIZE = 0x1000, STACK = 0x30000,
  STACK_SIZE = 0x2000, CODE = 0x28000, FRAMES = 64,
  SMALLEST = 4096, LARGEST = 262144
};
/* DWARF numbers.  */
enum { DI = 5, FP = 6, SP = 7 };

/* The number of words that a trace reads if all rules are cached: one for each
   frame.  */
#define WARM(frames) (frames)

static struct unwind_user_state state;
static unsigned long entries[FRAMES];
static struct unwind_stacktrace trace = { .entries = entries };

/* A process whose frames have 16 bytes each.  The number of a frame gives the
   place in TEXT to which it returns.  */
static void
start (void)
{
  new_process ();
  machine.may_cache = true;
  map (TABLE, TABLE + 0x1000, VM_READ);
  map (TEXT, TEXT + TEXT_SIZE, VM_READ | VM_EXEC);
  map (CODE, CODE + 0x1000, VM_READ | VM_EXEC);
  map (STACK, STACK + 0x1000, VM_READ | VM_WRITE);
  map (STACK + 0x1000, STACK + STACK_SIZE, VM_READ | VM_WRITE);
  put_table (TABLE, TEXT, TEXT_SIZE);
  for (unsigned long i = 0; i < STACK_SIZE / 16; ++i)
    {
      poke (STACK + i * 16, 0, 8);
      poke (STACK + i * 16 + 8, TEXT + 0x10 + i % 128 * 8, 8);
    }
  CHECK (sframe_add (TABLE, 0x100, TEXT, TEXT_SIZE) == 0);
}

static void
finish (void)
{
  end_process ();
  CHECK (machine.caches == 0);
  machine.may_cache = false;
}

/* The frame at STACK + OFFSET.  */
static void
at_frame (unsigned long offset)
{
  state = (struct unwind_user_state) {
    .ip = TEXT + 0x8, .sp = STACK + offset, .fp = STACK, .ws = 8,
    .sframe_cached = true,
    .available_types = UNWIND_USER_TYPE_SFRAME
  };
}

/* Unwind up to COUNT frames from STACK + OFFSET as unwind_user() does, and
   return how many there are.  */
static unsigned int
unwind (unsigned long offset, unsigned int count)
{
  at_frame (offset);
  memset (entries, 0, count * sizeof *entries);
  trace.nr = 0;
  while (!state.done)
    {
      entries[trace.nr++] = state.ip;
      sframe_unwind_cached (&state, &trace, count);
      if (trace.nr >= count || sframe_unwind_next (&state) != 0)
	break;
    }
  return trace.nr;
}

/* How often user memory is read by that.  */
static unsigned long
reads (unsigned long offset, unsigned int count)
{
  unsigned long before = machine.accesses;

  CHECK (unwind (offset, count) == count);
  for (unsigned int i = 1; i < count; ++i)
    CHECK (entries[i] == TEXT + 0x10 + (offset / 16 + i - 1) % 128 * 8);
  return machine.accesses - before;
}

static struct sframe_rule
some_rule (void)
{
  return (struct sframe_rule) {
    .cfa = { .kind = SFRAME_REG_VALUE, .reg = SP, .off = 16 },
    .ra = { .kind = SFRAME_CFA_MEMORY, .off = -8 },
    .fp = { .kind = SFRAME_UNCHANGED }
  };
}

static bool
same_place (const struct sframe_place *a, const struct sframe_place *b)
{
  return a->kind == b->kind && a->off == b->off && a->reg == b->reg;
}

/* Whether RULE is the cached rule of IP after it was added.  */
static bool
keeps (unsigned long ip, const struct sframe_rule *rule)
{
  struct sframe_view view;
  struct sframe_rule found;

  CHECK (sframe_find_view (TEXT, &view));
  sframe_cache_add (&view, ip, rule);
  if (!sframe_cache_find (ip, &found))
    return false;
  CHECK (found.outermost == rule->outermost && !found.signal && !found.at_end);
  CHECK (rule->outermost || (same_place (&found.cfa, &rule->cfa)
			     && same_place (&found.ra, &rule->ra)
			     && same_place (&found.fp, &rule->fp)));
  return true;
}

/* The second trace reads the stack and no table.  */
static void
test_steps (void)
{
  start ();
  CHECK (reads (0, 20) > 19 * 5);
  CHECK (machine.caches == 1 && machine.cache_size == SMALLEST);
  CHECK (reads (0, 20) == WARM (20));
  /* Of two frames more the rules are not known; no more is read twice than
     the step that leads to each.  */
  unsigned long more = reads (0, 22);
  CHECK (more > 21 && more < 21 + 2 * 16);
  CHECK (reads (0, 22) == WARM (22));
  /* The limit is kept.  */
  entries[7] = 4711;
  CHECK (unwind (0, 7) == 7 && entries[7] == 4711);
  finish ();
}

/* Saved frame pointers, and a CFA based on them.  */
static void
test_frame_pointer (void)
{
  start ();
  sframe_remove (TABLE);
  /* CFA = FP + 16, FP saved below the RA.  */
  poke (TABLE + OF_FRE_LENGTH, 5 + 4, 4);
  poke (TABLE + OF_ROW + 1, 0 | 2 << 1, 1);
  poke (TABLE + OF_ROW + 2, 16, 1);
  poke (TABLE + OF_ROW + 3, -16, 1);
  CHECK (sframe_add (TABLE, 0x100, TEXT, TEXT_SIZE) == 0);
  for (unsigned long i = 0; i < STACK_SIZE / 32; ++i)
    poke (STACK + i * 32, STACK + (i + 1) * 32, 8);
  for (unsigned int round = 0; round < 2; ++round)
    {
      unsigned long before = machine.accesses;
      CHECK (unwind (0, 20) == 20);
      CHECK (state.fp == STACK + 19 * 32 && state.sp == STACK + 18 * 32 + 16);
      CHECK ((machine.accesses - before == 2 * WARM (20)) == (round == 1));
    }
  finish ();
}

/* Each removal of a range invalidates its rules.  */
static void
test_forgotten (void)
{
  start ();
  reads (0, 20);
  CHECK (sframe_remove (TABLE) == 0);
  CHECK (unwind (0, 20) == 1);
  CHECK (!sframe_is_cached (TEXT + 0xf));
  /* Frames are of 32 bytes now.  */
  poke (TABLE + OF_ROW + 2, 32, 1);
  CHECK (sframe_add (TABLE, 0x100, TEXT, TEXT_SIZE) == 0);
  CHECK (unwind (0, 3) == 3 && state.sp == STACK + 64);
  machine_unmap (&process, TEXT, TEXT + 0x100);
  CHECK (unwind (0, 3) == 1);
  rcu_barrier ();
  CHECK (machine.caches == 1);
  finish ();
}

/* Adding another range does not invalidate rules.  */
static void
test_not_forgotten (void)
{
  start ();
  reads (0, 20);
  put_table (TABLE + 0x200, CODE, 0x100);
  CHECK (sframe_add (TABLE + 0x200, 0x100, CODE, 0x100) == 0);
  CHECK (reads (0, 20) == WARM (20));
  /* A process that changes a registered table gets the old rules.  */
  poke (TABLE + OF_ROW + 2, 32, 1);
  CHECK (reads (0, 20) == WARM (20));
  finish ();
}

/* A rule that was on its way when its range went is of no use.  */
static void
test_late (void)
{
  struct sframe_rule rule = some_rule (), found;
  struct sframe_view view;

  start ();
  CHECK (sframe_find_view (TEXT, &view));
  sframe_remove (TABLE);
  sframe_cache_add (&view, TEXT, &rule);
  CHECK (machine.caches == 0 && !sframe_cache_find (TEXT, &found));
  CHECK (sframe_add (TABLE, 0x100, TEXT, TEXT_SIZE) == 0);
  CHECK (keeps (TEXT + 1, &rule));
  sframe_cache_add (&view, TEXT, &rule);
  CHECK (!sframe_cache_find (TEXT, &found) && sframe_cache_find (TEXT + 1, &found));
  finish ();
}

/* The child of a fork begins without cached rules; its parent keeps its
   rules.  */
static void
test_fork (void)
{
  static struct mm_struct child;
  const struct sframe_rule rule = some_rule ();

  start ();
  reads (0, 20);
  machine_fork (&child, &process, 0);
  current->mm = &child;
  CHECK (!sframe_is_cached (TEXT + 0xf));
  CHECK (reads (0, 20) > 19 * 5 && machine.caches == 2);
  /* The two share the registrations, but no rule.  */
  CHECK (child.sframe_set == process.sframe_set && keeps (TEXT + 3, &rule));
  current->mm = &process;
  CHECK (!sframe_is_cached (TEXT + 3));
  current->mm = &child;
  CHECK (sframe_remove (TABLE) == 0);
  current->mm = &process;
  CHECK (reads (0, 20) == WARM (20));
  machine_exit (&child);
  CHECK (machine.caches == 1);
  finish ();
}

/* Of a full line the next address is refused, and a larger cache made when
   that was often; the largest is emptied.  */
static void
test_growth (void)
{
  const struct sframe_rule rule = some_rule ();
  unsigned long size = SMALLEST, changes = 0;
  unsigned int kept = 0, before = 0;

  start ();
  for (unsigned long i = 0; i < 100000; ++i)
    {
      bool is_kept = keeps (TEXT + i, &rule);
      if (machine.cache_size != size)
	{
	  /* A slot has 16 bytes, and a line four slots: all four were used.  */
	  CHECK (kept - before > size / 16 / 4 * 3);
	  before = kept;
	  ++changes;
	}
      kept += is_kept;
      CHECK (machine.cache_size == size || machine.cache_size == 4 * size);
      size = machine.cache_size;
      rcu_barrier ();
      CHECK (machine.caches == 1);
      /* Half of the slots are in use.  */
      CHECK (i > SMALLEST / 32 || size == SMALLEST);
    }
  CHECK (changes == 3 && size == LARGEST);
  CHECK (kept > 90000);
  finish ();
}

/* While no grace period ends, a cache grows, but is not replaced by one of the
   same size: the replaced one is still charged.  */
static void
test_few_wait (void)
{
  const struct sframe_rule rule = some_rule ();

  start ();
  for (unsigned long i = 0; i < 100000; ++i)
    keeps (TEXT + i, &rule);
  CHECK (machine.cache_size == LARGEST && machine.caches == 4);
  rcu_barrier ();
  CHECK (machine.caches == 1);
  for (unsigned long i = 0; i < 100000; ++i)
    keeps (TEXT + 100000 + i, &rule);
  CHECK (machine.cache_size == LARGEST && machine.caches == 2);
  for (unsigned int i = 0; i < 100; ++i)
    {
      CHECK (sframe_remove (TABLE) == 0);
      CHECK (sframe_add (TABLE, 0x100, TEXT, TEXT_SIZE) == 0);
      CHECK (reads (0, 20) > 19 * 5);
    }
  CHECK (machine.caches == 2);
  rcu_barrier ();
  CHECK (reads (0, 20) > 19 * 5 && reads (0, 20) == WARM (20));
  finish ();
}

/* Adding a rule that is cached already does not change the cache.  */
static void
test_again (void)
{
  const struct sframe_rule rule = some_rule ();

  start ();
  for (unsigned int i = 0; i < 1000; ++i)
    CHECK (keeps (TEXT, &rule));
  CHECK (machine.cache_size == SMALLEST && machine.caches == 1);
  finish ();
}

static unsigned long other_ip;

static void
add_other (void)
{
  const struct sframe_rule rule = some_rule ();
  struct sframe_view view;

  CHECK (sframe_find_view (TEXT, &view));
  sframe_cache_add (&view, other_ip, &rule);
}

/* Two processors that store rules at the same moment do not take the same
   slot: of 200 other addresses some are of the same line, the first is the
   same.  */
static void
test_two_at_once (void)
{
  const struct sframe_rule rule = some_rule ();

  for (unsigned long i = 0; i < 2 * 200; ++i)
    {
      void (**const when) (void)
	= i % 2 == 0 ? &machine.before_exchange : &machine.after_exchange;
      start ();
      CHECK (keeps (TEXT + TEXT_SIZE - 1, &rule));
      other_ip = TEXT + i / 2;
      *when = add_other;
      CHECK (keeps (TEXT, &rule) && *when == NULL);
      CHECK (sframe_is_cached (other_ip));
      finish ();
    }
}

/* Each offset is read as it was stored, or the rule is not cached.  */
static void
test_packing (void)
{
  static const int32_t cfa[] = { INT32_MIN, -8, 0, 8, 4096, INT32_MAX };
  static const int32_t ra[] = { -1024, -1000, -48, -16, -8 };
  static const int32_t fp[] = { -32768, -4096, -16, -8 };
  unsigned long ip = TEXT;
  struct sframe_rule rule = some_rule ();

  start ();
  CHECK (keeps (ip++, &rule));
  for (unsigned int i = 0; i < ARRAY_SIZE (cfa) * 2; ++i)
    {
      rule.cfa.off = cfa[i / 2];
      rule.cfa.reg = i % 2 != 0 ? SP : FP;
      CHECK (keeps (ip++, &rule));
    }
  for (unsigned int i = 0; i < ARRAY_SIZE (ra) * ARRAY_SIZE (fp); ++i)
    {
      rule.ra.off = ra[i / ARRAY_SIZE (fp)];
      rule.fp.off = fp[i % ARRAY_SIZE (fp)];
      rule.fp.kind = SFRAME_CFA_MEMORY;
      CHECK (keeps (ip++, &rule));
    }
  rule.ra = (struct sframe_place) { .kind = SFRAME_UNCHANGED };
  CHECK (keeps (ip++, &rule));
  rule = (struct sframe_rule) { .outermost = true };
  CHECK (keeps (ip++, &rule));
  finish ();
}

/* Rules that differ in one property from one that is cached, and are not.  */
static void
test_not_cached (void)
{
  unsigned long ip = TEXT;
  struct sframe_view view;
  struct sframe_rule rule;

#define REFUSED(change)							\
  do									\
    {									\
      rule = some_rule ();						\
      CHECK (keeps (ip++, &rule));					\
      change;								\
      CHECK (!keeps (ip, &rule));					\
      /* Later rules of the stack can be.  */				\
      CHECK (sframe_cache_add (&view, ip++, &rule));			\
    }									\
  while (0)

  start ();
  CHECK (sframe_find_view (TEXT, &view));
  REFUSED (rule.signal = true);
  REFUSED (rule.at_end = true);
  REFUSED ((rule.outermost = true, rule.at_end = true));
  REFUSED (rule.cfa.kind = SFRAME_REG_MEMORY);
  REFUSED (rule.cfa.reg = DI);
  REFUSED (rule.ra.kind = SFRAME_REG_MEMORY);
  REFUSED (rule.ra.kind = SFRAME_CFA_VALUE);
  REFUSED (rule.ra.off = -1025);
  REFUSED (rule.ra.off = 0);
  REFUSED (rule.ra.off = -7);
  REFUSED (rule.fp.kind = SFRAME_REG_VALUE);
  REFUSED ((rule.fp.kind = SFRAME_CFA_MEMORY, rule.fp.off = -32769));
  REFUSED ((rule.fp.kind = SFRAME_CFA_MEMORY, rule.fp.off = 0));
  finish ();
}

/* Without memory, or while another task makes a cache, or in a task that must
   not wait, traces are as without a cache.  */
static void
test_without (void)
{
  start ();
  machine.may_cache = false;
  CHECK (reads (0, 20) > 19 * 5 && machine.caches == 0);
  machine.may_cache = machine.lock_busy = true;
  CHECK (reads (0, 20) > 19 * 5 && machine.caches == 0);
  machine.lock_busy = false;
  machine.exiting = true;
  CHECK (reads (0, 20) > 19 * 5 && machine.caches == 0);
  machine.exiting = false;
  reads (0, 20);
  /* One that there is may be used and added to.  */
  machine.exiting = machine.lock_busy = true;
  machine.may_cache = false;
  CHECK (reads (0, 22) > 21 && reads (0, 22) == WARM (22));
  machine.exiting = machine.lock_busy = false;
  finish ();
}

/* The number of allocations tried by unwinding COUNT frames.  */
static unsigned long
requests (unsigned int count)
{
  unsigned long before = machine.cache_requests;

  reads (0, count);
  return machine.cache_requests - before;
}

/* Without memory, one allocation is tried for each trace; for a larger cache,
   one after as many refused rules as make a cache too small.  */
static void
test_few_requests (void)
{
  const struct sframe_rule rule = some_rule ();
  unsigned long refused = 0, before;

  start ();
  machine.may_cache = false;
  CHECK (requests (20) == 1 && requests (20) == 1);
  machine.may_cache = true;
  CHECK (requests (20) == 1 && requests (20) == 0 && machine.caches == 1);
  machine.may_cache = false;
  before = machine.cache_requests;
  for (unsigned long i = 0x400; i < 0x1000; ++i)
    refused += !keeps (TEXT + i, &rule);
  CHECK (refused > 2000);
  CHECK (machine.cache_requests - before > 100);
  CHECK ((machine.cache_requests - before) * 16 <= refused);
  machine.may_cache = true;
  for (unsigned long i = 0x400; i < 0x500; ++i)
    keeps (TEXT + i, &rule);
  CHECK (machine.cache_size == 4 * SMALLEST);
  finish ();
}

/* The shrinker gives all back, after a grace period, and counts it.  */
static void
test_shrinker (void)
{
  struct shrink_control control = { .nr_to_scan = 1 };
  struct shrinker *s = &machine_shrinker;

  start ();
  CHECK (s->count_objects (s, &control) == SHRINK_EMPTY);
  reads (0, 20);
  CHECK (s->count_objects (s, &control) == 1);
  machine.lock_busy = true;
  CHECK (s->scan_objects (s, &control) == 0);
  machine.lock_busy = false;
  control.nr_to_scan = 1;
  unsigned long grace = get_state_synchronize_rcu ();
  CHECK (s->scan_objects (s, &control) == 1 && machine.freed >= grace);
  CHECK (s->count_objects (s, &control) == SHRINK_EMPTY);
  CHECK (machine.caches == 0);
  CHECK (reads (0, 20) > 19 * 5 && reads (0, 20) == WARM (20));
  finish ();
}

static void
other_cpu_shrinks (void)
{
  struct shrink_control control = { .nr_to_scan = 100 };

  /* It waits for no reader.  */
  machine.kswapd = true;
  machine_shrinker.scan_objects (&machine_shrinker, &control);
  machine.kswapd = false;
}

static void
other_cpu_removes (void)
{
  sframe_remove (TABLE);
}

/* Whatever another CPU does, and whenever, a trace is right or ends.  */
static void
test_other_cpu (void)
{
  static void (*const others[]) (void)
    = { other_cpu_shrinks, other_cpu_removes };

  for (unsigned int i = 0; i < 2 * 40; ++i)
    {
      start ();
      if (i % 3 != 0)
	reads (0, 10);
      machine.other_cpu = others[i % 2];
      machine.other_cpu_after = 1 + i / 2;
      unsigned int count = unwind (0, 20);
      machine.other_cpu_after = 0;
      CHECK (count == 20 || i % 2 == 1);
      CHECK (i % 2 == 0 || sframe_remove (TABLE) == -ENOENT || i > 60);
      for (unsigned int j = 0; j < count; ++j)
	CHECK (i % 2 == 0 || !sframe_is_cached (entries[j] - 1));
      for (unsigned int j = 1; j < count; ++j)
	CHECK (entries[j] == TEXT + 0x10 + (j - 1) % 128 * 8);
      finish ();
    }
}

/* Another thread makes the cache first, or a larger one: the second is freed.  */
static void
test_made_meanwhile (void)
{
  other_ip = TEXT + TEXT_SIZE - 1;
  for (unsigned int i = 1; i <= 100; ++i)
    {
      start ();
      machine.other_cpu = add_other;
      machine.other_cpu_after = i;
      CHECK (unwind (0, 20) == 20);
      machine.other_cpu_after = 0;
      rcu_barrier ();
      CHECK (machine.caches == 1);
      finish ();
    }
}

/* A trace waits for a missing page of the stack, except where page faults are
   disabled.  */
static void
test_absent_stack (void)
{
  start ();
  reads (0x800, 60);
  process.areas[4].absent = true;
  CHECK (process.areas[4].vm_start == STACK + 0x1000);
  process.areas[3].absent = true;
  CHECK (reads (0x800, 60) > 0 && !process.areas[3].absent);
  process.areas[3].absent = process.areas[4].absent = true;
  poke (STACK + 0xff8, TEXT + 0x10, 8);
  CHECK (unwind (0xf80, 20) == 20 && !process.areas[4].absent);
  finish ();
}

/* A step by a cached rule from SP and FP is refused: nothing is read or
   changed.  */
static void
check_refused (unsigned long sp, unsigned long fp)
{
  struct unwind_user_state before;
  unsigned long accesses = machine.accesses;

  state.sp = sp;
  state.fp = fp;
  before = state;
  trace.nr = 1;
  sframe_unwind_cached (&state, &trace, FRAMES);
  CHECK (trace.nr == 1 && machine.accesses == accesses);
  CHECK (memcmp (&before, &state, sizeof state) == 0);
}

/* A stack that does not rise, is not aligned or not in user space.  */
static void
test_wild_stack (void)
{
  static const unsigned long wild[] = {
    0, 1, 8, STACK, STACK + 1, STACK + 0x100, -8UL, -16UL, -24UL, -32UL,
    TASK_SIZE - 8, TASK_SIZE - 16, TASK_SIZE, TASK_SIZE + 8, 1UL << 63,
    (1UL << 63) - 16, STACK + 0x202, STACK + 0x204
  };
  struct sframe_rule rule = some_rule ();

  start ();
  rule.cfa.reg = FP;
  CHECK (keeps (TEXT + 7, &rule));
  at_frame (0);
  for (unsigned int i = 0; i < ARRAY_SIZE (wild); ++i)
    check_refused (STACK + 0x110, wild[i]);
  rule.cfa.reg = SP;
  CHECK (keeps (TEXT + 8, &rule));
  at_frame (0);
  state.ip = TEXT + 9;
  for (unsigned int i = 0; i < ARRAY_SIZE (wild); ++i)
    if (wild[i] < BASE || wild[i] >= TASK_SIZE - 8 || wild[i] % 8 != 0)
      check_refused (wild[i], STACK);
  finish ();
}

/* A frame that something else than a call has left.  */
static void
test_not_plain (void)
{
  static struct uprobe_task probes;

  start ();
  reads (0, 20);
  at_frame (0);
  state.topmost = true;
  check_refused (STACK, STACK);
  at_frame (0);
  state.interrupted = true;
  check_refused (STACK, STACK);
  at_frame (0);
  state.fp_lost = true;
  check_refused (STACK, STACK);
  at_frame (0);
  state.ws = 4;
  check_refused (STACK, STACK);
  at_frame (0);
  state.sframe_cached = false;
  check_refused (STACK, STACK);
  at_frame (0);
  current->utask = &probes;
  check_refused (STACK, STACK);
  current->utask = NULL;
  /* And the same without any of these.  */
  at_frame (0);
  trace.nr = 1;
  state.ucontext = STACK;
  sframe_unwind_cached (&state, &trace, FRAMES);
  CHECK (trace.nr == 19 && state.ucontext == 0);
  finish ();
}

/* Frames whose rules do not say that the RA is saved on the stack.  */
static void
test_no_saved_address (void)
{
  struct sframe_rule rules[2] = { some_rule (), { .outermost = true } };

  rules[0].ra.kind = SFRAME_UNCHANGED;
  rules[0].ra.off = 0;
  for (unsigned int i = 0; i < ARRAY_SIZE (rules); ++i)
    {
      start ();
      CHECK (keeps (TEXT + 7, &rules[i]));
      at_frame (0);
      check_refused (STACK, STACK);
      finish ();
      /* The same in the middle of a stack.  */
      start ();
      CHECK (keeps (TEXT + 0x10 + 5 * 8 - 1, &rules[i]));
      CHECK (unwind (0, 20) == 7 && unwind (0, 20) == 7 && state.done);
      finish ();
    }
}

/* Return addresses that are, or look like, marks of a slot.  */
static void
test_odd_addresses (void)
{
  static const unsigned long odd[]
    = { 0, 1, 2, -1UL, 1UL << 63, (1UL << 63) + 1 };

  start ();
  reads (0, 20);
  for (unsigned int i = 0; i < ARRAY_SIZE (odd); ++i)
    {
      CHECK (!sframe_is_cached (odd[i]) && !sframe_is_cached (odd[i] - 1));
      poke (STACK + 5 * 16 + 8, odd[i], 8);
      CHECK (unwind (0, 20) == 6 && state.done);
    }
  /* An instruction after a call may be anywhere.  */
  for (unsigned int i = 1; i < 8; ++i)
    {
      poke (STACK + 5 * 16 + 8, TEXT + 0x100 + i, 8);
      CHECK (unwind (0, 20) == 20);
      unsigned long before = machine.accesses;
      CHECK (unwind (0, 20) == 20 && entries[6] == TEXT + 0x100 + i);
      CHECK (machine.accesses - before == WARM (20));
    }
  finish ();
}

static const struct test_case cases[] = {
  { "steps", test_steps },
  { "frame pointer", test_frame_pointer },
  { "forgotten", test_forgotten },
  { "not forgotten", test_not_forgotten },
  { "late", test_late },
  { "fork", test_fork },
  { "growth", test_growth },
  { "few wait", test_few_wait },
  { "again", test_again },
  { "two at once", test_two_at_once },
  { "packing", test_packing },
  { "not cached", test_not_cached },
  { "without", test_without },
  { "few requests", test_few_requests },
  { "shrinker", test_shrinker },
  { "other CPU", test_other_cpu },
  { "made meanwhile", test_made_meanwhile },
  { "absent stack", test_absent_stack },
  { "wild stack", test_wild_stack },
  { "not plain", test_not_plain },
  { "no saved address", test_no_saved_address },
  { "odd addresses", test_odd_addresses },
};

int
main (void)
{
  return run_cases (cases, ARRAY_SIZE (cases));
}
