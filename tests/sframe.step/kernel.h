/* The call chains that the kernel records of a thread, for judge.c.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef KERNEL_H
#define KERNEL_H

#include <stdbool.h>
#include <stdint.h>

/* If there is this variable the kernel is asked, too.  */
#define KERNEL_VARIABLE "SFRAME_STEP_KERNEL"

/* A chain of the kernel's: PCs, as backtrace gives them.  */
struct chain
{
  int count;
  void *pc[128];
};

/* Learn how to ask.  Return whether that can be done.  */
extern bool kernel_start (void);

/* Get the chain that the kernel took at PC, when the instruction in front of it
   had been executed, and one that it takes now.  Each is empty if there is
   none.  To be called by the handler at each instruction.  */
extern void kernel_collect (uintptr_t pc, struct chain *before,
			    struct chain *now);

/* The address of the function, in its object, that a table describes PC as
   part of; 0 if none does.  */
extern uintptr_t kernel_function (uintptr_t pc, const char **object);

#endif /* KERNEL_H  */
