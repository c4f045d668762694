/* A module that needs libgcc.

   SPDX-License-Identifier: LGPL-2.1-or-later */

extern int unwind (void);

int
use_libgcc (void)
{
  return unwind ();
}
