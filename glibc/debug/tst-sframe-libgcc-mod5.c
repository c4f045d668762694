/* A module that libgcc needs.

   SPDX-License-Identifier: LGPL-2.1-or-later */

int
part1 (void)
{
  return 1;
}
