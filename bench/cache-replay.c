/* Count the frames of recorded stacks whose rules the cache would have had, and those that it would have predicted.

   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: cache-replay FILE

   The cache is that of debug/sframe-trace.c, used as backtrace () uses it.
   bench/record.c writes FILE; its PCs are put on a stack of frames that all
   have the same rule.  The few rules that the cache cannot hold count as if it
   could.  Prints lines "WHAT NUMBER", with a tab:

   stacks, frames   without those of the signal, which the cache does not hold
   found            frames whose rules the cache had
   guessed          those which it had where it looked first
   new              frames that no trace with a table had met before
   outgrown         frames that it had only in a smaller table  */

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <sframe-cache.h>
#include <sframe-machine.h>
#include <sframe-trace.h>

enum { FRAMES = 512, SEEN = 1 << 20 };

static uint64_t pcs[FRAMES];
static uintptr_t stack[2 * FRAMES];
static unsigned long int stacks, frames, found, guessed, new, outgrown;

/* The larger tables, as in debug/sframe-grow.c if there is memory.  */
static struct sframe_cache *larger[2];

struct sframe_cache *
__sframe_cache_table (unsigned int number)
{
  return number == 1 ? &__sframe_cache.head : larger[number - 2];
}

unsigned int
__sframe_cache_largest (void)
{
  return 1 + (larger[0] != NULL) + (larger[1] != NULL);
}

void
__sframe_cache_grow (unsigned int number)
{
  const struct sframe_cache *full = __sframe_cache_table (number);
  unsigned int log2 = (number == 1 ? SFRAME_CACHE_LOG2_SECOND
		       : SFRAME_CACHE_LOG2_LAST);

  if (number != __sframe_cache_largest () || number == 3
      || full->used < sframe_cache_slots (full))
    return;
  larger[number - 1] = mmap (NULL, SFRAME_CACHE_SIZE (log2),
			     PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (larger[number - 1] == MAP_FAILED)
    exit (1);
  larger[number - 1]->larger = log2 - SFRAME_CACHE_LOG2_FIRST;
}

/* Return the table of the last trace that met PC with TAG, 0 if there was
   none.  TABLE is the table of the current trace.  */
static unsigned int
meet (uint64_t pc, uint64_t tag, unsigned int table)
{
  static uint64_t seen[SEEN];
  static unsigned char tables[SEEN];
  uint64_t key = pc << 1 | (tag & 1);
  size_t i = key * UINT64_C (0x9e3779b97f4a7c15) >> 44;

  while (seen[i % SEEN] != 0 && seen[i % SEEN] != key)
    ++i;
  unsigned int before = tables[i % SEEN];
  seen[i % SEEN] = key;
  tables[i % SEEN] = table;
  return before;
}

/* Frame I has its return address on top of two words.  */
static void
enter_frame (struct sframe_registers *registers, int i, bool interrupted)
{
  registers->pc = pcs[i];
  registers->value[SFRAME_MACHINE_SP] = (uintptr_t) &stack[2 * i];
  registers->known = (UINT64_C (1) << SFRAME_MACHINE_SP
		      | UINT64_C (1) << SFRAME_MACHINE_FP);
  registers->interrupted = interrupted;
}

static void
remember (struct sframe_trace *trace, bool outermost)
{
  struct sframe_rule rule
    = { .cfa = { .kind = SFRAME_REGISTER_VALUE, .reg = SFRAME_MACHINE_SP,
		 .offset = 2 * sizeof *stack },
	.ra = { .kind = SFRAME_CFA_MEMORY, .offset = -(int) sizeof *stack },
	.fp = { .kind = SFRAME_UNCHANGED }, .outermost = outermost };

  __sframe_cache_rule (trace, &rule);
}

/* Whether the predicted slot has the rule of PC and TAG.  */
static bool
guess_is_right (const struct sframe_trace *trace, uint64_t pc, uint64_t tag)
{
  if (trace->table == 0)
    return false;
  struct sframe_cache *cache = __sframe_cache_table (trace->table);
  uint32_t guess = sframe_cache_predictions (cache)[trace->path];
  return sframe_cache_read (sframe_cache_slot (cache, guess), pc, tag) != 0;
}

/* Leave frame I, and count where its rule was found.  */
static void
leave_frame (struct sframe_trace *trace, int i, bool outermost)
{
  struct sframe_registers *registers = trace->registers;
  uint64_t tag = sframe_cache_tag (0, registers->interrupted);
  unsigned int met = meet (registers->pc, tag, trace->table);
  bool is_right = guess_is_right (trace, registers->pc, tag);

  trace->count = 0;
  ++frames;
  if (trace->table != 0
      && (__sframe_walk_cached (trace) == SFRAME_STEP_OUTERMOST
	  || trace->count == 1))
    {
      ++found;
      guessed += is_right;
      return;
    }
  new += met == 0;
  outgrown += met != 0 && met < trace->table;
  remember (trace, outermost);
  enter_frame (registers, i + 1, false);
}

/* The first frame is the handler, the second one the trampoline.  */
static void
replay (int count)
{
  void *pc;
  struct sframe_registers registers = { 0 };
  unsigned int largest = __sframe_cache_largest ();
  struct sframe_trace trace
    = { .array = &pc, .size = 1, .registers = &registers,
	.table = stacks++ == 0 ? 0 : largest,
	.path = sframe_cache_start (__sframe_cache_table (largest)),
	.stack = { .current = { (uintptr_t) stack,
				(uintptr_t) (stack + 2 * count) } } };

  for (int i = 0; i < count - 1; ++i)
    stack[2 * i + 1] = pcs[i + 1];
  enter_frame (&registers, 0, false);
  for (int i = 0; i < count; ++i)
    if (i == 1)
      enter_frame (&registers, 2, true);
    else if (i != FRAMES - 1)
      leave_frame (&trace, i, i == count - 1);
}

int
main (int argc, char **argv)
{
  uint64_t count;
  FILE *file = argc == 2 ? fopen (argv[1], "r") : NULL;

  if (file == NULL)
    {
      fprintf (stderr, "usage: %s FILE\n", argv[0]);
      return 2;
    }
  while (fread (&count, sizeof count, 1, file) == 1 && count > 2
	 && count <= FRAMES && fread (pcs, sizeof *pcs, count, file) == count)
    replay (count);
  printf ("stacks\t%lu\nframes\t%lu\nfound\t%lu\nguessed\t%lu\nnew\t%lu\n"
	  "outgrown\t%lu\n", stacks, frames, found, guessed, new, outgrown);
  return stacks == 0;
}
