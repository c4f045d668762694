/* Walk the stack of the calling thread by SFrame.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-backtrace.h.

   A step from a frame to its caller uses the first of these that applies:

   1. a rule that an earlier trace has cached (walk, sframe-trace.c);
   2. the SFrame section of the object (step_sframe);
   3. the .eh_frame section of the object (step_eh_frame);
   4. the code at the PC: signal trampoline, _start, PLT stub (step_known_code,
      step_other_code, sframe-code.c);
   5. the assumption that a call through a bad pointer has led to the PC
      (__sframe_step_wild);
   6. libgcc, which may know code that is in no object (sframe-libgcc.c).

   Three cases are tested before the tables, which can be wrong for them: the
   function that makecontext starts, a signal trampoline that is known by its
   address, and a PC at which no instruction was executed.

   A module (sframe_module) is what libc knows of a loaded object.

   The rules of .eh_frame may need a register that a callee has saved and that
   SFrame does not describe.  Then the trace begins again and uses .eh_frame
   from the first frame on, which is slower but recovers all registers.  */

#include <sframe-ahead.h>
#include <sframe-backtrace.h>
#include <sframe-code.h>
#include <sframe-eh-object.h>
#include <sframe-machine.h>
#include <sframe-module.h>
#include <sframe-object.h>
#include <sframe-pin.h>
#include <sframe-stack-use.h>
#include <sframe-system.h>
#include <sframe-trace.h>

/* Return the object that PC belongs to, or null.  Store its .eh_frame_hdr, or
   null, in *EH_HEADER.  */
static const sframe_module * RELEASE_STACK
find_object (uintptr_t pc, const void **eh_header)
{
  return sframe_module_find (pc, eh_header);
}

/* Whether PC belongs to the object that find_module found last.  */
static inline bool
is_same_object (const struct sframe_trace *trace, uintptr_t pc)
{
  return trace->module != NULL && sframe_module_has (trace->module, pc);
}

/* Find the object that PC belongs to, or null.  Try the last one first: caller
   and callee are often in the same object.  */
static inline const sframe_module *
find_module (struct sframe_trace *trace, uintptr_t pc)
{
  const void *eh_header;

  if (is_same_object (trace, pc))
    return trace->module;
  sframe_pin_begin (&trace->pin);
  trace->section.fde_count = 0;
  return trace->module = find_object (pc, &eh_header);
}

/* Whether no instruction was executed at the PC, so that only a jump or a call
   can have led there.  MODULE is the object of the PC or null.  The result is
   false for code of an object that has become unreadable: its function may
   have run before.  */
static bool
was_not_fetched (const sframe_module *module,
		 const struct sframe_registers *registers)
{
  return ((registers->interrupted
	   && registers->pc % SFRAME_MACHINE_CODE_ALIGN != 0)
	  || (registers->fetch_failed
	      && (module == NULL
		  || !__sframe_is_code (module, registers->pc))));
}

/* Whether all registers are known, as in a frame that a signal has
   interrupted.  */
static bool
knows_all (const struct sframe_registers *registers)
{
  return registers->known == (UINT64_C (1) << SFRAME_MACHINE_REGISTERS) - 1;
}

/* Whether RULE may be wrong for an interrupted frame: it says that SP has not
   changed since the function was called, but SFrame cannot express that the
   caller's SP is kept in another register.  */
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

/* Step to the caller by the rule of MODULE's SFrame section for PC.  Unless
   LAST is set, do not use the rule of a signal trampoline or a doubtful rule:
   .eh_frame may have a better one.  */
static enum sframe_step_status RELEASE_STACK
step_sframe (struct sframe_trace *trace, const sframe_module *module,
	     uintptr_t pc, bool last)
{
  struct sframe_rule rule;

  if (!__sframe_object_rule (trace, module, pc, &rule))
    return SFRAME_STEP_NO_RULE;
  if (rule.signal && !last)
    return SFRAME_STEP_TRAMPOLINE;
  if (is_sp_doubtful (trace->registers, &rule))
    {
      if (!last)
	return SFRAME_STEP_NO_RULE;
      if (!__sframe_correct_cfa (module, trace->registers, &trace->stack,
				 &rule))
	return SFRAME_STEP_BROKEN;
    }
  return (__sframe_step_cached (trace, sframe_cache_object_rule (trace, &rule))
	  ? SFRAME_STEP_CALLER
	  : __sframe_step (trace->registers, &rule, &trace->stack));
}

/* Step to the caller by MODULE's .eh_frame entry for PC.  Unless SIGNAL is
   set, do not use the entry of a signal trampoline.  */
static SHARE_STACK enum sframe_step_status
step_eh_frame (struct sframe_trace *trace, const sframe_module *module,
	       uintptr_t pc, bool signal)
{
  const void *eh_header;

  if (find_object (pc, &eh_header) != module)
    return SFRAME_STEP_NO_RULE;
  return __sframe_eh_object_step (trace, module, eh_header, pc, signal);
}

/* Step to the caller by a table of MODULE for PC.  */
static SHARE_STACK enum sframe_step_status
step_table (struct sframe_trace *trace, const sframe_module *module,
	    uintptr_t pc)
{
  enum sframe_step_status status = SFRAME_STEP_NO_RULE;

  if (!trace->all_registers)
    status = step_sframe (trace, module, pc, false);
  return (status == SFRAME_STEP_NO_RULE
	  ? step_eh_frame (trace, module, pc, false) : status);
}

/* Step to the caller by a rule of MODULE for PC that step_table did not use:
   that of a signal trampoline whose code is unknown, or a doubtful rule of
   SFrame for which .eh_frame has no entry.  STATUS is the result of
   step_table.  */
static SHARE_STACK enum sframe_step_status
step_last_table (struct sframe_trace *trace, const sframe_module *module,
		 uintptr_t pc, enum sframe_step_status status)
{
  enum sframe_step_status last = SFRAME_STEP_NO_RULE;

  if (status == SFRAME_STEP_TRAMPOLINE)
    last = step_eh_frame (trace, module, pc, true);
  if (last == SFRAME_STEP_NO_RULE || last == SFRAME_STEP_UNSUPPORTED)
    last = step_sframe (trace, module, pc, true);
  return last;
}

/* Step to the caller of TRACE's frame, which is in MODULE, by the code at PC,
   if that is a signal trampoline or _start, or if there is none.  */
static enum sframe_step_status RELEASE_STACK
step_known_code (struct sframe_trace *trace, const sframe_module *module,
		 uintptr_t pc)
{
  static const struct sframe_rule outermost = { .outermost = true };
  struct sframe_registers *registers = trace->registers;
  struct sframe_stack *stack = &trace->stack;

  /* For a trampoline, prefer the signal frame to the rule: it has all
     registers and the cause of the signal.  */
  enum sframe_step_status status
    = __sframe_step_trampoline (module, registers, stack);
  if (status != SFRAME_STEP_NO_RULE)
    return status;
  if (!__sframe_is_code (module, pc))
    return __sframe_step_foreign (registers, stack, SFRAME_STEP_FOREIGN);
  if (!__sframe_is_start (module, registers, stack))
    return SFRAME_STEP_NO_RULE;
  sframe_cache_object_rule (trace, &outermost);
  return SFRAME_STEP_OUTERMOST;
}

/* Step to the caller of TRACE's frame, which is in MODULE, and for which no
   table has a rule.  STATUS is the result of step_table.  */
static enum sframe_step_status RELEASE_STACK
step_other_code (struct sframe_trace *trace, const sframe_module *module,
		 enum sframe_step_status status)
{
  struct sframe_registers *registers = trace->registers;
  struct sframe_stack *stack = &trace->stack;
  enum sframe_step_status stub
    = __sframe_step_stub (module, registers, stack);

  if (stub != SFRAME_STEP_NO_RULE)
    return stub;
  if (status == SFRAME_STEP_UNSUPPORTED)
    return __sframe_step_foreign (registers, stack, status);
  /* PC is between functions, or in one without a rule.  Possibly no
     instruction was executed there.  */
  return (knows_all (registers)
	  ? __sframe_step_wild (registers, stack, true) : status);
}

/* Step to the caller of TRACE's frame, which is in MODULE.  Try the tables
   before the code: reading code needs a probe, a system call.  */
static SHARE_STACK enum sframe_step_status
step_object (struct sframe_trace *trace, const sframe_module *module,
	     uintptr_t pc)
{
  enum sframe_step_status status = SFRAME_STEP_NO_RULE, special;

  /* PC is the return address minus one.  If that is the start of a trampoline,
     the table would describe the function before it.  */
  if (sframe_signal_object (module))
    status = __sframe_step_trampoline (module, trace->registers,
				       &trace->stack);
  if (status == SFRAME_STEP_NO_RULE)
    status = step_table (trace, module, pc);
  if (status != SFRAME_STEP_NO_RULE && status != SFRAME_STEP_TRAMPOLINE
      && status != SFRAME_STEP_UNSUPPORTED)
    return status;
  special = step_known_code (trace, module, pc);
  if (special == SFRAME_STEP_NO_RULE)
    special = step_last_table (trace, module, pc, status);
  return (special == SFRAME_STEP_NO_RULE
	  ? step_other_code (trace, module, status) : special);
}

/* Step to the caller of TRACE's frame without the cache: by 2 to 5 in the list
   at the start of this file.  */
static SHARE_STACK enum sframe_step_status
step_uncached (struct sframe_trace *trace)
{
  struct sframe_registers *registers = trace->registers;
  struct sframe_stack *stack = &trace->stack;
  /* A return address may be the first byte of the next function, if the call
     never returns; the call itself ends one byte before it.  */
  uintptr_t pc = registers->pc - !registers->interrupted;

  /* No call instruction precedes these return addresses: PC - 1 would belong
     to an unrelated function.  */
  if (!registers->interrupted && sframe_context_start (registers->pc))
    return SFRAME_STEP_OUTERMOST;
  if (sframe_own_trampoline (registers->pc))
    return __sframe_step_trampoline (NULL, registers, stack);

  const sframe_module *module = find_module (trace, pc);
  if (was_not_fetched (module, registers))
    return __sframe_step_wild (registers, stack, false);
  registers->fetch_failed = false;
  if (module != NULL)
    {
      if (sframe_ahead_is_useful (trace, module))
	__sframe_look_ahead (trace, module);
      return step_object (trace, module, pc);
    }
  enum sframe_step_status status
    = __sframe_step_trampoline (NULL, registers, stack);
  return (status == SFRAME_STEP_NO_RULE
	  ? __sframe_step_foreign (registers, stack, SFRAME_STEP_FOREIGN)
	  : status);
}

/* Whether TRACE meets its frame a second time: the stack was overwritten, and
   the trace would never end.  Each round of such a loop has a step that does
   not raise SP; call this after each of these steps.  By Brent's algorithm it
   compares the frame with that after the last of these steps whose number is
   a power of two.  So a loop of LENGTH such steps that begins after BEFORE
   others is found within three times the larger of the two.  */
static bool
comes_again (struct sframe_trace *trace)
{
  uintptr_t pc = trace->registers->pc;
  uintptr_t sp = trace->registers->value[SFRAME_MACHINE_SP];

  if (pc == trace->turn_pc && sp == trace->turn_sp)
    return true;
  if ((trace->turns & (trace->turns - 1)) == 0)
    {
      trace->turn_pc = pc;
      trace->turn_sp = sp;
    }
  ++trace->turns;
  return false;
}

/* Step to the caller of TRACE's frame, for which no rule is cached.  If the
   caller's SP is below the callee's, the function has switched stacks or FP
   was overwritten.  In the latter case the words there are often the remains
   of earlier frames, so require that the return address follows a call.  The
   trace also ends if its frames lead to one another in a circle.  */
static enum sframe_step_status
step (struct sframe_trace *trace)
{
  struct sframe_registers *registers = trace->registers;
  uintptr_t sp = registers->value[SFRAME_MACHINE_SP];
  enum sframe_step_status status;

  registers->moved_down = false;
  status = step_uncached (trace);
  if (status != SFRAME_STEP_CALLER)
    return status;
  if (knows_all (registers))
    trace->in_handler = true;
  else if (registers->moved_down
	   && !__sframe_follows_call (registers->pc, registers,
				      &trace->stack))
    return SFRAME_STEP_BROKEN;
  return (registers->value[SFRAME_MACHINE_SP] <= sp && comes_again (trace)
	  ? SFRAME_STEP_BROKEN : status);
}

/* Store the PCs of the frame in TRACE's registers and of its callers.  Return
   the status of the last step.  */
static enum sframe_step_status
walk (struct sframe_trace *trace)
{
  trace->array[0] = (void *) trace->registers->pc;
  trace->count = 1;
  trace->turns = 0;
  trace->turn_sp = 0;
  if (trace->table != 0)
    trace->path = sframe_cache_start (__sframe_cache_table (trace->table));
  while (trace->count < trace->size)
    {
      enum sframe_step_status status = SFRAME_STEP_CALLER;
      if (trace->table != 0 && !trace->all_registers)
	status = __sframe_walk_cached (trace);
      if (trace->count >= trace->size)
	break;
      if (status == SFRAME_STEP_CALLER)
	status = step (trace);
      if (status != SFRAME_STEP_CALLER)
	return status;
      /* Code without a caller may have stored 0 as its return address.  */
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

/* The frames from begin_again's caller up to backtrace, at most.  */
#define OWN_FRAMES_MAX 4

/* Begin TRACE again, now with all call-saved registers.  The function that
   this is inlined into has saved them in its frame (__builtin_unwind_init),
   and its .eh_frame entry describes where.  So step from that function to
   backtrace's caller, which SP identifies and where the trace begins.  Return
   whether it was found.  */
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

/* Return whether the tunable permits a trace by SFrame, and choose TRACE's
   cache table: none for the first trace of the process.  If two threads race
   here, both take the same branch, which is harmless.  */
static bool
begin (struct sframe_trace *trace)
{
  static enum { never, once, often } traced;

  switch (atomic_load_relaxed (&traced))
    {
    case once:
      sframe_cache_prefault (&__sframe_cache.head);
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

/* How far to search a stack of which libc knows only two SPs.  */
#define SEARCH_MAX (64 * 1024)

/* Where to end a search that begins at SP: at the end of the stack or, if that
   is not known, at the SP that the trace has reached, since other memory may
   be another thread's, which may unmap it.  */
static uintptr_t
search_end (const struct sframe_trace *trace, uintptr_t sp)
{
  uintptr_t end = trace->registers->value[SFRAME_MACHINE_SP];

  if (__sframe_same_stack (&trace->stack, sp, sp))
    return trace->stack.window.high;
  if (sframe_signal_stack (sp, &end) || end - sp <= SEARCH_MAX)
    return end;
  return sp;
}

/* Whether the signal frame at SP, which a search has found, may be that of a
   fault signal.  */
static bool
may_be_fault (struct sframe_trace *trace, uintptr_t sp,
	      enum sframe_handlers handlers)
{
  sframe_signal_doubt (sp, &trace->stack);
  return (trace->stack.doubt == sframe_ask_always
	  || sframe_signal_unsure (sp, handlers, &trace->stack));
}

/* TRACE, which began at SP, would need libgcc.  Return
   SFRAME_HELP_IF_LOADED if libgcc may be used, otherwise SFRAME_HELP_NONE.
   TRACE may have ended before a signal frame that libgcc would reach, so
   search all words above SP for signal frames; if the trace has met none,
   all words above the frame where it ended, since what lies below is left
   of handlers that have returned.  On another stack than the thread's own look
   at the signal mask, too: that stack may not hold all signal frames.  */
static enum sframe_help RELEASE_STACK
search_handlers (struct sframe_trace *trace, uintptr_t sp)
{
  struct sframe_stack search = trace->stack;
  enum sframe_handlers handlers = sframe_signal_handlers ();
  if (handlers == sframe_handlers_none)
    return SFRAME_HELP_IF_LOADED;
  if (!trace->in_handler)
    sp = trace->registers->value[SFRAME_MACHINE_SP];
  bool known = __sframe_same_stack (&search, sp, sp), found = false;
  uintptr_t at = sp & -sizeof at, end = search_end (trace, sp), frame, word;

  __sframe_stack_doubt (&search, sframe_ask_always);
  for (; at < end && __sframe_stack_read (&search, at, &word); at += sizeof at)
    if (sframe_signal_search (at, handlers, &search, &frame))
      {
	found = true;
	if (may_be_fault (trace, frame, handlers))
	  return SFRAME_HELP_NONE;
      }
  if ((!found && trace->in_handler)
      || (!known && sframe_signal_blocks_fault ()))
    return SFRAME_HELP_NONE;
  return SFRAME_HELP_IF_LOADED;
}

/* Whether libgcc can continue TRACE, which began at SP and has ended with
   STATUS.  */
static enum sframe_help
find_help (struct sframe_trace *trace, enum sframe_step_status status,
	   uintptr_t sp)
{
  if (trace->stack.doubt == sframe_ask_always
      || !sframe_needs_libgcc (status))
    return SFRAME_HELP_NONE;
  return search_handlers (trace, sp);
}

enum sframe_help
__sframe_backtrace (void **array, int size,
		    struct sframe_registers *registers, int *count)
{
  uintptr_t sp = registers->value[SFRAME_MACHINE_SP];
  /* The load of the count pairs with the release in _dl_sframe_unload
     (elf/dl-sframe-retire.c).  */
  struct sframe_trace trace
    = { .array = array, .size = size, .registers = registers,
	.generation = atomic_load_acquire (&sframe_unloads ()->count) };
  enum sframe_step_status status;

  /* Save all call-saved registers in this frame, for begin_again.  */
  __builtin_unwind_init ();
  *count = 0;
  if (!begin (&trace))
    return SFRAME_HELP_LOAD;
  __sframe_stack_init (&trace.stack, sp);
  do
    status = walk (&trace);
  while (status == SFRAME_STEP_UNKNOWN && !trace.all_registers
	 && begin_again (&trace, sp));
  sframe_pin_end (trace.pin);
  *count = trace.count;
  return find_help (&trace, status, sp);
}
