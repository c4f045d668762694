/* A stand-in for the vDSO that has an .sframe section.

   SPDX-License-Identifier: LGPL-2.1-or-later

   It offers nothing that libc looks for, so that libc makes system calls
   instead.  */

int
vdso_work (int n)
{
  volatile char room[48];
  room[n & 7] = n;
  return room[n & 7];
}
