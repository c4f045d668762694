/* A known chain of calls through libc: main, sort, qsort, compare, which takes half a second of processor time.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <stdlib.h>
#include <time.h>

static clock_t until;

/* Volatile, so that the call is not the last action, and does not become a
   jump.  */
static volatile int numbers[] = { 3, 1, 2 };
static volatile unsigned long int work;

static int __attribute__ ((noinline))
compare (const void *a, const void *b)
{
  while (clock () < until)
    for (int i = 0; i < 100000; ++i)
      ++work;
  return *(const int *) a - *(const int *) b;
}

static void __attribute__ ((noinline))
sort (void)
{
  qsort ((int *) numbers, 3, sizeof *numbers, compare);
  numbers[0] = 0;
}

int
main (void)
{
  until = clock () + CLOCKS_PER_SEC / 2;
  sort ();
  return numbers[0];
}
