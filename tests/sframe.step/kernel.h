/* The call chains that the kernel records of a thread, for judge.c.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef KERNEL_H
#define KERNEL_H

#include <stdbool.h>
#include <stdint.h>

/* If this variable is set, the kernel's chains are compared, too.  */
#define KERNEL_VARIABLE "SFRAME_STEP_KERNEL"

/* A chain of the kernel: PCs in the form of backtrace.  */
struct chain
{
  int count;
  void *pc[128];
};

/* Prepare the perf events.  Return whether they are available.  */
extern bool kernel_start (void);

/* Store the chain that the kernel took at PC after the previous instruction in
   *BEFORE, and one that it takes now in *NOW.  A missing chain is empty.  To
   be called by the handler at each instruction.  */
extern void kernel_collect (uintptr_t pc, struct chain *before,
			    struct chain *now);

/* The address, in its object, of the function of PC by the table of the
   object; 0 if no table describes PC.  */
extern uintptr_t kernel_function (uintptr_t pc, const char **object);

#endif /* KERNEL_H  */
