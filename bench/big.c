/* Time the walk of stacks in a program of many functions, some of which have many rows; print samples.

   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: big visit|rows|stack DEPTH [COUNT]

   "stack" tells how much stack a walk uses at most, not how long it takes.  */

#include "big.h"
#include "cases.h"
#include "timing.h"

/* STEP has no divisor in common with FUNCTIONS; multiples of it are spread
   evenly.  */
enum { LEVELS = 16, STEP = 61803, STACKS = 250 };

/* The functions on the stack, outermost first, and what time_list took.  */
static int on_list[LEVELS];
static double list_time;

static char *
address (int number)
{
  return (char *) big_functions + big_functions[number];
}

static void
check_list (void)
{
  for (int i = 0; i < LEVELS; ++i)
    {
      const char *pc = frames[LEVELS - i];
      if (pc <= address (on_list[i]) || pc > address (on_list[i] + 1))
	fail ("a frame is not that of the function");
    }
}

static void
time_list (void *const *unused)
{
  (void) unused;
  list_time = time_one ();
  check_list ();
}

/* The stack below SP that is checked, but for what is next to it, where the
   functions of this file are.  */
enum { AREA = 4096, OWN = 256, PAINT = 0xa5 };

static size_t stack_used;

static void __attribute__ ((noipa))
paint (volatile unsigned char *sp)
{
  for (size_t i = OWN; i < AREA; ++i)
    sp[-i] = PAINT;
}

static void __attribute__ ((noipa))
look (const volatile unsigned char *sp)
{
  for (size_t i = OWN; i < AREA; ++i)
    if (sp[-i] != PAINT && stack_used < i)
      stack_used = i;
}

static void
look_at_list (void *const *unused)
{
  unsigned char *sp = __builtin_frame_address (0);

  (void) unused;
  paint (sp);
  walk ();
  look (sp);
  check_list ();
}

static void (*at_end) (void *const *) = time_list;

static void
walk_list (void)
{
  void *list[LEVELS + 1];

  for (int i = 0; i < LEVELS; ++i)
    list[i] = address (on_list[i]);
  list[LEVELS] = (void *) at_end;
  ((big_function *) list[0]) (list + 1);
}

/* Visit COUNT functions, the FIRST one and each STEP more, twice.  */
static void
visit_each (const char *name, int count, int first, int step)
{
  char metric[80];
  int stacks = count / LEVELS;
  /* Take as many samples as of a smaller program.  */
  int sampled = (stacks + STACKS - 1) / STACKS;

  for (int pass = 0; pass < 2; ++pass)
    for (int i = 0; i < stacks; ++i)
      {
	for (int j = 0; j < LEVELS; ++j)
	  on_list[j]
	    = (first + (long int) (i * LEVELS + j) * step) % FUNCTIONS;
	walk_list ();
	snprintf (metric, sizeof metric, "%s, %s time", name,
		  pass == 0 ? "first" : "second");
	if (i % sampled == 0)
	  sample (metric, "time per frame", list_time / LEVELS);
      }
}

/* Cache the rules of the innermost frame and of a first stack.  */
static void
visit_some (void)
{
  asked = expected = depth = LEVELS + 1;
  for (int i = 0; i < LEVELS; ++i)
    on_list[i] = i;
  for (int i = 0; i < NEW; ++i)
    walk_list ();
}

/* Visit ARG functions: all, or a 25th of them, whose rules fit the cache.  */
static void
visit (void)
{
  int count = atoi (argument);

  visit_some ();
  visit_each (count == FUNCTIONS ? "big program, all functions"
	      : "big program, one in 25", count, LEVELS, STEP);
}

static void
rows (void)
{
  visit_some ();
  visit_each ("functions of 6,000 rows", FUNCTIONS / MANY_EVERY,
	      MANY_EVERY - 1, MANY_EVERY);
}

static void
use_stack (void)
{
  at_end = look_at_list;
  visit_some ();
  for (int i = 0; i + LEVELS <= atoi (argument); i += LEVELS)
    {
      for (int j = 0; j < LEVELS; ++j)
	on_list[j] = (LEVELS + (long int) (i + j) * STEP) % FUNCTIONS;
      walk_list ();
    }
  printf ("stack %zu\n", stack_used);
}

const struct bench_case cases[] =
  {
    { "visit", visit },
    { "rows", rows },
    { "stack", use_stack },
    { NULL, NULL },
  };
