/* What a fuzzed program does if an invariant does not hold: it aborts.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef HOLD_H
#define HOLD_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Unless it is GOOD, print WHAT is violated and abort, which the fuzzer
   detects.  */
static inline void
hold (bool good, const char *what)
{
  if (good)
    return;
  printf ("violated: %s\n", what);
  fflush (stdout);
  abort ();
}

#endif /* HOLD_H  */
