/* An object whose constructor tells the program that it runs, and a function
   to call.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <stdlib.h>

extern void stage (const char *) __attribute__ ((weak));

static void __attribute__ ((constructor))
init (void)
{
  if (stage)
    stage ("constructor");
}

int
plugin_sum (int a, int b, int c, int d, int e, int f, int g)
{
  /* By way of a PLT that the linker writes no table for.  */
  return a + b + c + d + e + f + g + strtol ("0", NULL, 10);
}
