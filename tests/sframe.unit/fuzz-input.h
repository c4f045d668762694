/* What a fuzzed program does if an invariant does not hold: it prints the
   number of its input.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Number of the input in work.  */
static uint64_t current;

static void
tell_current (void)
{
  fprintf (stderr, "input number %" PRIu64 "\n", current);
}

/* Unless it is GOOD, print WHAT is violated and the number of the input, and
   abort, which the fuzzer detects.  */
static void
hold (bool good, const char *what)
{
  if (good)
    return;
  printf ("violated: %s\n", what);
  fflush (stdout);
  tell_current ();
  abort ();
}

#endif /* FUZZ_INPUT_H  */
