/* Function to be built without SFrame, which calls back.

   SPDX-License-Identifier: LGPL-2.1-or-later */

int
call_without_sframe (void (*function) (void), int size)
{
  /* Variable in size, lest its frame be found by luck.  */
  volatile char buffer[size];
  buffer[0] = size;
  function ();
  return buffer[0];
}
