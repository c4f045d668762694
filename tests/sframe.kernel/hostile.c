/* The kernel's SFrame unwinder on damaged tables, stacks and registers.
   SPDX-License-Identifier: GPL-2.0-only

   Usage: hostile FILE COUNT SEED

   COUNT times, a few bytes of the table of FILE are damaged, the table is
   registered, and a stack of random words is unwound, while some reads fail.
   A step goes up the stack, ends the trace, or fails with one of its errors
   and changes nothing.  It does no more work than the limit, and leaves the
   table registered unless that is corrupt.

   Then stacks that return into the text are unwound with cached rules and
   without; the results must be the same.  */

#include <linux/unwind_user_types.h>

#include "process.h"

#include "../sframe.unit/chance.h"
#include "../sframe.unit/elf-section.h"

enum { STACK_WORDS = 512, STEPS_MAX = 64, DAMAGE_MAX = 4, TRACE_MAX = 32 };
/* The addresses of the stack and the table; the table has that of the
   text.  */
static const unsigned long stack = 0x7f0000000000, table = 0x400000000000;

static struct elf_section section;
static unsigned long text, text_size, index_at, rows_at, nr_fdes;
static uint64_t words[STACK_WORDS];
static unsigned long round_nr;

/* Steps that went up, ended the walk, and failed, by error.  */
static unsigned long stepped, done, refused, errors[256];
/* Compared traces, and their frames by cached rules.  */
static unsigned long compared, cached;

static void
require_that (bool good, const char *what)
{
  if (good)
    return;
  printf ("FAIL: round %lu: %s\n", round_nr, what);
  exit (EXIT_FAILURE);
}

static uint64_t
load (size_t at, unsigned int width)
{
  uint64_t value = 0;

  require (at + width <= section.size, "a table large enough");
  memcpy (&value, section.bytes + at, width);
  return value;
}

/* Where FDE number I begins, from the table's start.  The header is that of a
   linker: no auxiliary header, starts count from their own field.  */
static int64_t
fde_start (unsigned long i)
{
  return load (index_at + i * 16, 8) + index_at + i * 16;
}

static void
read_layout (void)
{
  require (load (OF_FLAGS, 1) == 5 && load (OF_AUXILIARY, 1) == 0,
	   "a table as GNU ld writes it");
  nr_fdes = load (OF_FDES, 4);
  index_at = 28 + load (OF_FDE_OFFSET, 4);
  rows_at = 28 + load (OF_FRE_OFFSET, 4);
  text = table + fde_start (0);
  text_size = table + fde_start (nr_fdes - 1) - text
	      + load (index_at + (nr_fdes - 1) * 16 + 8, 4);
}

static unsigned long
any_word (void)
{
  switch (below (4))
    {
    case 0:
      return stack + below (STACK_WORDS) * 8;
    case 1:
      return table + fde_start (below (nr_fdes)) + below (64);
    case 2:
      return text + below (text_size);
    default:
      return below (2) == 0 ? below (UINT64_MAX) : -below (4096);
    }
}

/* Damage the header, index or rows.  */
static void
damage (size_t *where, unsigned char *old)
{
  for (unsigned int i = 0; i < DAMAGE_MAX; ++i)
    {
      unsigned int part = below (8);
      size_t base = part == 0 ? 0 : part < 4 ? index_at : rows_at;
      size_t room = part == 0 ? 28 : section.size - base;
      /* In most cases bytes that are used: those of the first functions.  */
      where[i] = base + below (below (4) == 0 ? room : min (room, 400UL));
      old[i] = section.bytes[where[i]];
      section.bytes[where[i]] = below (3) == 0 ? below (256)
				: old[i] ^ 1 << below (8);
    }
}

static void
mend (const size_t *where, const unsigned char *old)
{
  for (unsigned int i = DAMAGE_MAX; i-- > 0;)
    section.bytes[where[i]] = old[i];
}

static struct unwind_user_state
any_state (void)
{
  unsigned long *registers = (unsigned long *) &current_registers;
  struct unwind_user_state state = {
    .sp = stack + below (STACK_WORDS / 4) * 8, .fp = any_word (), .ws = 8,
    .topmost = below (2) == 0, .available_types = UNWIND_USER_TYPE_SFRAME
  };

  /* The functions that are damaged most.  */
  state.ip = table + fde_start (below (min (nr_fdes, 24UL))) + below (48);
  for (size_t i = 0; i < sizeof current_registers / sizeof *registers; ++i)
    registers[i] = any_word ();
  for (unsigned int i = 0; i < STACK_WORDS; ++i)
    words[i] = any_word ();
  return state;
}

/* STATE came of BEFORE by a step that returned RESULT.  */
static void
check_step (const struct unwind_user_state *before,
	    const struct unwind_user_state *state, int result)
{
  struct unwind_user_state expected = *before;

  require_that (result == 0 || result == -ENOENT || result == -EFAULT
		|| result == -EBADMSG || result == -EINVAL
		|| result == -E2BIG, "one of the errors");
  require_that (state->sframe_rows - before->sframe_rows <= 65536
		&& state->sframe_rows <= 2 * 65536, "bounded work");
  if (result == 0 && !state->done)
    {
      /* The frame that a signal has interrupted may be on another stack.  */
      require_that (state->sp > before->sp || state->interrupted,
		    "the stack rises");
      require_that (state->sp % 8 == 0 && !state->topmost, "a frame");
      ++stepped;
      return;
    }
  expected.sframe_rows = state->sframe_rows;
  expected.sframe = state->sframe;
  expected.code = state->code;
  expected.code_size = state->code_size;
  expected.sframe_uncached = state->sframe_uncached;
  expected.sframe_dropped = state->sframe_dropped;
  expected.done = result == 0;
  require_that (memcmp (&expected, state, sizeof expected) == 0,
		"the state as before");
  ++*(result == 0 ? &done : &errors[-result]);
}

static void
walk (void)
{
  struct unwind_user_state state = any_state (), before;
  struct sframe_view view;
  int result = 0;

  for (unsigned int i = 0; i < STEPS_MAX && result == 0 && !state.done; ++i)
    {
      before = state;
      unsigned long accesses = machine.accesses;
      bool called = !state.topmost && !state.interrupted;
      bool described = sframe_find_view (state.ip - called, &view);
      machine.fault_after = below (8) == 0 ? 1 + below (16) : 0;
      result = sframe_unwind_next (&state);
      machine.fault_after = 0;
      check_step (&before, &state, result);
      /* A binary search and 17 functions, both twice in a block, and two
	 reads for each row.  */
      require_that (machine.accesses - accesses
		    <= 200 + 2 * (state.sframe_rows - before.sframe_rows),
		    "bounded reads");
      require_that (described == (sframe_find_view (before.ip - called, &view)
				  || result == -EBADMSG),
		    "a corrupt table is dropped, no other");
    }
}

struct trace
{
  unsigned long entries[TRACE_MAX];
  unsigned int count;
  struct unwind_user_state end;
  int result;
};

/* Unwind from STATE as unwind_user () does.  */
static struct trace
unwind (struct unwind_user_state state)
{
  struct trace t = { .result = 0 };
  struct unwind_stacktrace to = { .entries = t.entries };

  while (t.result == 0 && !state.done)
    {
      t.entries[to.nr++] = state.ip;
      unsigned int before = to.nr;
      sframe_unwind_cached (&state, &to, TRACE_MAX);
      cached += to.nr - before;
      if (to.nr >= TRACE_MAX)
	break;
      t.result = sframe_unwind_next (&state);
    }
  t.count = to.nr;
  t.end = state;
  return t;
}

/* A stack in which nearly each word is a return address, or a frame pointer
   that points a little higher.  */
static struct unwind_user_state
likely_state (void)
{
  struct unwind_user_state state = any_state ();

  for (unsigned int i = 0; i < STACK_WORDS; ++i)
    if (below (32) != 0)
      words[i] = (below (3) == 0 ? stack + (i + below (8)) * 8
		  : table + fde_start (below (min (nr_fdes, 24UL))) + below (48));
  state.fp = stack + below (STACK_WORDS / 4) * 8;
  return state;
}

/* Unwind without memory for the cache, then with it, then by cached rules.  */
static void
compare (void)
{
  struct unwind_user_state from = likely_state ();
  struct trace fresh = unwind (from);

  /* The table is gone, or there was too much work.  */
  if (fresh.result == -EBADMSG || fresh.end.sframe_rows >= 65536)
    return;
  machine.may_cache = true;
  for (unsigned int i = 0; i < 2; ++i)
    {
      struct trace again = unwind (from);
      require_that (again.count == fresh.count
		    && again.result == fresh.result
		    && again.end.done == fresh.end.done
		    && again.end.ip == fresh.end.ip
		    && again.end.sp == fresh.end.sp
		    && again.end.fp == fresh.end.fp
		    && again.end.topmost == fresh.end.topmost
		    && again.end.interrupted == fresh.end.interrupted
		    && again.end.ucontext == fresh.end.ucontext
		    && memcmp (again.entries, fresh.entries,
			       fresh.count * sizeof fresh.entries[0]) == 0,
		    "the same stack by cached rules");
    }
  machine.may_cache = false;
  ++compared;
}

static void
one_round (void)
{
  size_t where[DAMAGE_MAX];
  unsigned char old[DAMAGE_MAX];

  damage (where, old);
  int result = sframe_add (table, section.size, text, text_size);
  require_that (result == 0 || result == -EINVAL, "added, or refused");
  for (unsigned int i = 0; i < 4 && result == 0; ++i)
    walk ();
  /* So that all cached rules come from the damaged table.  */
  for (unsigned int i = 0; i < 4 && result == 0; ++i)
    compare ();
  refused += result != 0;
  result = sframe_remove (table);
  require_that (result == 0 || result == -ENOENT, "removed, or gone");
  rcu_barrier ();
  require_that (machine.objects <= 2, "nothing left");
  mend (where, old);
}

static void
tell (bool good, const char *what)
{
  printf ("%s: %s\n", good ? "PASS" : "FAIL", what);
}

static void
begin (const char *file, const char *seed)
{
  section = read_sframe_section (file);
  random_state = strtoul (seed, NULL, 10);
  printf ("seed %s\n", seed);
  read_layout ();
  new_process ();
  machine_map (&process, table, section.size, VM_READ, section.bytes);
  machine_map (&process, text, text_size, VM_READ | VM_EXEC,
	       calloc (1, text_size));
  machine_map (&process, stack, sizeof words, VM_READ | VM_WRITE,
	       (unsigned char *) words);
}

int
main (int argc, char **argv)
{
  if (argc != 4)
    return EXIT_FAILURE;
  unsigned long count = strtoul (argv[2], NULL, 10);
  begin (argv[1], argv[3]);
  for (round_nr = 1; round_nr <= count; ++round_nr)
    one_round ();
  tell (true, "each step went up, ended or failed cleanly");
  printf ("%lu steps, %lu ends, %lu tables refused; ENOENT %lu, EFAULT %lu,"
	  " EBADMSG %lu, EINVAL %lu, E2BIG %lu\n", stepped, done, refused,
	  errors[ENOENT], errors[EFAULT], errors[EBADMSG], errors[EINVAL],
	  errors[E2BIG]);
  tell (stepped > count / 4 && done > count / 4 && refused > count / 100
	&& errors[ENOENT] > count / 100 && errors[EBADMSG] > count / 100 && errors[EINVAL] > count / 100,
	"all kinds of ends were met");
  printf ("%lu traces compared, %lu cached frames\n", compared, cached);
  tell (compared > count && cached > count, "rules were cached");
  free (process.areas[1].bytes);
  process.areas[1].bytes = NULL;
  machine_exit (&process);
  rcu_barrier ();
  tell (machine.objects == 0 && machine.caches == 0, "all memory is freed");
  free (section.bytes);
  return 0;
}
