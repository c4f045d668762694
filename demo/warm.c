/* The usual remedy that `make demo' measures, too: call backtrace () at start-up.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Preloaded on a stock libc, this has libgcc_s loaded before anything goes
   wrong, in every process, whether it crashes or not.  */

#include <execinfo.h>

static void __attribute__ ((constructor))
warm_up (void)
{
  void *frame;
  backtrace (&frame, 1);
}
