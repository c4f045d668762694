/* A library with a constructor that crashes.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

static void __attribute__ ((constructor))
crash (void)
{
  __builtin_trap ();
}
