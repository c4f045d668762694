/* The words of a made-up stack, for the tests of the step by .eh_frame.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Takes the place of include/sframe-stack.h.  Each word is a function
   of its address, so that reading a wrong word gives a wrong result.  */

#ifndef _SFRAME_STACK_H
#define _SFRAME_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef attribute_hidden
# define attribute_hidden
#endif

struct sframe_stack
{
  /* The one word that cannot be read.  */
  uintptr_t unreadable;
  /* The number of words that were read.  */
  unsigned long int reads;
  /* The result of __sframe_same_stack.  */
  bool same_stack;
  /* How often a leap was checked, the word that was probed last, and how many
     had been read before.  */
  unsigned int checks;
  uintptr_t checked;
  unsigned long int read_before;
};

/* The finalizer of the splitmix64 generator.  Words are multiples of 64, since
   some are pointers to others.  */
static inline uint64_t
word_at (uint64_t address)
{
  address = (address ^ address >> 30) * UINT64_C (0xbf58476d1ce4e5b9);
  address = (address ^ address >> 27) * UINT64_C (0x94d049bb133111eb);
  return (address ^ address >> 31) & -64;
}

static inline bool
__sframe_stack_read (struct sframe_stack *stack, uintptr_t address,
		     uintptr_t *word)
{
  if (address % sizeof *word != 0 || address == stack->unreadable)
    return false;
  ++stack->reads;
  *word = word_at (address);
  return true;
}

static inline bool
__sframe_same_stack (const struct sframe_stack *stack, uintptr_t a,
		     uintptr_t b)
{
  (void) a;
  (void) b;
  return stack->same_stack;
}

static inline bool
sframe_stack_leap (uintptr_t sp, uintptr_t caller_sp)
{
  return caller_sp - sp > 4096;
}

static inline void
__sframe_stack_check (struct sframe_stack *stack, uintptr_t address)
{
  ++stack->checks;
  stack->checked = address;
  stack->read_before = stack->reads;
}

#endif /* _SFRAME_STACK_H  */
