/* Module for tst-sframe-dlmopen: calls backtrace of its own libc.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <execinfo.h>

struct trace;

int
collect_in_module (void **array, int size, void (*oracle) (struct trace *),
		   struct trace *trace)
{
  int count = backtrace (array, size);
  oracle (trace);
  return count;
}

int
call_back (void (*function) (void))
{
  volatile char buffer[120];
  buffer[0] = 1;
  function ();
  return buffer[0];
}

const void *
address_of_backtrace (void)
{
  return backtrace;
}
