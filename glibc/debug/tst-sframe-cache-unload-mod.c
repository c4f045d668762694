/* Function that calls back from a frame of MODULE_FRAME bytes.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Modules that differ only in this size have the same addresses.  */

int
call_back (void (*function) (void))
{
  volatile char buffer[MODULE_FRAME];
  buffer[0] = 1;
  function ();
  return buffer[0];
}
