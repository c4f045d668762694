/* A loop over frame pointers, as a lower bound for unwinders: it looks nothing up and checks nothing.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "walk.h"

__thread void **outermost_frame;

int
frame_pointers (void **array, int size)
{
  void **frame = __builtin_frame_address (0);
  void **outermost = outermost_frame;
  int count = 0;

  while (count < size && frame != outermost)
    {
      array[count++] = frame[1];
      frame = *frame;
    }
  return count;
}
