/* The one door for words of the traced stack: finding what is readable.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-stack.h.  */

#include <ldsodefs.h>
#include <sframe-probe.h>
#include <sframe-stack.h>
#include <sframe-thread.h>

/* How far below its end the main thread's stack is believed to reach: the
   usual limit.  Linux keeps the 128 MiB below the end free of mappings that
   are placed automatically, even where the limit is lower, so that what can be
   read in this window is the stack.  A deeper part of the stack is found by
   probing its pages.  */
#define MAIN_STACK_WINDOW (8UL * 1024 * 1024)

/* Whether the aligned word at ADDRESS is in RANGE, whose end is aligned
   too.  */
static inline bool
range_has (const struct sframe_range *range, uintptr_t address)
{
  return address >= range->low && address < range->high;
}

/* ADDRESS rounded down to a word: the end of a range that a program has
   chosen need not be aligned.  */
static inline uintptr_t
word_down (uintptr_t address)
{
  return address & -sizeof (uintptr_t);
}

static inline uintptr_t
page_down (uintptr_t address)
{
  return address & -(uintptr_t) GLRO (dl_pagesize);
}

void
__sframe_stack_init (struct sframe_stack *stack, uintptr_t sp)
{
  *stack = (struct sframe_stack) { .sp = sp };
  if (sframe_thread_stack (&stack->window))
    {
      stack->window.high = word_down (stack->window.high);
      stack->thread = stack->window;
      if (range_has (&stack->thread, sp))
	stack->thread.low = sp;
    }
  else
    {
      stack->window.high = word_down ((uintptr_t) __libc_stack_end);
      stack->window.low = stack->window.high - MAIN_STACK_WINDOW;
      /* The mapping of the main stack has no holes.  */
      if (range_has (&stack->window, sp))
	stack->thread = (struct sframe_range) { sp, stack->window.high };
    }
  if (range_has (&stack->thread, sp))
    stack->current = stack->thread;
}

/* Whether ADDRESS is on the alternate stack that the trace began on.  One
   that is registered but not in use is not trusted to be mapped.  */
static bool
on_alternate_stack (struct sframe_stack *stack, uintptr_t address)
{
  struct sframe_range range;

  if (!stack->alternate_asked)
    {
      stack->alternate_asked = true;
      if (sframe_alternate_stack (&range) && range_has (&range, stack->sp))
	stack->alternate
	  = (struct sframe_range) { stack->sp, word_down (range.high) };
    }
  return range_has (&stack->alternate, address);
}

bool
__sframe_stack_find (struct sframe_stack *stack, uintptr_t address)
{
  if (range_has (&stack->thread, address))
    {
      stack->current = stack->thread;
      return true;
    }
  if (range_has (&stack->window, address))
    {
      /* A readable word of the stack vouches for its page and all above
	 it.  */
      if (sframe_probe_word (address) != sframe_readable)
	return false;
      stack->thread
	= (struct sframe_range) { page_down (address), stack->window.high };
      stack->current = stack->thread;
      return true;
    }
  if (on_alternate_stack (stack, address))
    {
      stack->current = stack->alternate;
      return true;
    }

  /* Some other stack, or rubbish.  Pages are usually visited upwards; joining
     them avoids a second probe where frames straddle two.  */
  if (sframe_probe_word (address) != sframe_readable)
    return false;
  uintptr_t page = page_down (address);
  if (stack->current.high != page || page == 0)
    stack->current.low = page;
  stack->current.high = page + GLRO (dl_pagesize);
  return true;
}

/* How far apart words of a stack of unknown bounds can be.  */
#define UNKNOWN_STACK_SIZE (1024 * 1024)

bool
__sframe_same_stack (const struct sframe_stack *stack, uintptr_t a,
		     uintptr_t b)
{
  const struct sframe_range *known[]
    = { &stack->window, &stack->alternate };

  for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
    if (range_has (known[i], a) || range_has (known[i], b))
      return range_has (known[i], a) && range_has (known[i], b);
  return (a < b ? b - a : a - b) < UNKNOWN_STACK_SIZE;
}

bool
__sframe_unreadable (uintptr_t address, size_t size)
{
  return (sframe_probe_word (address) == sframe_unreadable
	  || (sframe_probe_word (address + size - sizeof (uintptr_t))
	      == sframe_unreadable));
}
