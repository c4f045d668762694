/* A program with known stacks, to test profilers: declarations that its files
   share.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef KNOWN_H
#define KNOWN_H

#ifdef __cplusplus
extern "C" {
#endif

/* A function that is neither inlined nor changed by other optimizations across
   functions.  */
#define KNOWN __attribute__ ((noipa))

/* To be put after the last call of a function, which would otherwise become a
   jump.  */
#define STAY() __asm__ volatile ("")

/* The work of a leaf function, inlined into it.  */
static inline __attribute__ ((always_inline)) void
spin (unsigned int amount)
{
  for (volatile unsigned int i = 0; i < amount; i = i + 1)
    ;
}

/* A little work, more or less by I.  If a clock counts instructions, and each
   turn of a loop has the same number of them, samples of the loop can all be at
   the same instruction.  */
static inline __attribute__ ((always_inline)) void
vary (unsigned int i)
{
  spin (i * 2654435761u >> 30);
}

extern void run_templates (unsigned int amount);

#ifdef __cplusplus
}
#endif

#endif /* KNOWN_H */
