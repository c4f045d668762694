/* A program with known stacks, to test profilers: the object that it loads at
   run time.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "known.h"

static volatile int some = 3;

KNOWN void
module_leaf (unsigned int amount)
{
  spin (amount);
}

/* In a shared object, calls of such a function go through the PLT.  */
KNOWN int
module_brief (int a)
{
  return a + some;
}

KNOWN int
module_middle (unsigned int amount, int a, int b)
{
  for (unsigned int i = 0; i < amount / 4; ++i)
    {
      a += module_brief (b);
      vary (i);
    }
  return a;
}

KNOWN void
module_entry (unsigned int amount)
{
  module_leaf (amount);
  some = module_middle (amount, some, some) % 10;
}
