/* Step by the code at the PC, for frames that no table describes.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe; no allocation, no lock; no fault
   but those of sframe-stack.h, and none by reading the code: the system is
   asked whether code can be read, since mprotect may have removed a permission
   that the program header grants.  MODULE in these functions is the object
   that _dl_find_object finds for the PC, or null.  */

#ifndef _SFRAME_CODE_H
#define _SFRAME_CODE_H

#include <sframe-module.h>
#include <sframe-step.h>

/* Whether PC belongs to an executable segment of MODULE, which must not be
   null.  */
bool __sframe_is_code (const sframe_module *module, uintptr_t pc)
  attribute_hidden;

/* If the frame is a signal trampoline, step to the frame that the signal
   interrupted.  Otherwise return SFRAME_STEP_NO_RULE and leave *REGISTERS
   alone.  */
enum sframe_step_status
__sframe_step_trampoline (const sframe_module *module,
			  struct sframe_registers *registers,
			  struct sframe_stack *stack) attribute_hidden;

/* Whether the frame in MODULE is that of _start, which has no caller.  crt1.o,
   which contains _start, comes with the C library's development files and may
   lack a table even if the program has one.  */
bool __sframe_is_start (const sframe_module *module,
			const struct sframe_registers *registers,
			struct sframe_stack *stack) attribute_hidden;

/* If the frame was interrupted in a PLT stub of MODULE, which leads from a
   call to the called function, step to the caller.  Otherwise return
   SFRAME_STEP_NO_RULE and leave *REGISTERS alone.  */
enum sframe_step_status
__sframe_step_stub (const sframe_module *module,
		    struct sframe_registers *registers,
		    struct sframe_stack *stack) attribute_hidden;

/* RULE, of an interrupted frame in MODULE, says that SP has not changed since
   the function was called.  Correct the CFA register of RULE by the code at
   the PC.  Return false if the code cannot be read.  */
bool __sframe_correct_cfa (const sframe_module *module,
			   const struct sframe_registers *registers,
			   struct sframe_stack *stack,
			   struct sframe_rule *rule) attribute_hidden;

/* Whether PC follows a call instruction of an object.  */
bool __sframe_follows_call (uintptr_t pc,
			    const struct sframe_registers *registers,
			    struct sframe_stack *stack) attribute_hidden;

/* Step from a PC at which no instruction was executed: assume that a call
   through a bad pointer has led there.  The return address must follow a call
   instruction and, if EXACTLY is set, one that calls this PC.  Otherwise the
   result is SFRAME_STEP_BROKEN: something else has led there, such as a return
   to an overwritten address.  */
enum sframe_step_status
__sframe_step_wild (struct sframe_registers *registers,
		    struct sframe_stack *stack, bool exactly)
  attribute_hidden;

/* STATUS says why no table describes the frame.  If the code at its PC can be
   read, return STATUS.  If not, and the frame was interrupted, step as
   __sframe_step_wild does; otherwise return SFRAME_STEP_BROKEN.  */
enum sframe_step_status
__sframe_step_foreign (struct sframe_registers *registers,
		       struct sframe_stack *stack,
		       enum sframe_step_status status) attribute_hidden;

#endif /* _SFRAME_CODE_H  */
