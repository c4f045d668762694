/* A simulated machine with all features that any machine has.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The interface is described in sysdeps/generic/sframe-machine.h.  */

#ifndef _SFRAME_MACHINE_H
#define _SFRAME_MACHINE_H

#include <sframe-step.h>

#define SFRAME_MACHINE_ABI 42
#define SFRAME_MACHINE_SP 0
#define SFRAME_MACHINE_FP 1
#define SFRAME_MACHINE_SP_OFFSET (-8)
#define SFRAME_MACHINE_ENTRY_SIZE 64
#define SFRAME_MACHINE_CODE_ALIGN 2
#define SFRAME_MACHINE_FRAMELESS 1
#define SFRAME_MACHINE_RECORD 0
#define SFRAME_MACHINE_SP_LOOK 16
#define SFRAME_MACHINE_CALL_SIZE 6
#define SFRAME_MACHINE_STUB_SIZE 12

void sframe_capture_caller (struct sframe_registers *registers);
void sframe_call_rule (struct sframe_rule *rule);
bool sframe_block_rule (struct sframe_rule *rule,
			const struct sframe_rule *first);
int sframe_stub (const unsigned char *code);
unsigned int sframe_find_sp (const unsigned char *code, size_t size);
bool sframe_entry_return (const unsigned char *code);
enum sframe_call sframe_call_before (const unsigned char *ra, size_t available,
				     uintptr_t pc,
				     const struct sframe_registers *registers,
				     struct sframe_stack *stack);

#endif /* _SFRAME_MACHINE_H  */
