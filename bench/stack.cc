/* Stacks of functions of which no two are the same.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The frames have different sizes and saved registers, and one in eight is
   left by the frame pointer.  */

#include <alloca.h>
#include <array>
#include <utility>

#include "stack.h"

__thread int called;
__thread void *returns[DEEPEST];

template <int GROUP, int LEVEL>
static __attribute__ ((noipa)) int
frame (int (*innermost) (void), int x, int y)
{
  constexpr int number = GROUP * GROUP_LEVELS + LEVEL;
  volatile char local[8 + number * 37 % 23 * 8];
  int below;

  returns[called++] = __builtin_return_address (0);
  local[0] = x;
  if constexpr (number % 8 == 3)
    *static_cast<volatile char *> (alloca ((x & 31) + 1)) = y;
  if constexpr (LEVEL == 0)
    below = innermost ();
  else
    below = frame<GROUP, LEVEL - 1> (innermost, y + 1, x ^ LEVEL);
  --called;
  if constexpr (number % 2 != 0)
    below += x;
  if constexpr (number % 3 != 0)
    below += y;
  return below + local[0];
}

template <int... LEVEL>
static constexpr std::array<stack_function *, sizeof... (LEVEL)>
deep (std::integer_sequence<int, LEVEL...>)
{
  return { frame<GROUPS, LEVEL>... };
}

template <int... GROUP>
static constexpr std::array<stack_function *, sizeof... (GROUP)>
groups (std::integer_sequence<int, GROUP...>)
{
  return { frame<GROUP, GROUP_LEVELS - 1>... };
}

stack_function *
deep_stack (int levels)
{
  static constexpr auto table
    = deep (std::make_integer_sequence<int, DEEPEST> ());
  return table[levels - 1];
}

stack_function *
group_stack (int group)
{
  static constexpr auto table
    = groups (std::make_integer_sequence<int, GROUPS> ());
  return table[group];
}
