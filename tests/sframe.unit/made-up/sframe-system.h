/* Signal frames of a simulated system.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The interface is described in sysdeps/generic/sframe-system.h.  */

#ifndef _SFRAME_SYSTEM_H
#define _SFRAME_SYSTEM_H

#include <sframe-module.h>
#include <sframe-step.h>

#define SFRAME_SIGNAL_TRAMPOLINE_SIZE 4

bool sframe_own_trampoline (uintptr_t pc);
bool sframe_signal_trampoline (const unsigned char *code);
bool sframe_signal_frame (uintptr_t sp, struct sframe_stack *stack);
bool sframe_signal_object (const sframe_module *map);
bool sframe_context_start (uintptr_t pc);
enum sframe_step_status sframe_signal_step (struct sframe_registers *registers,
					    struct sframe_stack *stack);
enum sframe_handlers sframe_signal_handlers (void);
bool sframe_signal_stack (uintptr_t sp, uintptr_t *end);
bool sframe_signal_unsure (uintptr_t sp, enum sframe_handlers handlers,
			   struct sframe_stack *stack);
bool sframe_signal_blocks_fault (void);
bool sframe_signal_search (uintptr_t address, enum sframe_handlers handlers,
			   struct sframe_stack *stack, uintptr_t *sp);
void sframe_signal_doubt (uintptr_t sp, struct sframe_stack *stack);

#endif /* _SFRAME_SYSTEM_H  */
