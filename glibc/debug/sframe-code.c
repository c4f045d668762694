/* Step by the code at the PC, for frames that no table describes.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-code.h.  */

#include <ldsodefs.h>
#include <sframe-code.h>
#include <sframe-machine.h>
#include <sframe-system.h>

bool
__sframe_is_code (const sframe_module *module, uintptr_t pc)
{
  const ElfW(Phdr) *headers = sframe_module_headers (module);

  for (size_t i = 0; i < sframe_module_header_count (module); ++i)
    {
      const ElfW(Phdr) *ph = &headers[i];
      if (ph->p_type == PT_LOAD && (ph->p_flags & PF_X) != 0
	  && pc - (sframe_module_bias (module) + ph->p_vaddr) < ph->p_memsz)
	return true;
    }
  return false;
}

/* Whether the SIZE bytes at PC are code of MODULE and can be read.  */
static bool
can_read (const sframe_module *module, uintptr_t pc, size_t size,
	  struct sframe_stack *stack)
{
  return (__sframe_is_code (module, pc)
	  && __sframe_is_code (module, pc + size - 1)
	  && __sframe_readable (pc, size, &stack->checked));
}

/* Whether the bytes of a signal trampoline can be read at PC; SP is that of
   the frame.  The vDSO needs no probe.  Memory outside all objects could be
   unmapped between the probe and the read, so it is read only if SP points to
   a signal frame, whose handler will return there.  */
static bool
can_be_trampoline (const sframe_module *module, uintptr_t pc, uintptr_t sp,
		   struct sframe_stack *stack)
{
  uintptr_t word;

  if (SFRAME_SIGNAL_TRAMPOLINE_SIZE == 0)
    return false;
  if (module != NULL && sframe_signal_object (module))
    return (__sframe_is_code (module, pc)
	    && __sframe_is_code (module,
				 pc + SFRAME_SIGNAL_TRAMPOLINE_SIZE - 1));
  if (module != NULL)
    return can_read (module, pc, SFRAME_SIGNAL_TRAMPOLINE_SIZE, stack);
  return (pc % sizeof word + SFRAME_SIGNAL_TRAMPOLINE_SIZE <= sizeof word
	  && sframe_signal_frame (sp, stack)
	  && __sframe_stack_read (stack, pc & -sizeof word, &word));
}

enum sframe_step_status
__sframe_step_trampoline (const sframe_module *module,
			  struct sframe_registers *registers,
			  struct sframe_stack *stack)
{
  uintptr_t sp = registers->value[SFRAME_MACHINE_SP];

  if (!sframe_own_trampoline (registers->pc)
      && (!can_be_trampoline (module, registers->pc, sp, stack)
	  || !sframe_signal_trampoline ((const unsigned char *)
					registers->pc)))
    return SFRAME_STEP_NO_RULE;
  enum sframe_step_status status = sframe_signal_step (registers, stack);
  /* SP may be anywhere after this step.  If it is unchanged, the trace would
     loop.  */
  if (registers->value[SFRAME_MACHINE_SP] == sp)
    return SFRAME_STEP_BROKEN;
  return status;
}

bool
__sframe_is_start (const sframe_module *module,
		   const struct sframe_registers *registers,
		   struct sframe_stack *stack)
{
  return (sframe_module_starts (module, registers->pc,
				SFRAME_MACHINE_ENTRY_SIZE)
	  && can_read (module, registers->pc, SFRAME_MACHINE_CODE_ALIGN, stack)
	  && sframe_entry_return ((const unsigned char *) registers->pc));
}

/* Step to the caller by the rule that holds right after a call, when PUSHED
   bytes have been pushed since.  */
static enum sframe_step_status
step_call (struct sframe_registers *registers, struct sframe_stack *stack,
	   int pushed)
{
  struct sframe_rule rule;

  sframe_call_rule (&rule);
  rule.cfa.offset += pushed;
  return __sframe_step (registers, &rule, stack);
}

enum sframe_step_status
__sframe_step_stub (const sframe_module *module,
		    struct sframe_registers *registers,
		    struct sframe_stack *stack)
{
  if (SFRAME_MACHINE_STUB_SIZE == 0 || !registers->interrupted
      || !can_read (module, registers->pc - SFRAME_MACHINE_STUB_SIZE,
		    2 * SFRAME_MACHINE_STUB_SIZE, stack))
    return SFRAME_STEP_NO_RULE;
  int pushed = sframe_stub ((const unsigned char *) registers->pc);
  return (pushed < 0 ? SFRAME_STEP_NO_RULE
	  : step_call (registers, stack, pushed));
}

bool
__sframe_correct_cfa (const sframe_module *module,
		      const struct sframe_registers *registers,
		      struct sframe_stack *stack, struct sframe_rule *rule)
{
  size_t size = SFRAME_MACHINE_SP_LOOK;

  /* The segment may end soon after the PC.  */
  while (size > 0 && !can_read (module, registers->pc, size, stack))
    size /= 2;
  if (size > 0)
    rule->cfa.reg = sframe_find_sp ((const unsigned char *) registers->pc,
				    size);
  return size > 0;
}

/* How many bytes before PC, which is in MODULE, can be read, at most the size
   of a call instruction.  If PC is near the start of its page, the page before
   it may be unreadable.  */
static size_t
readable_before (const sframe_module *module, uintptr_t pc,
		 struct sframe_stack *stack)
{
  size_t on_page = pc % GLRO (dl_pagesize);

  if (can_read (module, pc - SFRAME_MACHINE_CALL_SIZE,
		SFRAME_MACHINE_CALL_SIZE, stack))
    return SFRAME_MACHINE_CALL_SIZE;
  return (on_page != 0 && on_page < SFRAME_MACHINE_CALL_SIZE
	  && can_read (module, pc - on_page, on_page, stack)
	  ? on_page : 0);
}

/* Whether the instruction before the return address PC is a call, and whether
   it calls the PC of *REGISTERS.  */
static enum sframe_call
call_before (uintptr_t pc, const struct sframe_registers *registers,
	     struct sframe_stack *stack)
{
  const void *eh_header;
  const sframe_module *module = sframe_module_find (pc - 1, &eh_header);

  if (module == NULL)
    return SFRAME_CALL_NONE;
  size_t size = readable_before (module, pc, stack);
  if (size == 0)
    return SFRAME_CALL_NONE;
  return sframe_call_before ((const unsigned char *) pc, size, registers->pc,
			     registers, stack);
}

bool
__sframe_follows_call (uintptr_t pc, const struct sframe_registers *registers,
		       struct sframe_stack *stack)
{
  return call_before (pc, registers, stack) != SFRAME_CALL_NONE;
}

enum sframe_step_status
__sframe_step_wild (struct sframe_registers *registers,
		    struct sframe_stack *stack, bool exactly)
{
  struct sframe_registers callee = *registers;

  if (step_call (registers, stack, 0) != SFRAME_STEP_CALLER)
    return SFRAME_STEP_BROKEN;
  /* That was the callee's.  */
  registers->fetch_failed = false;
  enum sframe_call call = call_before (registers->pc, &callee, stack);
  return (call == SFRAME_CALL_TO_PC
	  || (call == SFRAME_CALL_SOMEWHERE && !exactly)
	  ? SFRAME_STEP_CALLER : SFRAME_STEP_BROKEN);
}

/* How many bytes must be readable at a PC without a table.  No instruction is
   longer; one that crosses a page boundary can fault on the second page.  And
   on no machine does libgcc read more to recognize a signal trampoline.  */
#define CODE_LOOK 16

enum sframe_step_status
__sframe_step_foreign (struct sframe_registers *registers,
		       struct sframe_stack *stack,
		       enum sframe_step_status status)
{
  bool faulted
    = registers->interrupted && stack->doubt == sframe_ask_always;
  uintptr_t pc = registers->pc;
  size_t size = CODE_LOOK;

  /* libgcc has a table for it, and does not look at the code.  A call that
     does not return may be the last instruction that is mapped.  */
  if (!faulted && status == SFRAME_STEP_FOREIGN)
    {
      pc -= !registers->interrupted;
      size = 1;
    }
  if (__sframe_readable (pc, size, &stack->checked))
    return status;
  return (registers->interrupted
	  ? __sframe_step_wild (registers, stack, false)
	  : SFRAME_STEP_BROKEN);
}
