/* Steps that the code at a PC tells of, for frames that no table describes.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe; no allocation, no lock; no fault,
   whatever the stack holds and whatever happened to the code: the system is
   asked whether code can be read, since mprotect may have changed what a
   program header says.  MAP in these functions is the object that
   _dl_find_object finds for the PC, or null.  */

#ifndef _SFRAME_CODE_H
#define _SFRAME_CODE_H

#include <link.h>
#include <sframe-step.h>

/* Whether PC belongs to an executable segment of MAP, which must not be
   null.  */
bool __sframe_is_code (const struct link_map *map, uintptr_t pc)
  attribute_hidden;

/* If the frame is a signal trampoline, step to the frame that the signal
   interrupted.  Otherwise return SFRAME_STEP_NO_RULE and leave *REGISTERS
   alone.  */
enum sframe_step_status
__sframe_step_trampoline (const struct link_map *map,
			  struct sframe_registers *registers,
			  struct sframe_stack *stack) attribute_hidden;

/* Whether the frame in MAP is that of _start, which has no caller.  _start is
   in crt1.o, which comes with the C library's development files and need not
   have a table where the program has.  */
bool __sframe_is_start (const struct link_map *map,
			const struct sframe_registers *registers)
  attribute_hidden;

/* If the frame was interrupted in code of MAP between a call and the function
   that was called, step to the caller.  Otherwise return SFRAME_STEP_NO_RULE
   and leave *REGISTERS alone.  */
enum sframe_step_status
__sframe_step_stub (const struct link_map *map,
		    struct sframe_registers *registers,
		    struct sframe_stack *stack) attribute_hidden;

/* RULE, of an interrupted frame in MAP, says that SP is as it was when the
   function was called.  Correct that by the code at the PC.  Return false if
   the code cannot be read.  */
bool __sframe_correct_cfa (const struct link_map *map,
			   const struct sframe_registers *registers,
			   struct sframe_rule *rule) attribute_hidden;

/* Whether PC follows a call instruction of an object.  */
bool __sframe_follows_call (uintptr_t pc,
			    const struct sframe_registers *registers,
			    struct sframe_stack *stack) attribute_hidden;

/* Step from a PC that was jumped to, where nothing was executed, to the call
   that has led to it.  What this leads to must follow a call instruction and,
   if EXACTLY is set, one of a call to that PC.  If it does not, something else
   has led there, such as a return through an overwritten address.  */
enum sframe_step_status
__sframe_step_wild (struct sframe_registers *registers,
		    struct sframe_stack *stack, bool exactly)
  attribute_hidden;

/* Step from a frame for which there is no table that is understood, if its
   code cannot be read, since then it was jumped to.  Otherwise return STATUS,
   which says why.  */
enum sframe_step_status
__sframe_step_foreign (struct sframe_registers *registers,
		       struct sframe_stack *stack,
		       enum sframe_step_status status) attribute_hidden;

#endif /* _SFRAME_CODE_H  */
