/* Module for tst-sframe-dlopen: a function that calls back.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef FRAME_SIZE
# define FRAME_SIZE 24
#endif

int
call_back (void (*function) (void))
{
  volatile char buffer[FRAME_SIZE];
  buffer[0] = 1;
  function ();
  return buffer[0];
}
