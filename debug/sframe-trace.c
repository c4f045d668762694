/* Steps up the stack by rules that earlier traces have left behind.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-trace.h.  */

#include <sframe-cache.h>
#include <sframe-machine.h>
#include <sframe-trace.h>
#include <sys/cdefs.h>

union sframe_cache_first __sframe_cache;

/* Guess next time that the frame in slot NUMBER follows PATH.  */
static inline void
expect (struct sframe_cache *cache, uint32_t path, uint32_t number)
{
  __atomic_store_n (&sframe_cache_guesses (cache)[path], number,
		    __ATOMIC_RELAXED);
}

/* The rule of PC and TAG in the slot that is expected after PATH.  */
static inline struct sframe_cache_found
recall (const sframe_cache_number *guesses,
	const struct sframe_cache_slot *slots, uint32_t path,
	uintptr_t pc, uint64_t tag)
{
  uint32_t number = __atomic_load_n (&guesses[path], __ATOMIC_RELAXED);
  return (struct sframe_cache_found)
    { sframe_cache_read (&slots[number], pc, tag), number };
}

/* The rule of PC and TAG where it has its place.  Expect it there after PATH.
   Neither inlined nor taken for likely: the loop below is to have registers
   enough and no jumps.  */
static struct sframe_cache_found __attribute__ ((noinline, cold))
look_up (struct sframe_cache *cache, uint32_t path,
	 uintptr_t pc, uint64_t tag)
{
  struct sframe_cache_found found = sframe_cache_find (cache, pc, tag);

  if (found.rule != 0)
    expect (cache, path, found.number);
  return found;
}

/* A frame, as far as rules in the cache need to know it.  */
struct place
{
  uintptr_t pc;
  uintptr_t sp;
  uintptr_t fp;
};

/* Whether CFA, which came from FP, is aligned and not far up, and the words in
   reach below lie above SP.  */
static inline bool
is_next (uintptr_t sp, uintptr_t cfa)
{
  uintptr_t reach = sframe_cache_reach (SFRAME_MACHINE_SP_OFFSET);

  return (cfa % sizeof (uintptr_t) == 0 && cfa - sp >= reach
	  && !sframe_stack_leap (sp, cfa + SFRAME_MACHINE_SP_OFFSET));
}

/* Take the step of RULE from *PLACE, unless it leads beyond HIGH or is out of
   the ordinary.  SP is aligned and at most HIGH, and all between the two is
   readable.  What a rule in the cache reads lies between SP and the CFA.
   Distances from SP are compared, since SP plus an offset can wrap.  */
static inline bool
step (struct place *place, uint64_t rule, uintptr_t high)
{
  uintptr_t cfa = sframe_cache_cfa_offset (rule);

  if ((rule & SFRAME_CACHE_CFA_FROM_FP) == 0)
    cfa += place->sp;
  else if (!is_next (place->sp, cfa += place->fp))
    return false;
  if (cfa - place->sp > high - place->sp)
    return false;
  place->pc = *(const uintptr_t *) (cfa + sframe_cache_ra_offset (rule));
  if ((rule & SFRAME_CACHE_FP_SAVED) != 0)
    place->fp = *(const uintptr_t *) (cfa + sframe_cache_fp_offset (rule));
  place->sp = cfa + SFRAME_MACHINE_SP_OFFSET;
  return true;
}

/* Store TRACE's frame in *PLACE.  Return whether a rule in the cache is enough
   to leave it.  */
static inline bool
depart (const struct sframe_trace *trace, struct place *place)
{
  const struct sframe_registers *registers = trace->registers;

  *place = (struct place) { .pc = registers->pc,
			    .sp = registers->value[SFRAME_MACHINE_SP],
			    .fp = registers->value[SFRAME_MACHINE_FP] };
  return ((registers->known & UINT64_C (1) << SFRAME_MACHINE_FP) != 0
	  && place->sp % sizeof (uintptr_t) == 0
	  && place->sp >= trace->stack.current.low
	  && place->sp <= trace->stack.current.high);
}

/* Make the frame at PLACE, to which a call has led, that of TRACE.  */
static inline void
arrive (struct sframe_trace *trace, const struct place *place)
{
  struct sframe_registers *registers = trace->registers;

  registers->pc = place->pc;
  registers->value[SFRAME_MACHINE_SP] = place->sp;
  registers->value[SFRAME_MACHINE_FP] = place->fp;
  registers->known = (UINT64_C (1) << SFRAME_MACHINE_SP
		      | UINT64_C (1) << SFRAME_MACHINE_FP);
  registers->interrupted = false;
  registers->moved_down = false;
}

/* Remember WORD, the rule of TRACE's frame.  */
static inline void
remember (struct sframe_trace *trace, uint64_t word)
{
  struct sframe_cache *cache = __sframe_cache_table (trace->table);
  uintptr_t pc = trace->registers->pc;
  uint64_t tag = sframe_cache_tag (trace->generation,
				   trace->registers->interrupted);
  uint32_t number;
  bool stored = (trace->missed
		 ? sframe_cache_add (cache, pc, tag, word, &number)
		 : sframe_cache_store (cache, pc, tag, word, &number));

  if (!stored)
    return;
  expect (cache, trace->path, number);
  trace->path = sframe_cache_path (sframe_cache_start (cache),
				   sframe_cache_path_shift (cache),
				   trace->path, number);
  /* All slots were given out, and one rule was replaced.  */
  if (number == 0)
    __sframe_cache_grow (trace->table);
}

uint64_t
__sframe_remember (struct sframe_trace *trace, const struct sframe_rule *rule)
{
  if (trace->table == 0)
    return 0;
  uint64_t word = sframe_cache_pack (rule, SFRAME_MACHINE_SP,
				     SFRAME_MACHINE_FP,
				     SFRAME_MACHINE_SP_OFFSET);
  if (word != 0)
    remember (trace, word);
  return word;
}

bool
__sframe_step_remembered (struct sframe_trace *trace, uint64_t word)
{
  struct place place;

  if ((word & SFRAME_CACHE_CALLER) == 0 || !depart (trace, &place)
      || !step (&place, word, trace->stack.current.high))
    return false;
  arrive (trace, &place);
  return true;
}

/* Take steps to COUNT frames at most, and to no more than the array has room
   for, from PLACE, which is the frame of TRACE.  That one was interrupted or
   not, the others were not.  This decides how fast a trace is: the loop keeps
   the registers out of memory and leaves all that is rare to its caller.  */
static enum sframe_step_status
walk_alike (struct sframe_trace *trace, struct place place, int count)
{
  const struct sframe_registers *registers = trace->registers;
  struct sframe_cache *const cache = __sframe_cache_table (trace->table);
  const uint32_t path_start = sframe_cache_start (cache);
  const unsigned int shift = sframe_cache_path_shift (cache);
  const sframe_cache_number *const guesses = sframe_cache_guesses (cache);
  const struct sframe_cache_slot *const slots = sframe_cache_slot (cache, 0);
  const uintptr_t high = trace->stack.current.high;
  const uint64_t tag = sframe_cache_tag (trace->generation,
					 registers->interrupted);
  uint32_t path = trace->path;
  void **const start = trace->array + trace->count, **next = start;
  const int room = trace->size - trace->count;
  void **const end = start + (count < room ? count : room);
  bool outermost = false;

  while (next < end)
    {
      struct sframe_cache_found found
	= recall (guesses, slots, path, place.pc, tag);
      if (__glibc_unlikely ((found.rule & SFRAME_CACHE_CALLER) == 0))
	{
	  if (found.rule == 0)
	    {
	      found = look_up (cache, path, place.pc, tag);
	      trace->missed = found.rule == 0;
	    }
	  outermost = (found.rule & SFRAME_CACHE_OUTERMOST) != 0;
	  if ((found.rule & SFRAME_CACHE_CALLER) == 0)
	    break;
	}
      if (!step (&place, found.rule, high))
	break;
      *next++ = (void *) place.pc;
      path = sframe_cache_path (path_start, shift, path, found.number);
    }

  if (next > start)
    {
      arrive (trace, &place);
      /* Code that has no caller may have put a zero for it.  */
      outermost |= place.pc == 0;
      next -= place.pc == 0;
    }
  trace->count = next - trace->array;
  trace->path = path;
  return outermost ? SFRAME_STEP_OUTERMOST : SFRAME_STEP_CALLER;
}

/* Whether no rule is remembered for TRACE's frame.  Where this was so for the
   frame before, it often is again, and is found out sooner here.  */
static inline bool
is_new (const struct sframe_trace *trace)
{
  const struct sframe_registers *registers = trace->registers;
  uint64_t tag = sframe_cache_tag (trace->generation, registers->interrupted);

  return sframe_cache_find (__sframe_cache_table (trace->table),
			    registers->pc, tag).rule == 0;
}

enum sframe_step_status
__sframe_walk_remembered (struct sframe_trace *trace)
{
  const struct sframe_registers *registers = trace->registers;
  enum sframe_step_status status = SFRAME_STEP_CALLER;
  struct place place;
  bool missed_before = trace->missed;

  trace->missed = false;
  if (!depart (trace, &place))
    return SFRAME_STEP_CALLER;
  if (missed_before && (trace->missed = is_new (trace)))
    return SFRAME_STEP_CALLER;
  if (registers->interrupted)
    status = walk_alike (trace, place, 1);
  if (status == SFRAME_STEP_CALLER && !registers->interrupted
      && depart (trace, &place))
    status = walk_alike (trace, place, trace->size);
  return status;
}
