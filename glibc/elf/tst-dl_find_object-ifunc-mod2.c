/* Module for tst-dl_find_object-ifunc: dlopen of it fails, after the other
   module, which it needs, was relocated.

   SPDX-License-Identifier: LGPL-2.1-or-later */

extern int chosen_function (void);
extern int missing_function (void);

int
call_both (void)
{
  return chosen_function () + missing_function ();
}
