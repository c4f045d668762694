/* The usual remedy, for comparison in `make demo': call backtrace () at start-up.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Preloaded on a stock libc, this loads libgcc_s at the start of each process,
   whether it crashes or not.  */

#include <execinfo.h>

static void __attribute__ ((constructor))
warm_up (void)
{
  void *frame;
  backtrace (&frame, 1);
}
