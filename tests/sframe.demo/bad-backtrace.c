/* A backtrace () that crashes itself, to be called by the crash handler.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <execinfo.h>
#include <stdlib.h>
#include <string.h>

static int *volatile null;
static const char *second;

int
backtrace (void **array, int size)
{
  (void) array;
  if (strcmp (second, "abrt") == 0)
    abort ();
  return size + *null;
}

int
main (int argc, char **argv)
{
  second = argc > 1 ? argv[1] : "";
  return *null;
}
