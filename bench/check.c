/* Check that a trace has the frames of the stack.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "timing.h"

/* The functions of stack.cc have told where they return to.  There are other
   frames below, and above.  */
void
check_frames (void)
{
  int i = 0, n = called;

  while (n > 0 && i < asked && frames[i] != returns[n - 1])
    ++i;
  while (n > 0 && i < asked)
    if (frames[i++] != returns[--n])
      fail ("a frame is not that of the function");
  if (n == called && n > 0 && asked == FRAMES)
    fail ("the functions are not on the stack");
}
