/* Step up the stack by the rules that earlier traces have cached.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-trace.h.  */

#include <sframe-cache.h>
#include <sframe-machine.h>
#include <sframe-strip.h>
#include <sframe-trace.h>
#include <sys/cdefs.h>

union sframe_cache_first __sframe_cache;

/* Predict that slot NUMBER holds the rule of the frame that follows PATH.  */
static inline void
predict (struct sframe_cache *cache, uint32_t path, uint32_t number)
{
  __atomic_store_n (&sframe_cache_predictions (cache)[path], number,
		    __ATOMIC_RELAXED);
}

/* The rule of PC and TAG in the slot that is predicted after PATH, or 0.  */
static inline struct sframe_cache_found
read_predicted (const sframe_cache_number *predictions,
		const struct sframe_cache_slot *slots, uint32_t path,
		uintptr_t pc, uint64_t tag)
{
  uint32_t number = __atomic_load_n (&predictions[path], __ATOMIC_RELAXED);
  return (struct sframe_cache_found)
    { sframe_cache_read (&slots[number], pc, tag), number };
}

/* The rule of PC and TAG by the index, or 0.  Predict the slot found after
   PATH.  Out of line and cold, so that the loop of walk_calls keeps its
   registers and has no jump for the likely case.  */
static struct sframe_cache_found __attribute__ ((noinline, cold))
look_up (struct sframe_cache *cache, uint32_t path,
	 uintptr_t pc, uint64_t tag)
{
  struct sframe_cache_found found = sframe_cache_find (cache, pc, tag);

  if (found.rule != 0)
    predict (cache, path, found.number);
  return found;
}

/* The part of a frame that cached rules need.  */
struct frame
{
  uintptr_t pc;
  uintptr_t sp;
  uintptr_t fp;
};

/* How far below a CFA that is DISTANCE above FP a cached rule may read.  */
static inline intptr_t
fp_reach (intptr_t distance)
{
  return (SFRAME_MACHINE_RECORD
	  ? distance : sframe_cache_reach (SFRAME_MACHINE_SP_OFFSET));
}

/* Whether CFA, which was computed from FP, can be used without a probe: it is
   aligned, the words that a cached rule reads below it lie above SP, and it is
   not so far above SP that it must be probed (sframe_stack_leap).  */
static inline bool
is_next (uintptr_t sp, uintptr_t fp, uintptr_t cfa)
{
  uintptr_t reach = fp_reach (cfa - fp);

  return (cfa % sizeof (uintptr_t) == 0 && cfa - sp >= reach
	  && !sframe_stack_leap (sp, cfa + SFRAME_MACHINE_SP_OFFSET));
}

/* Step from *FRAME to its caller by the cached RULE.  Return false and leave
   *FRAME alone if the CFA is above HIGH or needs a probe.

   Invariant: SP is aligned and at most HIGH, and the memory from SP up to HIGH
   is readable.  A cached rule reads only words between SP and the CFA.
   Compare distances from SP, since SP plus an offset can wrap.  */
static inline bool
step_cached (struct frame *frame, uint64_t rule, uintptr_t high)
{
  uintptr_t cfa = sframe_cache_cfa_offset (rule);

  if ((rule & SFRAME_CACHE_CFA_FROM_FP) == 0)
    cfa += frame->sp;
  else if (!is_next (frame->sp, frame->fp, cfa += frame->fp))
    return false;
  if (cfa - frame->sp > high - frame->sp)
    return false;
  frame->pc = *(const uintptr_t *) (cfa + sframe_cache_ra_offset (rule));
  frame->pc = sframe_strip (frame->pc);
  if ((rule & SFRAME_CACHE_FP_SAVED) != 0)
    frame->fp = *(const uintptr_t *) (cfa + sframe_cache_fp_offset (rule));
  frame->sp = cfa + SFRAME_MACHINE_SP_OFFSET;
  return true;
}

/* Store TRACE's frame in *FRAME.  Return whether step_cached may be called: FP
   is known, and the invariant on SP holds.  */
static inline bool
load_frame (const struct sframe_trace *trace, struct frame *frame)
{
  const struct sframe_registers *registers = trace->registers;

  *frame = (struct frame) { .pc = registers->pc,
			    .sp = registers->value[SFRAME_MACHINE_SP],
			    .fp = registers->value[SFRAME_MACHINE_FP] };
  return ((registers->known & UINT64_C (1) << SFRAME_MACHINE_FP) != 0
	  && frame->sp % sizeof (uintptr_t) == 0
	  && frame->sp >= trace->stack.current.low
	  && frame->sp <= trace->stack.current.high);
}

/* Make FRAME, whose PC is a return address, that of TRACE.  */
static inline void
store_frame (struct sframe_trace *trace, const struct frame *frame)
{
  struct sframe_registers *registers = trace->registers;

  registers->pc = frame->pc;
  registers->value[SFRAME_MACHINE_SP] = frame->sp;
  registers->value[SFRAME_MACHINE_FP] = frame->fp;
  registers->known = (UINT64_C (1) << SFRAME_MACHINE_SP
		      | UINT64_C (1) << SFRAME_MACHINE_FP);
  registers->kept = 0;
  registers->interrupted = false;
  registers->fetch_failed = false;
  registers->moved_down = false;
}

/* Cache WORD as the rule of TRACE's frame.  */
static inline void
cache_word (struct sframe_trace *trace, uint64_t word)
{
  struct sframe_cache *cache = __sframe_cache_table (trace->table);
  uintptr_t pc = trace->registers->pc;
  uint64_t tag = sframe_cache_tag (trace->generation,
				   trace->registers->interrupted);
  struct sframe_cache_found found = { 0, 0 };

  if (!trace->missed)
    found = sframe_cache_find (cache, pc, tag);
  uint32_t number = found.number;
  bool adds = found.rule != word;
  if (!adds || sframe_cache_add (cache, pc, tag, word, &number))
    {
      predict (cache, trace->path, number);
      trace->path = sframe_cache_path (sframe_cache_start (cache),
				       sframe_cache_path_shift (cache),
				       trace->path, number);
    }
  /* Slots are stored in turn: NUMBER is 0 for the first one, and then each
     time when all slots were stored once more, even if slot 0 cannot be
     used.  */
  if (adds && number == 0)
    __sframe_cache_grow (trace->table);
}

uint64_t
__sframe_cache_rule (struct sframe_trace *trace,
		     const struct sframe_rule *rule)
{
  if (trace->table == 0)
    return 0;
  uint64_t word = sframe_cache_pack (rule, SFRAME_MACHINE_SP,
				     SFRAME_MACHINE_FP,
				     SFRAME_MACHINE_SP_OFFSET,
				     fp_reach (rule->cfa.offset));
  if (word != 0)
    cache_word (trace, word);
  return word;
}

bool
__sframe_step_cached (struct sframe_trace *trace, uint64_t word)
{
  struct frame frame;

  if ((word & SFRAME_CACHE_CALLER) == 0 || !load_frame (trace, &frame)
      || !step_cached (&frame, word, trace->stack.current.high))
    return false;
  store_frame (trace, &frame);
  return true;
}

/* Step by cached rules from FRAME, which is that of TRACE, and store the PCs:
   at most COUNT of them, and no more than the array has room for.  The tag is
   that of FRAME for all steps, so COUNT must be 1 if FRAME was interrupted.
   The speed of a trace is that of this loop: it keeps the frame in machine
   registers and leaves all rare cases to its caller.  */
static enum sframe_step_status
walk_calls (struct sframe_trace *trace, struct frame frame, int count)
{
  const struct sframe_registers *registers = trace->registers;
  struct sframe_cache *const cache = __sframe_cache_table (trace->table);
  const uint32_t path_start = sframe_cache_start (cache);
  const unsigned int shift = sframe_cache_path_shift (cache);
  const sframe_cache_number *const predictions
    = sframe_cache_predictions (cache);
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
      /* Find the rule of the frame, mostly where it is predicted.  */
      struct sframe_cache_found found
	= read_predicted (predictions, slots, path, frame.pc, tag);
      if (__glibc_unlikely ((found.rule & SFRAME_CACHE_CALLER) == 0))
	{
	  if (found.rule == 0)
	    {
	      found = look_up (cache, path, frame.pc, tag);
	      trace->missed = found.rule == 0;
	    }
	  outermost = (found.rule & SFRAME_CACHE_OUTERMOST) != 0;
	  if ((found.rule & SFRAME_CACHE_CALLER) == 0)
	    break;
	}
      /* Step to the caller, and store its PC.  */
      if (!step_cached (&frame, found.rule, high))
	break;
      *next++ = (void *) frame.pc;
      path = sframe_cache_path (path_start, shift, path, found.number);
    }

  /* Give the last frame and the count back to the trace.  */
  if (next > start)
    {
      store_frame (trace, &frame);
      /* Code without a caller may have stored 0 as its return address.  */
      outermost |= frame.pc == 0;
      next -= frame.pc == 0;
    }
  trace->count = next - trace->array;
  trace->path = path;
  return outermost ? SFRAME_STEP_OUTERMOST : SFRAME_STEP_CALLER;
}

/* Whether no rule is cached for TRACE's frame.  After a miss the next frame
   often misses as well; this check takes less time than walk_calls.  */
static inline bool
is_missing (const struct sframe_trace *trace)
{
  const struct sframe_registers *registers = trace->registers;
  uint64_t tag = sframe_cache_tag (trace->generation, registers->interrupted);

  return sframe_cache_find (__sframe_cache_table (trace->table),
			    registers->pc, tag).rule == 0;
}

unsigned int
__sframe_drop_cached (const struct sframe_trace *trace, const uintptr_t *words,
		      uint8_t *indices, unsigned int count, unsigned int room)
{
  unsigned int left = 0;

  if (trace->table == 0)
    return count < room ? count : room;
  struct sframe_cache *cache = __sframe_cache_table (trace->table);
  for (unsigned int i = 0; i < count && left < room; ++i)
    {
      indices[left] = indices[i];
      left += !sframe_cache_seems_to_have (cache,
					   sframe_strip (words[indices[i]]));
    }
  return left;
}

enum sframe_step_status
__sframe_walk_cached (struct sframe_trace *trace)
{
  const struct sframe_registers *registers = trace->registers;
  enum sframe_step_status status = SFRAME_STEP_CALLER;
  struct frame frame;
  bool missed_before = trace->missed;

  trace->missed = false;
  if (!load_frame (trace, &frame))
    return SFRAME_STEP_CALLER;
  if (missed_before && (trace->missed = is_missing (trace)))
    return SFRAME_STEP_CALLER;
  if (registers->interrupted)
    status = walk_calls (trace, frame, 1);
  if (status == SFRAME_STEP_CALLER && !registers->interrupted
      && load_frame (trace, &frame))
    status = walk_calls (trace, frame, trace->size);
  return status;
}
