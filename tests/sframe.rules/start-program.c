/* A program that only starts and ends.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

/* crtbegin.o has it, if that is linked; gcrt1.o wants it.  */
void *__dso_handle __attribute__ ((weak, visibility ("hidden")));

int
main (void)
{
  return 0;
}
