/* Find the functions of several callers at once, in a large table.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-ahead.h.

   If no rule is cached for a function, there is often none for its callers
   either.  In a large table most of the time is spent waiting for memory, for
   one caller after the other: the rule of a frame must be known to find its
   return address.  But most words on the stack that point to functions of the
   object are return addresses: of these frames, or of frames that have
   returned.  So look for the functions of all of them at once.  The step to
   each caller then finds its function here, and its rows in the processor's
   cache.

   The words of frames that have returned cost time: leave out those for which
   a rule is cached.

   Rejected designs: interpolation in place of bisection (in LLVM's, GCC's and
   Node.js's tables it waits for memory five to seven times, bisection three
   times: the first entries that bisection reads are always in the cache); an
   index of the index (it must be allocated for each object, and built in a
   signal handler by a pass over the table).  */

#include <sframe-ahead.h>
#include <sframe-object.h>
#include <sframe-strip.h>

/* How many bytes above SP to look at, how many words to take from them, and
   the size of the smallest pages.  */
enum { AHEAD = 2048, WORDS_MAX = 64, PAGE = 4096 };

_Static_assert (AHEAD / sizeof (uintptr_t) <= UINT8_MAX + 1,
		"an index takes a byte");

/* Store in INDICES the index of each of the COUNT WORDS that is less than SIZE
   above START, at most WORDS_MAX of them, and return their number.  No branch
   depends on a word: the processor could not predict it.  */
static inline unsigned int
find_words (const uintptr_t *words, size_t count, uintptr_t start,
	    uintptr_t size, uint8_t *indices)
{
  unsigned int found = 0;

  for (size_t i = 0; i < count && found < WORDS_MAX; ++i)
    {
      indices[found] = i;
      found += sframe_strip (words[i]) - start < size;
    }
  return found;
}

/* The number of words from SP on to look at: those in the page that has the
   last word of the frame that the step to this one has left.  On x86-64 that
   word is the return address, so the page can be read.  On other machines the
   return address may be in a page below.  A program may have made a page of
   its stack unreadable, in the middle of a frame: look at no other page.  */
static inline size_t
count_words (const struct sframe_range *readable, uintptr_t sp)
{
  const uintptr_t last = sp - SFRAME_MACHINE_SP_OFFSET - sizeof sp;
  const uintptr_t end = (last | (PAGE - 1)) + 1;

  if (sp % sizeof sp != 0 || sp < readable->low || sp >= readable->high
      || sp >= end)
    return 0;
  size_t size = (end < readable->high ? end : readable->high) - sp;
  return (size < AHEAD ? size : AHEAD) / sizeof sp;
}

void
__sframe_look_ahead (struct sframe_trace *trace, const sframe_module *module)
{
  const struct sframe_section *section = &trace->section;
  const uintptr_t sp = trace->registers->value[SFRAME_MACHINE_SP];
  const uintptr_t *words = (const uintptr_t *) sp;
  uint64_t pcs[SFRAME_FUNCTIONS_MAX], start, size;
  uint8_t indices[WORDS_MAX];
  unsigned int count = 0;

  const size_t word_count = count_words (&trace->stack.current, sp);
  trace->ahead = (uintptr_t) (words + word_count);
  if (!__sframe_object_section (module, &trace->section))
    return;
  __sframe_find_text (section, &start, &size);
  /* The offset of a call is its return address minus BASE.  */
  const uintptr_t base = (uintptr_t) section->start + 1;
  unsigned int found
    = find_words (words, word_count, base + start, size, indices);
  found = __sframe_drop_cached (trace, words, indices, found,
				SFRAME_FUNCTIONS_MAX - 1);
  pcs[count++] = trace->registers->pc - base;
  for (unsigned int i = 0; i < found; ++i)
    pcs[count++] = sframe_strip (words[indices[i]]) - base;
  if (count == SFRAME_FUNCTIONS_MAX)
    trace->ahead = (uintptr_t) (words + indices[found - 1] + 1);
  __sframe_find_functions (section, pcs, count, &trace->functions);
}
