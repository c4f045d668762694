// A large C++ program with functions of all shapes, as input of the oracle.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// It also runs and prints a sum: the result of each function is an argument of
// the next, so the compiler removes none.  Compiled with -O2 and --gsframe it
// has about 3,600 FDEs, with rows of every start size and word size, of
// default and flexible type.

#include <alloca.h>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#define NOINLINE __attribute__ ((noinline, noclone))

// What the compiler must not know.
static volatile int opaque = 1;

// For the memory operand of an empty asm: the buffer is used.
static inline void
use (void *p)
{
  asm volatile ("" : : "r" (p) : "memory");
}

// A leaf without a frame.
template <int N> NOINLINE int
leaf (int x)
{
  return x * (2 * N + 1) ^ N;
}

// Frames of growing size.  Up to 1,200 bytes: words of 1 and 2 bytes.
template <int N> NOINLINE int
frame (int x)
{
  char buffer[N * 4 + 1];
  use (buffer);
  return leaf<N> (x) + buffer[x & 0];
}

// More than 256 KiB: words of 4 bytes even on s390x, which counts by eights.
template <int N> NOINLINE int
large_frame (int x)
{
  char buffer[0x40000 + N * 64];
  use (buffer);
  return leaf<N> (x) + buffer[x & 0];
}

// A frame whose size is not known: CFA from the frame pointer.
template <int N> NOINLINE int
dynamic_frame (int x)
{
  char *buffer = static_cast<char *> (alloca (opaque * N + 16));
  use (buffer);
  return leaf<N> (x) + buffer[0];
}

// The same, and alignment beyond that of the stack: the argument pointer is
// kept in a register of its own, hence flexible rules.
template <int N> NOINLINE int
realigned (int x, int a, int b, int c, int d, int e, int f, int stacked)
{
  alignas (64) char aligned[64 + N];
  char *buffer = static_cast<char *> (alloca (opaque * N + 16));
  use (aligned);
  use (buffer);
  return leaf<N> (x + a + b + c + d + e + f + stacked) + buffer[0];
}

template <int N> NOINLINE int
realigned_only (int x)
{
  alignas (32 << (N % 4)) char aligned[64 + N];
  use (aligned);
  return leaf<N> (x) + aligned[0];
}

// All call-saved registers, so many rows in prologue and epilogue.
template <int N> NOINLINE int
many_registers (int x)
{
  int a = leaf<N> (x), b = leaf<N> (a), c = leaf<N> (b), d = leaf<N> (c);
  int e = leaf<N> (d), f = leaf<N> (e), g = leaf<N> (f), h = leaf<N> (g);
  return leaf<N> (a ^ h) + leaf<N> (b ^ g) + leaf<N> (c ^ f) + leaf<N> (d ^ e);
}

template <int N> [[noreturn]] NOINLINE void
never (int x)
{
  if (x == N)
    throw std::runtime_error ("never");
  std::abort ();
}

// A call that does not return at the very end, and a cold part.
template <int N> NOINLINE int
ends_in_call (int x)
{
  if (__builtin_expect (x != opaque * x, 0))
    never<N> (x);
  return leaf<N> (x);
}

template <int N> NOINLINE int
table_jump (int x)
{
  switch (x & 7)
    {
    case 0: return leaf<N> (x) + 3;
    case 1: return frame<N> (x + 1);
    case 2: return many_registers<N> (x);
    case 3: return dynamic_frame<N> (x);
    case 4: return ends_in_call<N> (x) * 5;
    case 5: opaque = opaque; return 7;
    case 6: return realigned_only<N> (x) - 1;
    default: return x;
    }
}

// Arguments on the stack move the stack pointer in mid-function.
template <int N> NOINLINE int
pushes (int x)
{
  return realigned<N> (x, 1, 2, 3, 4, 5, 6, 7) + leaf<N> (x);
}

template <int N> NOINLINE int
catches (int x)
{
  std::string text = "n" + std::to_string (N);
  try
    {
      if ((x & 1023) == 1024 * opaque)
	throw N;
      return ends_in_call<N> (x) + static_cast<int> (text.size ());
    }
  catch (const std::exception &e)
    {
      return static_cast<int> (text.size ()) + e.what ()[0];
    }
  catch (int n)
    {
      return n;
    }
}

// Work only behind a test: the frame is made late.
template <int N> NOINLINE int
shrink_wrapped (int x)
{
  if (x == 0)
    return N;
  return many_registers<N> (x) + catches<N> (x);
}

struct shape
{
  virtual ~shape () = default;
  virtual int area (int x) const = 0;
};

template <int N>
struct square : shape
{
  int area (int x) const override { return table_jump<N> (x); }
};

// Functions of no bytes, as compilers make of unreachable ones, each at the
// start of the next one.
asm (".text\n"
     ".rept 64\n"
     ".cfi_startproc\n"
     ".cfi_endproc\n"
     ".cfi_startproc\n"
     "nop\n"
     ".cfi_endproc\n"
     ".endr\n");

// A first function: it has no caller, so that its return address is undefined.
#ifdef __s390x__
# define RETURN_ADDRESS "14"
#elif defined __aarch64__
# define RETURN_ADDRESS "30"
#else
# define RETURN_ADDRESS "16"
#endif
asm (".text\n"
     ".cfi_startproc\n"
     ".cfi_undefined " RETURN_ADDRESS "\n"
     "nop\n"
     ".cfi_endproc\n");

// More than 64 KiB of code in one function, with rows after them: start
// addresses of 4 bytes.
#define STEP(n) x = x * (2 * (n) + 3) ^ opaque;
#define STEP10(n) STEP (n) STEP (n + 1) STEP (n + 2) STEP (n + 3)	\
  STEP (n + 4) STEP (n + 5) STEP (n + 6) STEP (n + 7) STEP (n + 8)	\
  STEP (n + 9)
#define STEP100(n) STEP10 (n) STEP10 (n + 10) STEP10 (n + 20)		\
  STEP10 (n + 30) STEP10 (n + 40) STEP10 (n + 50) STEP10 (n + 60)	\
  STEP10 (n + 70) STEP10 (n + 80) STEP10 (n + 90)
#define STEP1000(n) STEP100 (n) STEP100 (n + 100) STEP100 (n + 200)	\
  STEP100 (n + 300) STEP100 (n + 400) STEP100 (n + 500)			\
  STEP100 (n + 600) STEP100 (n + 700) STEP100 (n + 800) STEP100 (n + 900)

NOINLINE int
long_function (int x)
{
  STEP1000 (0) STEP1000 (1000) STEP1000 (2000) STEP1000 (3000)
  STEP1000 (4000) STEP1000 (5000) STEP1000 (6000) STEP1000 (7000)
  return many_registers<1> (x) + dynamic_frame<1> (x);
}

template <int N> static int
all_of (int x)
{
  x += frame<N> (x) + large_frame<N> (x) + dynamic_frame<N> (x);
  x += pushes<N> (x) + realigned_only<N> (x) + shrink_wrapped<N> (x);
  return x;
}

template <int... N> static int
all (int x, std::vector<shape *> &shapes, std::integer_sequence<int, N...>)
{
  ((x = all_of<N> (x)), ...);
  (shapes.push_back (new square<N>), ...);
  return x;
}

static int
library (int x)
{
  std::map<std::string, int> words;
  std::istringstream text ("one two three two one");
  std::regex vowel ("[aeiou]+");

  for (std::string word; text >> word;)
    words[std::regex_replace (word, vowel, "-")] += x;
  for (const auto &[word, count] : words)
    x += count + static_cast<int> (word.size ());
  return x;
}

int
main ()
{
  std::vector<shape *> shapes;
  int x = all (1, shapes, std::make_integer_sequence<int, 200> ());

  for (shape *s : shapes)
    {
      x += s->area (x);
      delete s;
    }
  std::cout << library (long_function (x)) << '\n';
}
