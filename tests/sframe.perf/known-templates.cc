// A program with known stacks, to test profilers: calls that templates and
// classes make.
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// All code is in the program: Debian's libstdc++ has no .sframe, and a stack
// through it cannot be unwound without frame pointers.

#include "known.h"

namespace known
{

volatile int some = 5;

struct Leaf
{
  virtual int work (int) const = 0;
};

struct Spin : Leaf
{
  unsigned int amount;

  KNOWN int
  work (int a) const override
  {
    spin (amount);
    return a + 1;
  }
};

// What templates call back.
struct Visit
{
  const Leaf &leaf;

  int
  operator() (int a) const
  {
    return leaf.work (a);
  }
};

template <int N>
struct Level
{
  template <typename Work>
  static KNOWN int
  call (const Work &work, int a, int b)
  {
    if constexpr (N == 0)
      return work (a) + b;
    else
      return Level<N - 1>::call (work, a + 1, b) * a + b;
  }
};

}

extern "C" KNOWN void
run_templates (unsigned int amount)
{
  known::Spin leaf;
  leaf.amount = amount;
  known::Visit visit { leaf };
  known::some = known::Level<3>::call (visit, known::some, known::some) % 10;
}
