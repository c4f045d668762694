/* Functions to be built without SFrame, which call back.

   SPDX-License-Identifier: LGPL-2.1-or-later */

int
call_without_sframe (void (*function) (void), int size)
{
  /* Variable in size, so that its caller is not found by chance.  */
  volatile char buffer[size];
  buffer[0] = size;
  function ();
  return buffer[0];
}

struct aligned
{
  volatile char byte[64];
} __attribute__ ((aligned (64)));

/* Realigned as well, so that the CFA is saved in a slot of the frame.  */
int
call_without_sframe_aligned (void (*function) (void), int size)
{
  struct aligned local;
  volatile char buffer[size];
  local.byte[0] = buffer[0] = size;
  function ();
  return local.byte[0] + buffer[0] - size;
}
