/* A module with the name of libgcc, which uses objects that it does not
   name.

   SPDX-License-Identifier: LGPL-2.1-or-later */

extern int part1 (void), part2 (void);

int
unwind (void)
{
  return part1 () + part2 ();
}
