/* Module for tst-sframe-ifunc-dlopen that cannot be loaded: a function is
   missing.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tst-sframe-ifunc-dlopen-mod.c"

extern int missing_function (void);

int
call_missing (void)
{
  return missing_function ();
}
