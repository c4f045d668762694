/* A function that is put on the stack, of an object of its own.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "big.h"

big_function through;

void
through (void *const *list)
{
  volatile char local[40];

  local[0] = 1;
  ((big_function *) *list) (list + 1);
  local[0];
}
