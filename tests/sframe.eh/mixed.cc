/* Trace a stack with frames of a libstdc++ without SFrame in the middle.

   SPDX-License-Identifier: LGPL-2.1-or-later

   libstdc++ calls back in two ways: from the start of a thread, and from a
   stream whose locale changes.  backtrace must return the frames that
   _Unwind_Backtrace returns.  Its first call must not call the allocator,
   which this program replaces and regards as locked during that call.  */

#include <cstdio>
#include <cstdlib>
#include <execinfo.h>
#include <ios>
#include <iostream>
#include <locale>
#include <thread>
#include <unwind.h>

namespace
{
  constexpr int max = 64;
  bool locked;
  int calls_when_locked;
  bool good = true;

  struct trace
  {
    void *pc[max];
    int count;
  };

  void
  tell (const char *what, bool result)
  {
    std::printf ("%s: %s\n", result ? "PASS" : "FAIL", what);
    good &= result;
  }

  _Unwind_Reason_Code
  note (_Unwind_Context *context, void *closure)
  {
    trace *t = static_cast<trace *> (closure);
    void *pc = reinterpret_cast<void *> (_Unwind_GetIP (context));
    if (pc == nullptr || t->count == max)
      return _URC_END_OF_STACK;
    t->pc[t->count++] = pc;
    return _URC_NO_REASON;
  }

  /* Compare all frames except this one.  */
  __attribute__ ((noinline)) void
  compare (const char *what)
  {
    trace ours, oracle = {};
    locked = true;
    ours.count = backtrace (ours.pc, max);
    locked = false;
    _Unwind_Backtrace (note, &oracle);
    bool same = ours.count == oracle.count && ours.count > 3;
    for (int i = 1; same && i < ours.count; ++i)
      same = ours.pc[i] == oracle.pc[i];
    tell (what, same);
    if (!same)
      {
	backtrace_symbols_fd (ours.pc, ours.count, 1);
	backtrace_symbols_fd (oracle.pc, oracle.count, 1);
      }
  }

  void
  locale_changed (std::ios_base::event event, std::ios_base &, int)
  {
    if (event == std::ios_base::imbue_event)
      compare ("called by a stream");
  }
}

extern "C" void *__libc_malloc (size_t);

void *
malloc (size_t size) noexcept
{
  calls_when_locked += locked;
  return __libc_malloc (size);
}

int
main ()
{
  std::cout.register_callback (locale_changed, 0);
  std::cout.imbue (std::locale::classic ());
  std::thread ([] { compare ("start of a thread"); }).join ();
  tell ("no call of malloc", calls_when_locked == 0);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
