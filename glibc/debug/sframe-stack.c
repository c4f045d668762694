/* Find out which words of the traced stack are readable.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-stack.h.  */

#include <ldsodefs.h>
#include <sframe-probe.h>
#include <sframe-stack.h>
#include <sframe-thread.h>

/* The assumed size of the main thread's stack: the usual limit.  Linux places
   no mapping of its own choice within the limit below the end of the stack,
   and seldom one in the gigabytes below that, so readable memory in this
   window is the stack.  The pages of a deeper stack are probed one by one.  */
#define MAIN_STACK_WINDOW (8UL * 1024 * 1024)

/* Whether the aligned word at ADDRESS is in RANGE, whose end is aligned.  */
static inline bool
range_has (const struct sframe_range *range, uintptr_t address)
{
  return address >= range->low && address < range->high;
}

/* ADDRESS rounded down to a word.  The end of a stack that the program has
   allocated need not be aligned.  */
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
  *stack = (struct sframe_stack) { .doubt = sframe_ask_nothing };
  bool bounded = sframe_thread_stack (&stack->window);
  stack->window.high = word_down (stack->window.high);
  if (bounded)
    stack->known_low = stack->window.low;
  else
    {
      stack->window.low = stack->window.high - MAIN_STACK_WINDOW;
      stack->known_low = stack->window.high;
    }
  /* The mapping of a stack has no holes; this code runs below SP, which may be
     the start of another page.  */
  if (range_has (&stack->window, sp))
    {
      stack->known_low = sp;
      stack->current = (struct sframe_range) { sp, stack->window.high };
    }
  else
    stack->current
      = (struct sframe_range) { sp, page_down (sp - 1) + GLRO (dl_pagesize) };
}

void
__sframe_stack_doubt (struct sframe_stack *stack, enum sframe_doubt doubt)
{
  if (stack->doubt < doubt)
    stack->doubt = doubt;
  stack->current = (struct sframe_range) { 0, 0 };
}

/* A rule may read other words before the one that a leap has led to, so do not
   leave the probe to the next read.  */
void
__sframe_stack_check (struct sframe_stack *stack, uintptr_t address)
{
  __sframe_stack_doubt (stack, sframe_ask_once);
  if (!__sframe_stack_find (stack, word_down (address)))
    __sframe_stack_doubt (stack, sframe_ask_always);
}

/* Whether the word at ADDRESS can be read; KNOWN if the probe gives no
   answer.  */
static bool
ask (struct sframe_stack *stack, uintptr_t address, bool known)
{
  switch (sframe_probe_word (address, &stack->checked))
    {
    case sframe_readable:
      return true;
    case sframe_unreadable:
      return false;
    default:
      return known;
    }
}

bool
__sframe_stack_find (struct sframe_stack *stack, uintptr_t address)
{
  bool in_window = range_has (&stack->window, address);
  bool known = in_window && address >= stack->known_low;

  if ((!known || stack->doubt != sframe_ask_nothing)
      && !ask (stack, address, known))
    return false;
  uintptr_t page = page_down (address);
  if (in_window && stack->doubt != sframe_ask_always)
    {
      /* If a word of the stack is readable, so are its page and all pages
	 above.  */
      if (!known || stack->doubt == sframe_ask_once)
	stack->known_low = page;
      stack->doubt = sframe_ask_nothing;
      stack->current
	= (struct sframe_range) { stack->known_low, stack->window.high };
      return true;
    }

  /* Another stack, an invalid address, or the thread's own stack after a
     fault.  A trace usually visits pages upwards; joining adjacent pages
     avoids a second probe for frames that cross a page boundary.  */
  if (stack->current.high != page || page == 0)
    stack->current.low = page;
  stack->current.high = page + GLRO (dl_pagesize);
  return true;
}

bool
__sframe_same_stack (const struct sframe_stack *stack, uintptr_t a,
		     uintptr_t b)
{
  return range_has (&stack->window, a) && range_has (&stack->window, b);
}

/* Probe aligned words, since such a word is never on two pages.  */
bool
__sframe_readable (uintptr_t address, size_t size, bool *checked)
{
  uintptr_t first = word_down (address);
  uintptr_t last = word_down (address + size - 1);

  return (first <= last
	  && sframe_probe_word (first, checked) == sframe_readable
	  && (first == last
	      || sframe_probe_word (last, checked) == sframe_readable));
}
