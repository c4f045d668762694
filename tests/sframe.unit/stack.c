/* Which words of a stack are assumed to be readable, and when the system is
   asked.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The memory is simulated by a system that has some readable ranges, and
   counts the probes.  Expected results are those of sframe-stack.h.  */

#include <stdint.h>
#include <string.h>

#include <sframe-probe.h>
#include <sframe-stack.h>
#include <sframe-thread.h>

#include "check.h"

enum { PAGE = 4096, WORD = sizeof (uintptr_t), RANGES = 4 };

/* The stack of a thread, or the end of that of the main thread; SP; and a page
   elsewhere.  */
static const uintptr_t low = 0x10000000, high = 0x10100000, sp = 0x100f0128;
static const uintptr_t elsewhere = 0x20000000;

static struct sframe_stack stack;
static struct sframe_range thread, memory[RANGES];
static bool bounded, mute;
static unsigned int probes, ranges;
static uintptr_t probed;

bool
sframe_thread_stack (struct sframe_range *range)
{
  range->high = thread.high;
  if (bounded)
    range->low = thread.low;
  return bounded;
}

enum sframe_probe
sframe_probe_word (uintptr_t address, bool *checked)
{
  CHECK (checked == &stack.checked && !*checked);
  ++probes;
  probed = address;
  if (mute)
    return sframe_unknown;
  for (unsigned int i = 0; i < ranges; ++i)
    if (address >= memory[i].low && address <= memory[i].high - 1)
      return sframe_readable;
  return sframe_unreadable;
}

/* The bytes from FROM up to TO can be read.  */
static void
map (uintptr_t from, uintptr_t to)
{
  memory[ranges++] = (struct sframe_range) { from, to };
}

/* Begin a trace at START, in a thread whose stack has a lower bound or
   not.  No memory is readable yet.  */
static void
begin (uintptr_t start, bool has_bound)
{
  thread = (struct sframe_range) { low, high };
  bounded = has_bound;
  ranges = 0;
  /* A new trace knows nothing of the previous one.  */
  memset (&stack, 0x7f, sizeof stack);
  __sframe_stack_init (&stack, start);
  probes = 0;
}

/* Look for ADDRESS as __sframe_stack_read does.  */
static bool
find (uintptr_t address)
{
  return ((address >= stack.current.low && address < stack.current.high)
	  || __sframe_stack_find (&stack, address));
}

/* Whether ADDRESS is found after COUNT questions, and is in the current range
   then.  */
static bool
found (uintptr_t address, unsigned int count)
{
  probes = 0;
  return (find (address) && probes == count && address >= stack.current.low
	  && address < stack.current.high);
}

/* Whether ADDRESS is not found, with one question.  */
static bool
missed (uintptr_t address)
{
  probes = 0;
  return !find (address) && probes == 1 && probed == address;
}

/* From SP up to the end no word is probed; after the end each one is.  */
static void
above_sp (void)
{
  for (int i = 0; i < 2; ++i)
    {
      begin (sp, i == 0);
      CHECK (stack.current.low == sp && stack.current.high == high);
      CHECK (found (sp, 0) && found (high - WORD, 0) && found (sp + WORD, 0));
      CHECK (missed (high) && missed (high + WORD));
      CHECK (found (sp, 0) && stack.current.low == sp
	     && stack.current.high == high);
    }
}

/* The end of a stack that the program has allocated.  */
static void
an_end_that_is_not_aligned (void)
{
  begin (sp, true);
  for (int i = 0; i < WORD; ++i)
    {
      thread.high = high + i;
      __sframe_stack_init (&stack, sp);
      CHECK (found (high - WORD, 0) && missed (high));
    }
}

/* Below SP, one probe answers for a page and for all pages above it.  */
static void
below_sp (void)
{
  for (int i = 0; i < 2; ++i)
    {
      begin (sp, i == 0);
      CHECK (missed (sp - WORD));
      map (low, high);
      CHECK (found (sp - 3 * PAGE, 1));
      CHECK (stack.current.low == ((sp - 3 * PAGE) & -PAGE)
	     && stack.current.high == high);
      CHECK (found (sp, 0) && found ((sp - 3 * PAGE) & -PAGE, 0));
      CHECK (found (((sp - 3 * PAGE) & -PAGE) - WORD, 1));
    }
}

/* On an alternate stack: of a thread's own stack the bounds are known, of the
   main thread's only the end.  */
static void
sp_elsewhere (void)
{
  begin (elsewhere + 0x100, true);
  CHECK (found (low, 0) && found (high - WORD, 0));
  CHECK (missed (low - WORD) && missed (high));

  begin (elsewhere + 0x100, false);
  CHECK (missed (high - WORD));
  map (high - 8 * PAGE, high);
  CHECK (found (high - 2 * PAGE, 1) && found (high - WORD, 0));
  CHECK (found (high - 3 * PAGE, 1) && found (high - 2 * PAGE, 0));
}

/* The lower bound of the main thread's window: pages of a deeper stack are
   probed one by one.  */
static void
a_deep_stack (void)
{
  const uintptr_t window = high - 8 * 1024 * 1024;

  begin (sp, false);
  map (window - 4 * PAGE, high);
  CHECK (found (window, 1) && found (sp, 0));
  CHECK (found (window - WORD, 1));
  CHECK (stack.current.low == window - PAGE && stack.current.high == window);
  CHECK (found (window, 0));
  begin (window - WORD, false);
  CHECK (stack.current.low == window - WORD && stack.current.high == window);
}

/* Pages outside of the stack are probed once each, upwards.  */
static void
other_pages (void)
{
  begin (elsewhere + 0x100, true);
  map (elsewhere - PAGE, elsewhere + 3 * PAGE);
  CHECK (found (elsewhere + 0x100, 0) && found (elsewhere + PAGE - WORD, 0));
  CHECK (found (elsewhere + PAGE, 1) && found (elsewhere + 2 * PAGE, 1));
  CHECK (stack.current.low == elsewhere + 0x100
	 && stack.current.high == elsewhere + 3 * PAGE);
  CHECK (missed (elsewhere + 3 * PAGE) && found (elsewhere + PAGE, 0));
  /* Not downwards: a range has only words that were probed.  */
  CHECK (found (elsewhere, 1) && stack.current.low == elsewhere
	 && stack.current.high == elsewhere + PAGE);
  CHECK (found (elsewhere - WORD, 1)
	 && stack.current.low == elsewhere - PAGE
	 && stack.current.high == elsewhere);
  CHECK (found (elsewhere + 2 * PAGE, 1)
	 && stack.current.low == elsewhere + 2 * PAGE);
}

/* No page follows the last one, whose end is 0.  */
static void
the_first_page (void)
{
  begin (sp, true);
  map (-(uintptr_t) PAGE, 0);
  map (0, PAGE);
  CHECK (find (-(uintptr_t) WORD) && probes == 1);
  CHECK (found (0, 1) && stack.current.low == 0
	 && stack.current.high == PAGE);
}

/* A doubt about the next word: it is probed, and words below its page are no
   longer known to be readable.  */
static void
one_doubt (void)
{
  const uintptr_t next = sp + 2 * PAGE;

  for (int i = 0; i < 2; ++i)
    {
      begin (sp, i == 0);
      __sframe_stack_doubt (&stack, sframe_ask_once);
      CHECK (missed (next));
      CHECK (missed (next));
      map (next & -PAGE, high);
      CHECK (found (next, 1) && found (high - WORD, 0));
      CHECK (stack.current.low == (next & -PAGE)
	     && stack.current.high == high);
      CHECK (found (next & -PAGE, 0) && missed ((next & -PAGE) - WORD));
      map (elsewhere, elsewhere + PAGE);
      CHECK (found (elsewhere, 1) && found (next, 0));
    }
}

/* A doubt about a word outside of the stack lasts until one in it.  */
static void
one_doubt_elsewhere (void)
{
  begin (sp, true);
  map (elsewhere, elsewhere + PAGE);
  __sframe_stack_doubt (&stack, sframe_ask_once);
  CHECK (found (elsewhere, 1));
  CHECK (missed (sp));
  map (low, high);
  CHECK (found (sp, 1) && found (sp + 2 * PAGE, 0));
}

/* A lasting doubt: each page is probed, wherever it is.  */
static void
a_lasting_doubt (void)
{
  begin (sp, true);
  map (sp & -PAGE, (sp & -PAGE) + 2 * PAGE);
  __sframe_stack_doubt (&stack, sframe_ask_always);
  CHECK (found (sp, 1) && found (sp + WORD, 0) && found (sp + PAGE, 1));
  CHECK (stack.current.low == (sp & -PAGE)
	 && stack.current.high == (sp & -PAGE) + 2 * PAGE);
  CHECK (missed (sp + 2 * PAGE));
  CHECK (found (sp, 0) && missed (sp + 2 * PAGE));
  CHECK (missed (low));
}

/* The stronger doubt stays, and each makes the current range unknown.  */
static void
two_doubts (void)
{
  begin (sp, true);
  map (sp, sp + 3 * PAGE);
  __sframe_stack_doubt (&stack, sframe_ask_always);
  __sframe_stack_doubt (&stack, sframe_ask_once);
  CHECK (stack.doubt == sframe_ask_always);
  CHECK (found (sp, 1) && found (sp + PAGE, 1));
  __sframe_stack_doubt (&stack, sframe_ask_once);
  CHECK (stack.doubt == sframe_ask_always && found (sp, 1));

  begin (sp, true);
  __sframe_stack_doubt (&stack, sframe_ask_once);
  __sframe_stack_doubt (&stack, sframe_ask_always);
  CHECK (stack.doubt == sframe_ask_always);
  CHECK (missed (0));
}

/* Whether the SIZE bytes at ADDRESS can be read.  */
static bool
readable (uintptr_t address, size_t size)
{
  return __sframe_readable (address, size, &stack.checked);
}

/* A word to which a leap leads is probed; if it cannot be read, so are all
   later words.  */
static void
a_leap (void)
{
  begin (sp, true);
  map (sp + 2 * PAGE, high);
  __sframe_stack_check (&stack, sp + 2 * PAGE + 1);
  CHECK (probes == 1 && probed == sp + 2 * PAGE);
  CHECK (stack.doubt == sframe_ask_nothing);
  begin (sp, true);
  __sframe_stack_check (&stack, sp + 2 * PAGE);
  CHECK (probes == 1 && stack.doubt == sframe_ask_always);
  CHECK (missed (sp + PAGE));
}

/* If a probe gives no answer, a word is readable if it was known to be.  */
static void
no_answer (void)
{
  begin (sp, true);
  mute = true;
  CHECK (missed (sp - WORD) && missed (high) && missed (elsewhere));
  __sframe_stack_doubt (&stack, sframe_ask_once);
  CHECK (found (sp + PAGE, 1));
  __sframe_stack_doubt (&stack, sframe_ask_always);
  CHECK (found (sp + PAGE, 1) && missed (elsewhere));
  CHECK (!readable (sp, WORD));
}

static void
two_on_the_same_stack (void)
{
  begin (sp, true);
  CHECK (__sframe_same_stack (&stack, low, high - 1));
  CHECK (!__sframe_same_stack (&stack, low - 1, low));
  CHECK (!__sframe_same_stack (&stack, low, low - 1));
  CHECK (!__sframe_same_stack (&stack, high, low));
  CHECK (!__sframe_same_stack (&stack, low, high));
  CHECK (!__sframe_same_stack (&stack, elsewhere, elsewhere + WORD));
}

/* Bytes outside the stack: the first and the last word are probed, or one word
   if they are the same.  */
static void
bytes (void)
{
  const uintptr_t end = elsewhere + PAGE;

  begin (sp, true);
  map (elsewhere, end);
  for (int size = 1; size <= 2 * WORD; ++size)
    for (int offset = 0; offset < WORD; ++offset)
      {
	probes = 0;
	CHECK (readable (elsewhere + offset, size));
	CHECK (probes == 1 + (unsigned int) (offset + size > WORD));
	CHECK (!readable (elsewhere + offset - WORD, size));
	CHECK (readable (end - 2 * WORD + offset, size)
	       == (offset + size <= 2 * WORD));
      }
  CHECK (readable (elsewhere, PAGE));
  CHECK (!readable (elsewhere, PAGE + 1));
}

/* The sum of address and size wraps.  */
static void
bytes_at_the_end (void)
{
  begin (sp, true);
  map (-(uintptr_t) PAGE, 0);
  map (0, PAGE);
  CHECK (readable (-(uintptr_t) WORD, WORD));
  CHECK (!readable (-(uintptr_t) WORD, WORD + 1));
  CHECK (!readable (-1, 2));
}

/* A word is read only if it is aligned and found.  */
static void
words (void)
{
  static const uintptr_t here[2] = { 4711, 4712 };
  uintptr_t at = (uintptr_t) here, word = 1;

  begin (at, true);
  stack.current = (struct sframe_range) { at, at + WORD };
  CHECK (!__sframe_stack_read (&stack, at + 1, &word) && word == 1);
  CHECK (!__sframe_stack_read (&stack, at + WORD, &word) && word == 1);
  CHECK (!__sframe_stack_read (&stack, 0, &word) && word == 1);
  CHECK (probes == 2);
  CHECK (__sframe_stack_read (&stack, at, &word) && word == 4711);
  map (at & -PAGE, (at & -PAGE) + 2 * PAGE);
  CHECK (__sframe_stack_read (&stack, at + WORD, &word) && word == 4712);
}

static const struct test_case cases[] = {
  { "above SP", above_sp },
  { "an end that is not aligned", an_end_that_is_not_aligned },
  { "below SP", below_sp },
  { "SP elsewhere", sp_elsewhere },
  { "a deep stack", a_deep_stack },
  { "other pages", other_pages },
  { "the first page", the_first_page },
  { "one doubt", one_doubt },
  { "one doubt elsewhere", one_doubt_elsewhere },
  { "a lasting doubt", a_lasting_doubt },
  { "two doubts", two_doubts },
  { "a leap", a_leap },
  { "no answer", no_answer },
  { "two addresses on the same stack", two_on_the_same_stack },
  { "bytes", bytes },
  { "bytes at the end of memory", bytes_at_the_end },
  { "words", words },
};

int
main (void)
{
  return run_cases (cases, sizeof cases / sizeof *cases);
}
