/* Walking the stack of the calling thread by SFrame.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-backtrace.h.

   A frame that SFrame does not describe is left by the .eh_frame section of
   its object.  Its rules may need a register that a callee has saved and that
   SFrame knows nothing of.  Then the trace begins anew and goes by .eh_frame
   from the start, which is slower and tells all of them.  */

#include <sframe-backtrace.h>
#include <sframe-code.h>
#include <sframe-eh-object.h>
#include <sframe-machine.h>
#include <sframe-module.h>
#include <sframe-object.h>
#include <sframe-reader.h>
#include <sframe-system.h>
#include <sframe-trace.h>

/* Functions whose variables are not needed any more when backtrace is deepest
   are not to be inlined: it has little stack.  */
#define RELEASE_STACK __attribute__ ((noinline))
/* And those below which all others are called are to share one frame.  */
#define SHARE_STACK inline __attribute__ ((always_inline))

/* The loader's answer takes stack here alone.  */
static const sframe_module * RELEASE_STACK
find_object (uintptr_t pc, const void **eh_header)
{
  return sframe_module_find (pc, eh_header);
}

/* Whether PC belongs to the object that TRACE has looked into last.  */
static inline bool
is_same_object (const struct sframe_trace *trace, uintptr_t pc)
{
  return trace->map != NULL && sframe_module_has (trace->map, pc);
}

/* Find the object that PC belongs to, or null.  The caller of a function is
   often in the same one.  */
static inline const sframe_module *
find_map (struct sframe_trace *trace, uintptr_t pc)
{
  const void *eh_header;

  if (is_same_object (trace, pc))
    return trace->map;
  sframe_reader_begin (&trace->reader);
  return trace->map = find_object (pc, &eh_header);
}

/* Whether nothing was executed at PC, which is in MAP unless that is null, so
   that it was jumped to.  Code of an object that cannot be fetched any more is
   not meant: a function may have got there in the usual way.  */
static bool
was_not_fetched (const sframe_module *map,
		 const struct sframe_registers *registers)
{
  return ((registers->interrupted
	   && registers->pc % SFRAME_MACHINE_CODE_ALIGN != 0)
	  || (registers->fetch_failed
	      && (map == NULL || !__sframe_is_code (map, registers->pc))));
}

/* Whether the frame was interrupted by a signal, which makes all registers
   known.  */
static bool
knows_all (const struct sframe_registers *registers)
{
  return registers->known == (UINT64_C (1) << SFRAME_MACHINE_REGISTERS) - 1;
}

/* Whether RULE may be wrong about an interrupted frame because SFrame cannot
   say that SP is in another register.  */
static inline bool
is_sp_doubtful (const struct sframe_registers *registers,
		const struct sframe_rule *rule)
{
  return (SFRAME_MACHINE_SP_LOOK != 0 && registers->interrupted
	  && !rule->signal && !rule->outermost
	  && rule->cfa.kind == SFRAME_REGISTER_VALUE
	  && rule->cfa.reg == SFRAME_MACHINE_SP
	  && rule->cfa.offset == -SFRAME_MACHINE_SP_OFFSET);
}

/* Step to the caller by the rule of MAP's SFrame section for PC, but unless
   LAST is set neither by that of a signal trampoline nor by a doubtful one,
   where .eh_frame may know better.  */
static enum sframe_step_status RELEASE_STACK
step_sframe (struct sframe_trace *trace, const sframe_module *map,
	     uintptr_t pc, bool last)
{
  struct sframe_rule rule;

  if (!__sframe_object_rule (map, pc, &rule))
    return SFRAME_STEP_NO_RULE;
  if (rule.signal && !last)
    return SFRAME_STEP_TRAMPOLINE;
  if (is_sp_doubtful (trace->registers, &rule))
    {
      if (!last)
	return SFRAME_STEP_NO_RULE;
      if (!__sframe_correct_cfa (map, trace->registers, &rule))
	return SFRAME_STEP_BROKEN;
    }
  return (__sframe_step_remembered (trace, sframe_remember_rule (trace, &rule))
	  ? SFRAME_STEP_CALLER
	  : __sframe_step (trace->registers, &rule, &trace->stack));
}

/* Step to the caller by MAP's .eh_frame entry for PC, but not by that of a
   signal trampoline unless SIGNAL is set.  */
static SHARE_STACK enum sframe_step_status
step_eh_frame (struct sframe_trace *trace, const sframe_module *map,
	       uintptr_t pc, bool signal)
{
  const void *eh_header;

  if (find_object (pc, &eh_header) != map)
    return SFRAME_STEP_NO_RULE;
  return __sframe_eh_object_step (trace, map, eh_header, pc, signal);
}

/* Step to the caller by a table of MAP for PC.  */
static SHARE_STACK enum sframe_step_status
step_table (struct sframe_trace *trace, const sframe_module *map,
	    uintptr_t pc)
{
  enum sframe_step_status status = SFRAME_STEP_NO_RULE;

  if (!trace->all_registers)
    status = step_sframe (trace, map, pc, false);
  return (status == SFRAME_STEP_NO_RULE
	  ? step_eh_frame (trace, map, pc, false) : status);
}

/* Step to the caller by a table of MAP for PC that was passed over before:
   that of a signal trampoline, whose code is not a known one, or SFrame where
   .eh_frame knows more but has no entry.  STATUS is what
   step_table has returned.  */
static enum sframe_step_status
step_last_table (struct sframe_trace *trace, const sframe_module *map,
		 uintptr_t pc, enum sframe_step_status status)
{
  enum sframe_step_status last = SFRAME_STEP_NO_RULE;

  if (status == SFRAME_STEP_TRAMPOLINE)
    last = step_eh_frame (trace, map, pc, true);
  if (last == SFRAME_STEP_NO_RULE || last == SFRAME_STEP_UNSUPPORTED)
    last = step_sframe (trace, map, pc, true);
  return last;
}

/* Step to the caller of TRACE's frame, which is in MAP, by the code at PC.
   STATUS is what step_table has returned.  */
static enum sframe_step_status RELEASE_STACK
step_code (struct sframe_trace *trace, const sframe_module *map,
	   uintptr_t pc, enum sframe_step_status status)
{
  static const struct sframe_rule outermost = { .outermost = true };
  struct sframe_registers *registers = trace->registers;
  struct sframe_stack *stack = &trace->stack;
  enum sframe_step_status special;

  /* Of a trampoline the kernel's record is preferred to the rule, which tells
     neither all registers nor why the signal came.  */
  special = __sframe_step_trampoline (map, registers, stack);
  if (special != SFRAME_STEP_NO_RULE)
    return special;
  if (!__sframe_is_code (map, pc))
    return __sframe_step_foreign (registers, stack, SFRAME_STEP_FOREIGN);
  if (__sframe_is_start (map, registers))
    {
      sframe_remember_rule (trace, &outermost);
      return SFRAME_STEP_OUTERMOST;
    }
  special = step_last_table (trace, map, pc, status);
  if (special == SFRAME_STEP_NO_RULE)
    special = __sframe_step_stub (map, registers, stack);
  if (special != SFRAME_STEP_NO_RULE)
    return special;
  if (status == SFRAME_STEP_UNSUPPORTED)
    return __sframe_step_foreign (registers, stack, status);
  /* Between functions, or in one without tables, of which nothing may have
     been executed.  */
  return (knows_all (registers)
	  ? __sframe_step_wild (registers, stack, true) : status);
}

/* Step to the caller of TRACE's frame, which is in MAP.  Where a table has a
   rule no code needs to be read, so the code comes second.  */
static SHARE_STACK enum sframe_step_status
step_object (struct sframe_trace *trace, const sframe_module *map,
	     uintptr_t pc)
{
  enum sframe_step_status status = SFRAME_STEP_NO_RULE;

  /* Of a trampoline there PC is in the function before it.  */
  if (sframe_signal_object (map))
    status = __sframe_step_trampoline (map, trace->registers, &trace->stack);
  if (status == SFRAME_STEP_NO_RULE)
    status = step_table (trace, map, pc);
  return (status == SFRAME_STEP_NO_RULE || status == SFRAME_STEP_TRAMPOLINE
	  || status == SFRAME_STEP_UNSUPPORTED
	  ? step_code (trace, map, pc, status) : status);
}

/* Step to the caller of TRACE's frame.  */
static SHARE_STACK enum sframe_step_status
step_any (struct sframe_trace *trace)
{
  struct sframe_registers *registers = trace->registers;
  struct sframe_stack *stack = &trace->stack;
  /* A return address may be the first byte of the next function, if the call
     never returns; the call itself ends one byte before it.  */
  uintptr_t pc = registers->pc - !registers->interrupted;

  /* No call precedes these addresses, so that looking there would find some
     other function.  */
  if (!registers->interrupted && sframe_context_start (registers->pc))
    return SFRAME_STEP_OUTERMOST;
  if (sframe_own_trampoline (registers->pc))
    return __sframe_step_trampoline (NULL, registers, stack);

  const sframe_module *map = find_map (trace, pc);
  if (was_not_fetched (map, registers))
    return __sframe_step_wild (registers, stack, false);
  registers->fetch_failed = false;
  if (map != NULL)
    return step_object (trace, map, pc);
  enum sframe_step_status status
    = __sframe_step_trampoline (NULL, registers, stack);
  return (status == SFRAME_STEP_NO_RULE
	  ? __sframe_step_foreign (registers, stack, SFRAME_STEP_FOREIGN)
	  : status);
}

/* Step to the caller of TRACE's frame, for which no rule is remembered.  If
   the caller's SP is below the callee's, the function has switched stacks, or
   FP was overwritten.  What lies below SP is often left over from frames that
   are gone, so that the caller must at least have made a call.  */
static enum sframe_step_status
step (struct sframe_trace *trace)
{
  struct sframe_registers *registers = trace->registers;
  enum sframe_step_status status;

  registers->moved_down = false;
  status = step_any (trace);
  if (status != SFRAME_STEP_CALLER)
    return status;
  if (knows_all (registers))
    trace->in_handler = true;
  else if (registers->moved_down
	   && !__sframe_follows_call (registers->pc, registers,
				      &trace->stack))
    return SFRAME_STEP_BROKEN;
  return status;
}

/* Store the PCs of the frame in TRACE's registers and of its callers.  Return
   what the last step led to.  */
static enum sframe_step_status
walk (struct sframe_trace *trace)
{
  trace->array[0] = (void *) trace->registers->pc;
  trace->count = 1;
  if (trace->table != 0)
    trace->path = sframe_cache_start (__sframe_cache_table (trace->table));
  while (trace->count < trace->size)
    {
      enum sframe_step_status status = SFRAME_STEP_CALLER;
      if (trace->table != 0 && !trace->all_registers)
	status = __sframe_walk_remembered (trace);
      if (trace->count >= trace->size)
	break;
      if (status == SFRAME_STEP_CALLER)
	status = step (trace);
      if (status != SFRAME_STEP_CALLER)
	return status;
      /* Code that has no caller may have put a zero for it.  */
      if (trace->registers->pc == 0 && !trace->registers->interrupted)
	return SFRAME_STEP_OUTERMOST;
      trace->array[trace->count++] = (void *) trace->registers->pc;
    }
  return SFRAME_STEP_OUTERMOST;
}

/* Store the registers of the function that calls this one.  */
static void RELEASE_STACK
capture (struct sframe_registers *registers)
{
  sframe_capture_caller (registers);
}

/* How many frames there are of backtrace and below, at most.  */
#define OWN_FRAMES_MAX 4

/* Begin TRACE once more, now with all registers that calls preserve, from the
   function that this is inlined into.  All of them are in its frame, and its
   .eh_frame entry tells where.  SP is that of backtrace's caller, where the
   trace begins.  Return whether that was found.  */
static inline bool __attribute__ ((always_inline))
begin_again (struct sframe_trace *trace, uintptr_t sp)
{
  struct sframe_registers *registers = trace->registers;

  capture (registers);
  trace->all_registers = true;
  __sframe_stack_init (&trace->stack, registers->value[SFRAME_MACHINE_SP]);
  for (int i = 0; i < OWN_FRAMES_MAX; ++i)
    {
      if (step (trace) != SFRAME_STEP_CALLER)
	return false;
      if (registers->value[SFRAME_MACHINE_SP] == sp)
	return true;
    }
  return false;
}

/* Find out whether there is to be a trace by SFrame, and in TRACE where rules
   are remembered, which the first trace does without.  */
static bool
begin (struct sframe_trace *trace)
{
  static enum { never, once, often } traced;

  switch (atomic_load_relaxed (&traced))
    {
    case once:
      sframe_cache_open (&__sframe_cache.head);
      atomic_store_relaxed (&traced, often);
      /* Fall through.  */
    case often:
      trace->table = __sframe_cache_largest ();
      return true;
    default:
      if (sframe_setting () == 0)
	return false;
      atomic_store_relaxed (&traced, once);
      return true;
    }
}

/* What TRACE, which has ended with STATUS, needs libgcc for.  */
static enum sframe_help
find_help (const struct sframe_trace *trace, enum sframe_step_status status)
{
  if (trace->stack.doubt == sframe_ask_always
      || (status != SFRAME_STEP_UNSUPPORTED && status != SFRAME_STEP_FOREIGN))
    return SFRAME_HELP_NONE;
  return (status == SFRAME_STEP_UNSUPPORTED && !trace->in_handler
	  ? SFRAME_HELP_LOAD : SFRAME_HELP_IF_LOADED);
}

enum sframe_help
__sframe_backtrace (void **array, int size,
		    struct sframe_registers *registers, int *count)
{
  uintptr_t sp = registers->value[SFRAME_MACHINE_SP];
  struct sframe_trace trace
    = { .array = array, .size = size, .registers = registers,
	.generation = atomic_load_acquire (&sframe_unloads ()->count) };
  enum sframe_step_status status;

  /* For begin_again.  */
  __builtin_unwind_init ();
  *count = 0;
  if (!begin (&trace))
    return SFRAME_HELP_LOAD;
  __sframe_stack_init (&trace.stack, sp);
  do
    status = walk (&trace);
  while (status == SFRAME_STEP_UNKNOWN && !trace.all_registers
	 && begin_again (&trace, sp));
  sframe_reader_end (trace.reader);
  *count = trace.count;
  return find_help (&trace, status);
}
