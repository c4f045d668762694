/* A known chain of calls, main, middle, leaf, that takes half a second of
   processor time.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <time.h>

/* Volatile, so that the call is not the last action, and does not become a
   jump.  */
static volatile unsigned long int work;

static void __attribute__ ((noinline))
leaf (clock_t until)
{
  while (clock () < until)
    for (int i = 0; i < 100000; ++i)
      ++work;
}

static void __attribute__ ((noinline))
middle (clock_t until)
{
  leaf (until);
  ++work;
}

int
main (void)
{
  middle (clock () + CLOCKS_PER_SEC / 2);
  return work == 0;
}
