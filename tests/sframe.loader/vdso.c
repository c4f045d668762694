/* A vDSO with an .sframe section, to be passed to a program.

   SPDX-License-Identifier: LGPL-2.1-or-later

   It has no function that libc looks for, so libc makes system calls instead.
   */

int
vdso_work (int n)
{
  volatile char room[48];
  room[n & 7] = n;
  return room[n & 7];
}
