/* Walking the stack of the calling thread by SFrame.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-backtrace.h.

   A frame that SFrame does not describe is left by the .eh_frame section of
   its object.  Its rules may need a register that a callee has saved and that
   SFrame knows nothing of.  Then the trace begins anew and goes by .eh_frame
   from the start, which is slower and tells all of them.  */

#include <dlfcn.h>
#include <elf/dl-tunables.h>
#include <ldsodefs.h>
#include <link.h>
#include <sframe-backtrace.h>
#include <sframe-eh-object.h>
#include <sframe-machine.h>
#include <sframe-object.h>
#include <sframe-system.h>
#include <sframe-trace.h>

/* Functions whose variables are not needed any more when backtrace is deepest
   are not to be inlined: it has little stack.  */
#define RELEASE_STACK __attribute__ ((noinline))

/* Find the object that PC belongs to, and where it has its .eh_frame_hdr, null
   if nowhere.  dlopen and dlclose may run meanwhile; an object that has a
   frame on this stack stays.  One that is unloaded under a frame, or while a
   stale return address into it is found on a broken stack, takes its tables
   along, as it does in libgcc.  */
static struct link_map * RELEASE_STACK
find_object (uintptr_t pc, const void **eh_header)
{
  struct dl_find_object object;

  if (GLRO (dl_find_object) ((void *) pc, &object) < 0)
    return NULL;
  *eh_header = object.dlfo_eh_frame;
  return object.dlfo_link_map;
}

/* Whether PC belongs to the object that TRACE has looked into last.  It stays
   if it has a frame on the stack; but it may have been found by a stale return
   address, so that it must not be touched once any has been unloaded.  */
static inline bool
is_same_object (const struct sframe_trace *trace, uintptr_t pc)
{
  const struct link_map *map = trace->map;

  return (map != NULL
	  && (atomic_load_acquire (&GL (dl_sframe_unloads))
	      == trace->generation)
	  && map->l_contiguous
	  && pc - map->l_map_start < map->l_map_end - map->l_map_start);
}

/* Find the object that PC belongs to, or null.  The caller of a function is
   often in the same one.  */
static inline struct link_map *
find_map (struct sframe_trace *trace, uintptr_t pc)
{
  const void *eh_header;

  if (!is_same_object (trace, pc))
    trace->map = find_object (pc, &eh_header);
  return trace->map;
}

/* Whether the SIZE bytes at PC belong to a segment of MAP that can be read
   and executed.  */
static bool
is_code (const struct link_map *map, uintptr_t pc, size_t size)
{
  for (size_t i = 0; i < map->l_phnum; ++i)
    {
      const ElfW(Phdr) *ph = &map->l_phdr[i];
      uintptr_t offset = pc - (map->l_addr + ph->p_vaddr);
      if (ph->p_type == PT_LOAD
	  && (ph->p_flags & (PF_R | PF_X)) == (PF_R | PF_X)
	  && offset < ph->p_memsz && ph->p_memsz - offset >= size)
	return true;
    }
  return false;
}

/* Whether the frame in MAP, which the tables do not describe, is that of
   _start, which has no caller.  _start is in crt1.o, which comes with the C
   library's development files and often has no SFrame where the program
   has.  */
static bool RELEASE_STACK
is_start (const struct link_map *map, const struct sframe_registers *registers)
{
  return (map->l_type == lt_executable
	  && registers->pc - map->l_entry < SFRAME_MACHINE_ENTRY_SIZE
	  && is_code (map, registers->pc, 1)
	  && sframe_entry_return ((const unsigned char *) registers->pc));
}

/* Whether the frame was interrupted in code of MAP between a call and the
   function that was called.  */
static bool
is_stub (const struct link_map *map, const struct sframe_registers *registers)
{
  return (SFRAME_MACHINE_STUB_SIZE != 0 && registers->interrupted
	  && is_code (map, registers->pc - SFRAME_MACHINE_STUB_SIZE,
		      2 * SFRAME_MACHINE_STUB_SIZE)
	  && sframe_stub ((const unsigned char *) registers->pc));
}

/* Step to the caller from where nothing has been executed since the call that
   would change the rule.  */
static enum sframe_step_status
step_call (struct sframe_registers *registers, struct sframe_stack *stack)
{
  struct sframe_rule rule;

  sframe_call_rule (&rule);
  return __sframe_step (registers, &rule, stack);
}

/* What the instruction before PC, where a call may return to, says about
   having led to the frame in *REGISTERS.  */
static enum sframe_call
call_before (uintptr_t pc, const struct sframe_registers *registers,
	     struct sframe_stack *stack)
{
  const void *eh_header;
  const struct link_map *map = find_object (pc - 1, &eh_header);

  if (map == NULL
      || !is_code (map, pc - SFRAME_MACHINE_CALL_SIZE,
		   SFRAME_MACHINE_CALL_SIZE))
    return SFRAME_CALL_NONE;
  return sframe_call_before ((const unsigned char *) pc, registers->pc,
			     registers, stack);
}

/* Step from a PC that no table knows to the call that has led to it.  What
   this leads to must follow a call instruction and, if EXACTLY is set, one of
   a call to that PC.  If it does not, something else has led there, such as a
   return through an overwritten address.  */
static enum sframe_step_status RELEASE_STACK
step_wild (struct sframe_registers *registers, struct sframe_stack *stack,
	   bool exactly)
{
  struct sframe_registers callee = *registers;

  if (step_call (registers, stack) != SFRAME_STEP_CALLER)
    return SFRAME_STEP_BROKEN;
  enum sframe_call call = call_before (registers->pc, &callee, stack);
  return (call == SFRAME_CALL_TO_PC
	  || (call == SFRAME_CALL_SOMEWHERE && !exactly)
	  ? SFRAME_STEP_CALLER : SFRAME_STEP_BROKEN);
}

/* Whether the frame was interrupted by a signal, which makes all registers
   known.  */
static bool
knows_all (const struct sframe_registers *registers)
{
  return registers->known == (UINT64_C (1) << SFRAME_MACHINE_REGISTERS) - 1;
}

/* Whether nothing was executed at PC, which is in MAP unless that is null, so
   that it was jumped to.  Code of an object that cannot be fetched any more is
   not meant: a function may have got there in the usual way.  */
static bool
is_unfetched (const struct link_map *map, struct sframe_registers *registers)
{
  bool fetch_failed = registers->fetch_failed;

  registers->fetch_failed = false;
  return ((registers->interrupted
	   && registers->pc % SFRAME_MACHINE_CODE_ALIGN != 0)
	  || (fetch_failed
	      && (map == NULL || !is_code (map, registers->pc, 1))));
}

/* How many bytes of code at an unknown PC libgcc reads at most, on any
   machine, when it looks for a signal trampoline.  */
#define TRAMPOLINE_LOOK 16

/* Whether the SIZE bytes at ADDRESS, at least a word and at most a page, can
   be read, as far as is known.  MAP is the object there or null.  */
static bool
can_look (const struct link_map *map, uintptr_t address, size_t size)
{
  return ((map != NULL && is_code (map, address, size))
	  || !__sframe_unreadable (address, size));
}

/* Step from a frame that is not in an object with tables, or not in one whose
   tables are understood; MAP is its object or null.  libgcc may know it, if
   the program has told it of the code.  Asking libgcc must not fault, and
   would not help where there is no code, or none that has called anything.  */
static enum sframe_step_status RELEASE_STACK
give_up (const struct link_map *map, struct sframe_registers *registers,
	 struct sframe_stack *stack)
{
  uintptr_t pc = registers->pc;

  if (!can_look (map, pc, TRAMPOLINE_LOOK))
    return (registers->interrupted
	    ? step_wild (registers, stack, false) : SFRAME_STEP_BROKEN);
  if (knows_all (registers)
      || (can_look (map, pc - SFRAME_MACHINE_CALL_SIZE,
		    SFRAME_MACHINE_CALL_SIZE)
	  && sframe_call_before ((const unsigned char *) pc, pc, registers,
				 stack) != SFRAME_CALL_NONE))
    return SFRAME_STEP_UNSUPPORTED;
  return SFRAME_STEP_BROKEN;
}

/* Whether the bytes of a signal trampoline can be read at PC, which is in MAP
   unless that is null.  */
static bool
can_be_trampoline (const struct link_map *map, uintptr_t pc,
		   struct sframe_stack *stack)
{
  uintptr_t word;

  if (SFRAME_SIGNAL_TRAMPOLINE_SIZE == 0)
    return false;
  if (map != NULL)
    return is_code (map, pc, SFRAME_SIGNAL_TRAMPOLINE_SIZE);
  return (SFRAME_SIGNAL_TRAMPOLINE_ANYWHERE
	  && pc % sizeof word + SFRAME_SIGNAL_TRAMPOLINE_SIZE <= sizeof word
	  && __sframe_stack_read (stack, pc & -sizeof word, &word));
}

/* If the frame is a signal trampoline, in MAP unless that is null, step to the
   frame that the signal interrupted.  */
static enum sframe_step_status RELEASE_STACK
step_signal (const struct link_map *map, struct sframe_registers *registers,
	     struct sframe_stack *stack)
{
  uintptr_t sp = registers->value[SFRAME_MACHINE_SP];

  if (!can_be_trampoline (map, registers->pc, stack)
      || !sframe_signal_trampoline ((const unsigned char *) registers->pc))
    return SFRAME_STEP_UNKNOWN;
  enum sframe_step_status status = sframe_signal_step (registers, stack);
  /* The one step after which SP may be anywhere must not lead to itself.  */
  if (registers->value[SFRAME_MACHINE_SP] == sp)
    return SFRAME_STEP_BROKEN;
  return status;
}

/* Step to the caller by the rule of MAP's SFrame section for PC, but not by
   that of a signal trampoline unless SIGNAL is set.  */
static enum sframe_step_status RELEASE_STACK
step_sframe (struct sframe_trace *trace, struct link_map *map, uintptr_t pc,
	     bool signal)
{
  struct sframe_rule rule;

  if (!__sframe_object_rule (map, pc, &rule) || (rule.signal && !signal))
    return SFRAME_STEP_NO_RULE;
  __sframe_remember (trace, &rule);
  return __sframe_step (trace->registers, &rule, &trace->stack);
}

/* Step to the caller by MAP's .eh_frame entry for PC.  */
static inline enum sframe_step_status
step_eh_frame (struct sframe_trace *trace, struct link_map *map, uintptr_t pc)
{
  const void *eh_header;

  if (find_object (pc, &eh_header) != map)
    return SFRAME_STEP_NO_RULE;
  return __sframe_eh_object_step (trace, map, eh_header, pc);
}

/* Step to the caller of TRACE's frame, for which no rule is remembered.  */
static enum sframe_step_status
step (struct sframe_trace *trace)
{
  static const struct sframe_rule outermost = { .outermost = true };
  struct sframe_registers *registers = trace->registers;
  struct sframe_stack *stack = &trace->stack;
  enum sframe_step_status status = SFRAME_STEP_NO_RULE;
  /* A return address may be the first byte of the next function, if the call
     never returns; the call itself ends one byte before it.  */
  uintptr_t pc = registers->pc - !registers->interrupted;

  /* No call precedes this address, so that looking there would find some
     other function.  */
  if (!registers->interrupted && sframe_context_start (registers->pc))
    return SFRAME_STEP_OUTERMOST;

  struct link_map *map = find_map (trace, pc);
  if (is_unfetched (map, registers))
    return step_wild (registers, stack, false);
  if (map != NULL && !sframe_signal_object (map) && !trace->all_registers)
    status = step_sframe (trace, map, pc, false);
  if (status != SFRAME_STEP_NO_RULE)
    return status;

  /* Trampolines come second: where there is a rule, no code needs to be
     read.  A rule for a trampoline restores SP, FP and PC alone, hence the
     kernel's record is preferred to it.  */
  status = step_signal (map, registers, stack);
  if (status != SFRAME_STEP_UNKNOWN)
    return status;
  if (map == NULL)
    return give_up (map, registers, stack);
  if (is_start (map, registers))
    {
      __sframe_remember (trace, &outermost);
      return SFRAME_STEP_OUTERMOST;
    }

  status = step_eh_frame (trace, map, pc);
  if (status != SFRAME_STEP_NO_RULE && status != SFRAME_STEP_UNSUPPORTED)
    return status;
  enum sframe_step_status last = step_sframe (trace, map, pc, true);
  if (last != SFRAME_STEP_NO_RULE)
    return last;
  if (is_stub (map, registers))
    return step_call (registers, stack);
  if (status == SFRAME_STEP_UNSUPPORTED)
    return give_up (map, registers, stack);
  /* Between functions, or in one without tables, of which nothing may have
     been executed.  */
  return (knows_all (registers)
	  ? step_wild (registers, stack, true) : status);
}

/* Store the PCs of the frame in TRACE's registers and of its callers.  Return
   what the last step led to.  */
static enum sframe_step_status
walk (struct sframe_trace *trace)
{
  trace->array[0] = (void *) trace->registers->pc;
  trace->count = 1;
  trace->path = SFRAME_CACHE_START;
  while (true)
    {
      enum sframe_step_status status = SFRAME_STEP_CALLER;
      if (trace->cache != NULL && !trace->all_registers)
	status = __sframe_walk_remembered (trace);
      if (trace->count == trace->size)
	return SFRAME_STEP_OUTERMOST;
      if (status == SFRAME_STEP_CALLER)
	status = step (trace);
      if (status != SFRAME_STEP_CALLER)
	return status;
      /* Code that has no caller may have put a zero for it.  */
      if (trace->registers->pc == 0 && !trace->registers->interrupted)
	return SFRAME_STEP_OUTERMOST;
      trace->array[trace->count++] = (void *) trace->registers->pc;
    }
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

/* Find the cache of rules, or null for the first trace.  Return whether there
   is to be a trace by SFrame.  */
static bool
find_cache (struct sframe_cache **cache)
{
  static enum { never, once, often } traced;

  *cache = &__sframe_cache;
  switch (atomic_load_relaxed (&traced))
    {
    case often:
      return true;
    case once:
      sframe_cache_open (*cache);
      atomic_store_relaxed (&traced, often);
      return true;
    default:
      *cache = NULL;
      if (TUNABLE_GET (glibc, rtld, sframe, int32_t, NULL) == 0)
	return false;
      atomic_store_relaxed (&traced, once);
      return true;
    }
}

int
__sframe_backtrace (void **array, int size,
		    struct sframe_registers *registers)
{
  uintptr_t sp = registers->value[SFRAME_MACHINE_SP];
  struct sframe_trace trace
    = { .array = array, .size = size, .registers = registers,
	.generation = atomic_load_acquire (&GL (dl_sframe_unloads)) };
  enum sframe_step_status status;

  /* For begin_again.  */
  __builtin_unwind_init ();
  if (!find_cache (&trace.cache))
    return -1;
  __sframe_stack_init (&trace.stack, sp);
  do
    status = walk (&trace);
  while (status == SFRAME_STEP_UNKNOWN && !trace.all_registers
	 && begin_again (&trace, sp));
  /* libgcc would have to be loaded, and it reads an overwritten stack without
     looking; beyond a fault neither is safe.  */
  return (status == SFRAME_STEP_UNSUPPORTED
	  && trace.stack.doubt != sframe_ask_always ? -1 : trace.count);
}
