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
   an object that has a frame on this stack stays.  */
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

/* Whether the frame in MAP that the tables do not describe has no caller: the
   start of the program (_start of crt1.o, which comes with the C library's
   development files and often has no SFrame where the program has), of ld.so,
   which constructors are called from, or of a context.  The entry point of
   other objects is their ELF header, where no code is.  */
static bool
is_start (const struct link_map *map, const struct sframe_registers *registers)
{
  return (registers->pc - map->l_entry < SFRAME_MACHINE_ENTRY_SIZE
	  || sframe_context_start (registers->pc));
}

/* If the frame is a signal trampoline in MAP, step to the frame that the
   signal interrupted.  */
static enum sframe_step_status
step_signal (const struct link_map *map, struct sframe_registers *registers,
	     struct sframe_stack *stack)
{
  if (SFRAME_SIGNAL_TRAMPOLINE_SIZE != 0
      && is_code (map, registers->pc, SFRAME_SIGNAL_TRAMPOLINE_SIZE)
      && sframe_signal_trampoline ((const unsigned char *) registers->pc))
    return sframe_signal_step (registers, stack);
  return SFRAME_STEP_UNKNOWN;
}

/* Step to the caller of the frame in *REGISTERS.  */
static enum sframe_step_status
step (struct sframe_registers *registers, struct sframe_stack *stack)
{
  struct sframe_rule rule;
  /* A return address may be the first byte of the next function, if the call
     never returns; the call itself ends one byte before it.  */
  uintptr_t pc = registers->pc - !registers->interrupted;
  const struct link_map *map = find_object (pc);

  if (map == NULL)
    return SFRAME_STEP_UNKNOWN;
  bool found = (map->l_sframe.fde_count != 0
		&& __sframe_find_rule (&map->l_sframe,
				       pc - (uintptr_t) map->l_sframe.start,
				       SFRAME_MACHINE_SP, SFRAME_MACHINE_FP,
				       &rule) == SFRAME_FOUND);
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
  return (is_start (map, registers)
	  ? SFRAME_STEP_OUTERMOST : SFRAME_STEP_UNKNOWN);
}

/* How many bytes of code at an unknown PC libgcc reads at most, on any
   machine.  */
#define TRAMPOLINE_LOOK 16

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
      /* The other unwinder looks for a signal trampoline at a PC that it
	 does not know, and would fault there.  Nor could it go on.  */
      if (status == SFRAME_STEP_UNKNOWN)
	return (__sframe_readable (registers->pc, TRAMPOLINE_LOOK)
		? -1 : count);
      /* Code that has no caller may have put a zero for it.  */
      if (status != SFRAME_STEP_CALLER
	  || (registers->pc == 0 && !registers->interrupted))
	return count;
    }
}
