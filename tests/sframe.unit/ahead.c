/* Which words of the stack are taken for return addresses in a large table.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The table and the cache are simulated.  Expected results are those of
   debug/sframe-ahead.h.  */

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <sframe-ahead.h>
#include <sframe-machine.h>
#include <sframe-object.h>

#include "check.h"

enum { PAGE = 4096, WORD = sizeof (uintptr_t), LOOK = 2048,
       PC = 0x40000123, TABLE = 0x50000000, TEXT = 0x40000000,
       TEXT_SIZE = 0x10000 };

static sframe_module object
  = { .table = (const void *) TABLE, .table_size = SFRAME_AHEAD_TABLE };
static struct sframe_registers registers;
static struct sframe_trace trace;
/* A page of stack between two unreadable pages.  */
static uintptr_t *words;

/* The results of the simulated table and cache, and the recorded calls.  */
static bool has_section;
static uintptr_t cached;
static unsigned int searches, count;
static uint64_t pcs[SFRAME_FUNCTIONS_MAX];

bool
__sframe_object_section (const sframe_module *module,
			 struct sframe_section *section)
{
  CHECK (module == &object && section == &trace.section);
  section->start = (const unsigned char *) TABLE;
  return has_section;
}

void
__sframe_find_text (const struct sframe_section *section, uint64_t *start,
		    uint64_t *size)
{
  CHECK (section == &trace.section);
  *start = (uint64_t) TEXT - TABLE;
  *size = TEXT_SIZE;
}

unsigned int
__sframe_drop_cached (const struct sframe_trace *of, const uintptr_t *in,
		      uint8_t *indices, unsigned int found, unsigned int room)
{
  unsigned int left = 0;

  CHECK (of == &trace && room == SFRAME_FUNCTIONS_MAX - 1);
  CHECK ((uintptr_t) in == registers.value[SFRAME_MACHINE_SP]);
  for (unsigned int i = 0; i < found && left < room; ++i)
    {
      CHECK (i == 0 || indices[i] > indices[i - 1]);
      indices[left] = indices[i];
      left += in[indices[i]] != cached;
    }
  return left;
}

void
__sframe_find_functions (const struct sframe_section *section,
			 const uint64_t *of, unsigned int asked,
			 struct sframe_functions *functions)
{
  CHECK (section == &trace.section && functions == &trace.functions);
  CHECK (asked <= SFRAME_FUNCTIONS_MAX);
  ++searches;
  count = asked;
  memcpy (pcs, of, asked * sizeof *of);
}

/* Be in a frame whose SP is word FROM, on a stack that ends before word
   TO.  */
static void
be_at (int from, int to)
{
  registers = (struct sframe_registers) { .pc = PC };
  registers.value[SFRAME_MACHINE_SP] = (uintptr_t) (words + from);
  trace = (struct sframe_trace)
    { .registers = &registers, .module = &object, .missed = true,
      .stack = { .current = { (uintptr_t) words,
			      (uintptr_t) (words + to) } } };
  has_section = true;
  searches = count = cached = 0;
}

/* An empty stack, which ends where no more can be read.  */
static void
start (void)
{
  const int end = PAGE / WORD;

  if (words == NULL)
    {
      char *memory = mmap (NULL, 3 * PAGE, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      require (memory != MAP_FAILED
	       && mprotect (memory + PAGE, PAGE, PROT_READ | PROT_WRITE) == 0,
	       "a page");
      words = (uintptr_t *) (memory + PAGE);
    }
  memset (words, 0, PAGE);
  be_at (0, end);
}

/* Look ahead, and return whether just the frame and the words from FIRST to
   LAST were searched for, where word I is TEXT + I.  */
static bool
took (int first, int last)
{
  __sframe_look_ahead (&trace, &object);
  bool good = (searches == 1 && count == (unsigned int) (last - first + 2)
	       && pcs[0] == (uint64_t) PC - 1 - TABLE);
  for (int i = first; i <= last; ++i)
    good = good && pcs[i - first + 1] == (uint64_t) TEXT + i - 1 - TABLE;
  return good;
}

static bool
took_none (void)
{
  return took (1, 0);
}

static void
words_in_the_text (void)
{
  start ();
  CHECK (took_none ());
  CHECK (trace.ahead == (uintptr_t) words + LOOK);
  /* A return address may be the end of the text, but not its start.  */
  start ();
  words[0] = TEXT;
  words[1] = TEXT + 1;
  words[2] = TEXT + TEXT_SIZE + 1;
  words[3] = UINTPTR_MAX;
  words[4] = TEXT + 2;
  CHECK (took (1, 2));
  CHECK (trace.ahead == (uintptr_t) words + LOOK);
  start ();
  words[5] = TEXT + TEXT_SIZE;
  CHECK (took (TEXT_SIZE, TEXT_SIZE));
}

static void
as_far_as_it_looks (void)
{
  const int end = LOOK / WORD;

  start ();
  words[end - 1] = TEXT + 1;
  words[end] = TEXT + 2;
  CHECK (took (1, 1));
}

/* Reading an unreadable page faults.  */
static void
the_ends_of_the_stack (void)
{
  const int end = PAGE / WORD;

  start ();
  words[end - 1] = TEXT + 1;
  be_at (end - 1, end);
  CHECK (took (1, 1));
  be_at (end, end);
  CHECK (took_none ());
  be_at (2 * end, end);
  CHECK (took_none ());
  be_at (-1, end);
  CHECK (took_none ());
  be_at (end - 1, end - 1);
  CHECK (took_none ());
  be_at (end - 1, end);
  registers.value[SFRAME_MACHINE_SP] -= 1;
  CHECK (took_none ());
}

/* The thread's stack continues in the next page, but a program may have made
   that page unreadable.  */
static void
the_end_of_the_page (void)
{
  const int end = PAGE / WORD;

  start ();
  for (int i = end - 3; i < end; ++i)
    words[i] = TEXT + i + 1;
  for (int size = 3; size > 0; --size)
    {
      be_at (end - size, 2 * end);
      CHECK (took (end - size + 1, end));
      CHECK (trace.ahead == (uintptr_t) (words + end));
    }
}

/* No more than there is room for, and the next time from there on.  */
static void
many_words (void)
{
  const int most = SFRAME_FUNCTIONS_MAX - 1;

  start ();
  for (int i = 0; i < most; ++i)
    words[i] = TEXT + i + 1;
  CHECK (took (1, most));
  CHECK (trace.ahead == (uintptr_t) (words + most));
  start ();
  for (int i = 0; i < PAGE / WORD; ++i)
    words[i] = TEXT + i + 1;
  CHECK (took (1, most));
  CHECK (trace.ahead == (uintptr_t) (words + most));
}

static void
words_that_are_cached (void)
{
  const int most = SFRAME_FUNCTIONS_MAX - 1;

  start ();
  cached = TEXT + 0x100;
  words[0] = TEXT + 1;
  words[1] = cached;
  for (int i = 2; i <= most; ++i)
    words[i] = TEXT + i;
  CHECK (took (1, most) && trace.ahead == (uintptr_t) (words + most + 1));
}

static void
no_section (void)
{
  start ();
  has_section = false;
  __sframe_look_ahead (&trace, &object);
  CHECK (searches == 0 && trace.ahead == (uintptr_t) words + LOOK);
}

static void
when_it_is_useful (void)
{
  start ();
  CHECK (sframe_ahead_is_useful (&trace, &object));
  trace.table = 1;
  CHECK (sframe_ahead_is_useful (&trace, &object));
  trace.missed = false;
  CHECK (!sframe_ahead_is_useful (&trace, &object));
  trace.table = 0;
  CHECK (sframe_ahead_is_useful (&trace, &object));
  trace.all_registers = true;
  CHECK (!sframe_ahead_is_useful (&trace, &object));
  trace.all_registers = false;
  registers.interrupted = true;
  CHECK (!sframe_ahead_is_useful (&trace, &object));
  registers.interrupted = false;
  trace.ahead = (uintptr_t) words;
  CHECK (sframe_ahead_is_useful (&trace, &object));
  trace.ahead += 1;
  CHECK (!sframe_ahead_is_useful (&trace, &object));
}

static const struct test_case cases[] = {
  { "words in the text", words_in_the_text },
  { "as far as it looks", as_far_as_it_looks },
  { "the ends of the stack", the_ends_of_the_stack },
  { "the end of the page", the_end_of_the_page },
  { "many words", many_words },
  { "words that are cached", words_that_are_cached },
  { "no section", no_section },
  { "when it is useful", when_it_is_useful },
};

int
main (void)
{
  return run_cases (cases, sizeof cases / sizeof *cases);
}
