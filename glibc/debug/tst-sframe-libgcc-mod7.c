/* A module that has libgcc for a DT_AUXILIARY.

   SPDX-License-Identifier: LGPL-2.1-or-later */

int
part7 (void)
{
  return 7;
}
