/* The storm's threads, each of which executes one operation after the other.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "storm.h"

#include <err.h>
#include <pthread.h>

static pthread_t workers[WORKERS_MAX];
static int count;
static void (*one_deed) (void);

static void *
work (void *number)
{
  storm_seed ((unsigned long) number);
  while (storm_goes_on ())
    one_deed ();
  return NULL;
}

void
workers_start (int how_many, void (*deed) (void))
{
  one_deed = deed;
  for (count = 0; count < how_many; count++)
    if (pthread_create (&workers[count], NULL, work,
			(void *) (long) roll (0x10000)) != 0)
      errx (1, "no thread");
}

void
workers_join (void)
{
  while (count > 0)
    pthread_join (workers[--count], NULL);
}
