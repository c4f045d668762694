/* Module for tst-sframe-ifunc-dlopen that cannot be loaded, for the want of a
   function.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tst-sframe-ifunc-dlopen-mod.c"

extern int missing_function (void);

int
call_missing (void)
{
  return missing_function ();
}
