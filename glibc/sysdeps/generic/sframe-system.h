/* Frames that the system makes (signal frames, new contexts): none known.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _SFRAME_SYSTEM_H
#define _SFRAME_SYSTEM_H

#include <sframe-module.h>
#include <sframe-step.h>

/* Bytes of code that identify a signal trampoline; 0: there are none.  */
#define SFRAME_SIGNAL_TRAMPOLINE_SIZE 0

/* Whether PC is the trampoline of this C library, which is known by its
   address.  */
static inline bool
sframe_own_trampoline (uintptr_t pc)
{
  return false;
}

/* Whether the SFRAME_SIGNAL_TRAMPOLINE_SIZE readable bytes at CODE are a
   signal trampoline.  */
static inline bool
sframe_signal_trampoline (const unsigned char *code)
{
  return false;
}

/* Whether SP points to a signal frame whose trampoline may be outside all
   objects, within an aligned word.  Code outside all objects is read only if
   this returns true: another thread may unmap any other.  */
static inline bool
sframe_signal_frame (uintptr_t sp, struct sframe_stack *stack)
{
  return false;
}

/* Whether a return address in MODULE may be the first byte of a trampoline.
   Then the byte before it belongs to an unrelated function.  */
static inline bool
sframe_signal_object (const sframe_module *module)
{
  return false;
}

/* Step from the signal trampoline that *REGISTERS is in to the interrupted
   frame, with all registers that the kernel saved.  If the signal is one of a
   fault, call __sframe_stack_doubt for the rest of the stack.  */
static inline enum sframe_step_status
sframe_signal_step (struct sframe_registers *registers,
		    struct sframe_stack *stack)
{
  return SFRAME_STEP_UNKNOWN;
}

/* The following functions are called before libgcc unwinds the stack, which it
   reads unchecked.  They may make system calls.  SP is that in a signal
   trampoline, and HANDLERS the result of sframe_signal_handlers.  */

/* What is known of the handlers of signals that report a fault.  */
static inline enum sframe_handlers
sframe_signal_handlers (void)
{
  return sframe_handlers_unknown;
}

/* Whether SP, of any frame, is on the alternate signal stack of the thread.
   If so, store its end in *END.  */
static inline bool
sframe_signal_stack (uintptr_t sp, uintptr_t *end)
{
  return false;
}

/* Whether the signal may be one of a fault although sframe_signal_step has
   found none.  */
static inline bool
sframe_signal_unsure (uintptr_t sp, enum sframe_handlers handlers,
		      struct sframe_stack *stack)
{
  return false;
}

/* Whether the thread blocks signals that report a fault.  */
static inline bool
sframe_signal_blocks_fault (void)
{
  return false;
}

/* Whether the readable word at ADDRESS looks like a part of a signal frame.
   If so, store the SP in its trampoline in *SP.  The handler may not return
   the way that its frame says, so this may be wrong.  */
static inline bool
sframe_signal_search (uintptr_t address, enum sframe_handlers handlers,
		      struct sframe_stack *stack, uintptr_t *sp)
{
  return false;
}

/* Call __sframe_stack_doubt if the signal whose frame sframe_signal_search has
   found may be one of a fault.  */
static inline void
sframe_signal_doubt (uintptr_t sp, struct sframe_stack *stack)
{
}

/* Whether PC is the return address that makecontext gives to the function it
   starts.  */
static inline bool
sframe_context_start (uintptr_t pc)
{
  return false;
}

#endif /* _SFRAME_SYSTEM_H  */
