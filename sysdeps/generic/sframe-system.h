/* Frames that the system makes, not a call: none known here.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _SFRAME_SYSTEM_H
#define _SFRAME_SYSTEM_H

#include <link.h>
#include <sframe-step.h>

/* Bytes of code that tell a signal trampoline; 0: there are none.  */
#define SFRAME_SIGNAL_TRAMPOLINE_SIZE 0

/* Whether PC is the trampoline of this C library, so that no code needs to be
   read.  */
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

/* Whether the words at SP are a signal frame whose trampoline may lie outside
   all objects, within an aligned word.  Code there is read only if so: another
   thread may unmap any other.  */
static inline bool
sframe_signal_frame (uintptr_t sp, struct sframe_stack *stack)
{
  return false;
}

/* Whether a return address in MAP may be the first byte of a trampoline, so
   that what precedes it says nothing.  */
static inline bool
sframe_signal_object (const struct link_map *map)
{
  return false;
}

/* Step from the signal trampoline that *REGISTERS is in to the interrupted
   frame, with all registers that the kernel saved.  If the signal tells of a
   fault, doubt what lies beyond it.  */
static inline enum sframe_step_status
sframe_signal_step (struct sframe_registers *registers,
		    struct sframe_stack *stack)
{
  return SFRAME_STEP_UNKNOWN;
}

/* Whether PC is where a function that makecontext started would return
   to.  */
static inline bool
sframe_context_start (uintptr_t pc)
{
  return false;
}

#endif /* _SFRAME_SYSTEM_H  */
