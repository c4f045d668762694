/* Frames that Linux on x86-64 makes: signal frames and new contexts.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Document: Linux, arch/x86/include/asm/sigframe.h (struct rt_sigframe).
   The interface is described in sysdeps/generic/sframe-system.h.

   The handler returns to a trampoline that the C library supplies
   (sa_restorer).  Its code is part of the ABI, since debuggers and unwinders
   know it by these bytes; SFrame has no FDE for it.  */

#ifndef _SFRAME_SYSTEM_H
#define _SFRAME_SYSTEM_H

#include <link.h>
#include <sframe-machine.h>
#include <stddef.h>
#include <string.h>
#include <ucontext.h>

#define SFRAME_SIGNAL_TRAMPOLINE_SIZE 9
#define SFRAME_SIGNAL_TRAMPOLINE_ANYWHERE 0

static inline bool
sframe_signal_trampoline (const unsigned char *code)
{
  /* mov $__NR_rt_sigreturn, %rax; syscall.  */
  static const unsigned char expected[SFRAME_SIGNAL_TRAMPOLINE_SIZE]
    = { 0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05 };

  return memcmp (code, expected, sizeof expected) == 0;
}

/* The C library's trampoline begins with a byte more than the handler returns
   to.  */
static inline bool
sframe_signal_object (const struct link_map *map)
{
  return false;
}

/* The return to the trampoline has popped the first member of struct
   rt_sigframe, so that SP points to the second one, the context.  */
static inline enum sframe_step_status
sframe_signal_step (struct sframe_registers *registers,
		    struct sframe_stack *stack)
{
  /* The saved register of each DWARF number.  */
  static const unsigned char saved[SFRAME_MACHINE_REGISTERS]
    = { REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP,
	REG_RSP, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14,
	REG_R15 };
  uintptr_t gregs = (registers->value[SFRAME_MACHINE_SP]
		     + offsetof (ucontext_t, uc_mcontext.gregs));

  for (unsigned int i = 0; i < SFRAME_MACHINE_REGISTERS; ++i)
    if (!__sframe_stack_read (stack, gregs + saved[i] * sizeof (greg_t),
			      &registers->value[i]))
      return SFRAME_STEP_BROKEN;
  if (!__sframe_stack_read (stack, gregs + REG_RIP * sizeof (greg_t),
			    &registers->pc))
    return SFRAME_STEP_BROKEN;
  registers->known = (UINT64_C (1) << SFRAME_MACHINE_REGISTERS) - 1;
  registers->interrupted = true;
  return SFRAME_STEP_CALLER;
}

/* makecontext puts the start of __start_context for the return address, and
   no call precedes it that a lookup could find.  Weak, since a static program
   need not have it.  */
extern char __start_context[] attribute_hidden __attribute__ ((weak));

static inline bool
sframe_context_start (uintptr_t pc)
{
  return pc == (uintptr_t) __start_context;
}

#endif /* _SFRAME_SYSTEM_H  */
