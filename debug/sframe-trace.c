/* Steps up the stack by rules that earlier traces have left behind.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-trace.h.  */

#include <sframe-cache.h>
#include <sframe-machine.h>
#include <sframe-trace.h>
#include <sys/cdefs.h>

/* The rules of frames that were traced before, and which followed which.  */
static struct sframe_cache_slot cache[SFRAME_CACHE_SLOTS];
static sframe_cache_guess guesses[SFRAME_CACHE_SLOTS];

/* Guess next time that the frame in slot NUMBER follows PATH.  */
static inline void
expect (uint32_t path, uint32_t number)
{
  __atomic_store_n (&guesses[path], number, __ATOMIC_RELAXED);
}

void
__sframe_remember (struct sframe_trace *trace, const struct sframe_rule *rule)
{
  uintptr_t pc = trace->registers->pc;
  uint64_t word = sframe_cache_pack (rule, SFRAME_MACHINE_SP,
				     SFRAME_MACHINE_FP);
  uint32_t tag = sframe_cache_tag (trace->generation,
				   trace->registers->interrupted);

  if (word == 0 || !trace->remembers)
    return;
  uint32_t number = sframe_cache_victim (cache, pc, tag);
  struct sframe_cache_slot *slot = &cache[number];
  if (sframe_cache_read (slot, pc, tag) != word
      && !sframe_cache_write (slot, pc, tag, word))
    return;
  expect (trace->path, number);
  trace->path = sframe_cache_path (trace->path, number);
}

/* The rule of PC and TAG from the cache, or 0.  The slot that is expected after
   PATH is looked at first.  *NUMBER is that of the slot.  */
static inline uint64_t
recall (uint32_t path, uintptr_t pc, uint32_t tag, uint32_t *number)
{
  *number = __atomic_load_n (&guesses[path], __ATOMIC_RELAXED);
  uint64_t rule = sframe_cache_read (&cache[*number], pc, tag);
  if (__glibc_likely (rule != 0))
    return rule;

  *number = sframe_cache_set (pc);
  rule = sframe_cache_read (&cache[*number], pc, tag);
  if (rule == 0)
    rule = sframe_cache_read (&cache[++*number], pc, tag);
  if (rule != 0)
    expect (path, *number);
  return rule;
}

/* Whether the word at ADDRESS is aligned and lies in RANGE, all of which is
   readable.  */
static inline bool
is_readable (const struct sframe_range *range, uintptr_t address)
{
  return (address % sizeof (uintptr_t) == 0
	  && address >= range->low && address < range->high);
}

/* What a step by SFrame leads to.  */
struct place
{
  uintptr_t pc;
  uintptr_t sp;
  uintptr_t fp;
};

/* Take the step of RULE from *PLACE, if it is within RANGE and not out of the
   ordinary.  */
static inline bool
step (struct place *place, uint64_t rule, const struct sframe_range *range)
{
  uintptr_t cfa = ((rule & SFRAME_CACHE_CFA_FROM_FP) != 0
		   ? place->fp : place->sp) + sframe_cache_cfa_offset (rule);
  uintptr_t sp = cfa + SFRAME_MACHINE_SP_OFFSET;
  uintptr_t ra = cfa + sframe_cache_ra_offset (rule);
  uintptr_t fp = cfa + sframe_cache_fp_offset (rule);
  bool saved = (rule & SFRAME_CACHE_FP_SAVED) != 0;

  if (sp <= place->sp || !is_readable (range, ra)
      || (saved && !is_readable (range, fp))
      || ((rule & SFRAME_CACHE_CFA_FROM_FP) != 0
	  && sframe_stack_leap (place->sp, sp)))
    return false;
  /* That is for the caller to judge.  */
  if (*(const uintptr_t *) ra == 0)
    return false;
  place->pc = *(const uintptr_t *) ra;
  place->sp = sp;
  if (saved)
    place->fp = *(const uintptr_t *) fp;
  return true;
}

/* This decides how fast a trace is.  The loop keeps the registers out of
   memory and leaves all that is rare to its caller.  */
enum sframe_step_status
__sframe_walk_remembered (struct sframe_trace *trace)
{
  struct sframe_registers *registers = trace->registers;
  struct place place = { .pc = registers->pc,
			 .sp = registers->value[SFRAME_MACHINE_SP],
			 .fp = registers->value[SFRAME_MACHINE_FP] };
  const struct sframe_range range = trace->stack.current;
  uint32_t tag = sframe_cache_tag (trace->generation, registers->interrupted);
  const uint32_t called = sframe_cache_tag (trace->generation, false);
  uint32_t path = trace->path, number;
  int count = trace->count;
  uint64_t rule = 0;

  if ((registers->known & UINT64_C (1) << SFRAME_MACHINE_FP) == 0)
    return SFRAME_STEP_CALLER;
  while (count < trace->size)
    {
      rule = recall (path, place.pc, tag, &number);
      if (rule == 0 || (rule & SFRAME_CACHE_OUTERMOST) != 0
	  || !step (&place, rule, &range))
	break;
      path = sframe_cache_path (path, number);
      tag = called;
      trace->array[count++] = (void *) place.pc;
    }

  /* Say where that has led, if anywhere.  */
  if (count > trace->count)
    {
      registers->pc = place.pc;
      registers->value[SFRAME_MACHINE_SP] = place.sp;
      registers->value[SFRAME_MACHINE_FP] = place.fp;
      registers->known = (UINT64_C (1) << SFRAME_MACHINE_SP
			  | UINT64_C (1) << SFRAME_MACHINE_FP);
      registers->interrupted = false;
    }
  trace->count = count;
  trace->path = path;
  return ((rule & SFRAME_CACHE_OUTERMOST) != 0
	  ? SFRAME_STEP_OUTERMOST : SFRAME_STEP_CALLER);
}
