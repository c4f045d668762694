/* Stacks of a C++ program, traced by the preloaded backtrace and by libgcc.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <algorithm>
#include <stdexcept>
#include <vector>
#include "traces.h"

static bool good = true;

struct guard
{
  ~guard ()
  {
    good &= traces_agree (4);
  }
};

static int FRAME
thrower (int depth)
{
  guard local;
  if (depth == 0)
    throw std::runtime_error ("end");
  int value = thrower (depth - 1);
  KEEP_FRAME ();
  return value;
}

static bool FRAME
less (int a, int b)
{
  good &= traces_agree (4);
  return a < b;
}

int
main ()
{
  for (int i = 0; i < 4; ++i)
    try
      {
	thrower (5);
      }
    catch (const std::exception &)
      {
	good &= traces_agree (3);
      }
  result (good, "destructors while an exception passes, and its handler");
  good = true;
  std::vector<int> numbers = { 5, 3, 4, 1, 2 };
  std::sort (numbers.begin (), numbers.end (), less);
  std::make_heap (numbers.begin (), numbers.end (),
		  [] (int a, int b) { return less (b, a); });
  result (good, "templates and lambdas");
}
