/* Print how many nanoseconds 20 million instructions take.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <stdio.h>
#include <time.h>

int
main (void)
{
  unsigned int n = 10000000;
  struct timespec start, end;
  clock_gettime (CLOCK_MONOTONIC, &start);
  __asm__ volatile ("1: sub $1, %0\n\tjnz 1b" : "+r" (n) : : "cc");
  clock_gettime (CLOCK_MONOTONIC, &end);
  printf ("%ld\n", (end.tv_sec - start.tv_sec) * 1000000000L
		    + end.tv_nsec - start.tv_nsec);
  return 0;
}
