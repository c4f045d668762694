/* Walking the stack of the calling thread by SFrame.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-backtrace.h.  */

#include <dlfcn.h>
#include <ldsodefs.h>
#include <link.h>
#include <sframe-backtrace.h>
#include <sframe-machine.h>
#include <sframe-system.h>

/* Find the object that PC belongs to.  dlopen and dlclose may run meanwhile;
   an object that has a frame on this stack stays.  One that is unloaded under a
   frame, or while a stale return address into it is found on a broken stack,
   takes its table along, as it does in libgcc.  */
static const struct link_map *
find_object (uintptr_t pc)
{
  struct dl_find_object object;

  if (GLRO (dl_find_object) ((void *) pc, &object) < 0)
    return NULL;
  return object.dlfo_link_map;
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

/* How many bytes of code at an unknown PC libgcc reads at most, on any
   machine, when it looks for a signal trampoline.  */
#define TRAMPOLINE_LOOK 16

/* The result for a frame at PC that nothing here describes; MAP is its object
   or null.  Asking libgcc about it must not fault, and would not help where
   there is no code.  */
static enum sframe_step_status
give_up (const struct link_map *map, uintptr_t pc)
{
  if ((map == NULL || !is_code (map, pc, TRAMPOLINE_LOOK))
      && __sframe_unreadable (pc, TRAMPOLINE_LOOK))
    return SFRAME_STEP_BROKEN;
  return SFRAME_STEP_UNKNOWN;
}

/* Whether the frame in MAP, which the tables do not describe, is that of
   _start, which has no caller.  _start is in crt1.o, which comes with the C
   library's development files and often has no SFrame where the program
   has.  */
static bool
is_start (const struct link_map *map, const struct sframe_registers *registers)
{
  return (map->l_type == lt_executable
	  && registers->pc - map->l_entry < SFRAME_MACHINE_ENTRY_SIZE
	  && is_code (map, registers->pc, 1)
	  && sframe_entry_return ((const unsigned char *) registers->pc));
}

/* If the frame is a signal trampoline in MAP, step to the frame that the
   signal interrupted.  */
static enum sframe_step_status
step_signal (const struct link_map *map, struct sframe_registers *registers,
	     struct sframe_stack *stack)
{
  uintptr_t sp = registers->value[SFRAME_MACHINE_SP];

  if (SFRAME_SIGNAL_TRAMPOLINE_SIZE == 0
      || !is_code (map, registers->pc, SFRAME_SIGNAL_TRAMPOLINE_SIZE)
      || !sframe_signal_trampoline ((const unsigned char *) registers->pc))
    return SFRAME_STEP_UNKNOWN;
  enum sframe_step_status status = sframe_signal_step (registers, stack);
  /* The one step after which SP may be anywhere must not lead to itself.  */
  if (registers->value[SFRAME_MACHINE_SP] == sp)
    return SFRAME_STEP_BROKEN;
  return status;
}

/* Find the rule for PC in MAP.  Return whether there is one that can be
   believed.  */
static bool
find_rule (const struct link_map *map, uintptr_t pc, struct sframe_rule *rule)
{
  struct sframe_rule first;
  uintptr_t offset = pc - (uintptr_t) map->l_sframe.start;

  if (map->l_sframe.fde_count == 0
      || __sframe_find_rule (&map->l_sframe, offset, SFRAME_MACHINE_SP,
			     SFRAME_MACHINE_FP, rule) != SFRAME_FOUND)
    return false;
  if (!rule->repeated)
    return true;
  return (__sframe_find_rule (&map->l_sframe, offset - rule->block_offset,
			      SFRAME_MACHINE_SP, SFRAME_MACHINE_FP,
			      &first) == SFRAME_FOUND
	  && sframe_block_rule (rule, &first));
}

/* Step to the caller of the frame in *REGISTERS.  */
static enum sframe_step_status
step (struct sframe_registers *registers, struct sframe_stack *stack)
{
  struct sframe_rule rule;
  /* A return address may be the first byte of the next function, if the call
     never returns; the call itself ends one byte before it.  */
  uintptr_t pc = registers->pc - !registers->interrupted;

  /* No call precedes this address, so that looking there would find some
     other function.  */
  if (!registers->interrupted && sframe_context_start (registers->pc))
    return SFRAME_STEP_OUTERMOST;

  const struct link_map *map = find_object (pc);
  if (map == NULL)
    return give_up (map, registers->pc);
  bool found = find_rule (map, pc, &rule);
  if (found && !rule.signal)
    return __sframe_step (registers, &rule, stack);

  /* Trampolines come second: where there is a rule, no code needs to be
     read.  A rule for a trampoline restores SP, FP and PC alone, hence the
     kernel's record is preferred to it.  */
  enum sframe_step_status status = step_signal (map, registers, stack);
  if (status != SFRAME_STEP_UNKNOWN)
    return status;
  if (found)
    return __sframe_step (registers, &rule, stack);
  if (is_start (map, registers))
    return SFRAME_STEP_OUTERMOST;
  return give_up (map, registers->pc);
}

int
__sframe_backtrace (void **array, int size,
		    struct sframe_registers *registers)
{
  struct sframe_stack stack;
  int count = 0;

  __sframe_stack_init (&stack, registers->value[SFRAME_MACHINE_SP]);
  while (true)
    {
      array[count++] = (void *) registers->pc;
      if (count == size)
	return count;
      enum sframe_step_status status = step (registers, &stack);
      if (status == SFRAME_STEP_UNKNOWN)
	return -1;
      /* Code that has no caller may have put a zero for it.  */
      if (status != SFRAME_STEP_CALLER
	  || (registers->pc == 0 && !registers->interrupted))
	return count;
    }
}
