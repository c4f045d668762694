/* Function to be called through a PLT, in a shared object of its own.

   SPDX-License-Identifier: LGPL-2.1-or-later */

int
plt_callee (int a, int b, int c, int d, int e, int f, int g)
{
  return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7;
}
