/* Compare backtrace, which libsframe-backtrace.so replaces, with libgcc's
   unwinder.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TRACES_H
#define TRACES_H

#include <execinfo.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unwind.h>

#define FRAME __attribute__ ((noinline, noclone))
/* Put after a call, so that it is no tail call.  */
#define KEEP_FRAME() __asm__ volatile ("" ::: "memory")

enum { TRACE_MAX = 512 };

struct trace
{
  void *pc[TRACE_MAX];
  int count;
};

static inline _Unwind_Reason_Code
trace_add (struct _Unwind_Context *context, void *closure)
{
  struct trace *trace = (struct trace *) closure;

  if (trace->count == TRACE_MAX)
    return _URC_END_OF_STACK;
  trace->pc[trace->count++] = (void *) _Unwind_GetIP (context);
  return _URC_NO_REASON;
}

/* Trace the caller by both.  Return whether the same was found, from the
   caller's caller on, as the first PC depends on where the call is, and at
   least LEAST frames.  */
static inline bool __attribute__ ((always_inline))
traces_agree (int least)
{
  struct trace ours, oracle;

  oracle.count = 0;
  ours.count = backtrace (ours.pc, TRACE_MAX);
  _Unwind_Backtrace (trace_add, &oracle);
  /* libgcc marks the end by a PC of 0.  */
  if (oracle.count > 0 && oracle.pc[oracle.count - 1] == NULL)
    --oracle.count;
  bool same = (ours.count == oracle.count && ours.count >= least
	       && memcmp (ours.pc + 1, oracle.pc + 1,
			  (ours.count - 1) * sizeof ours.pc[0]) == 0);
  if (!same)
    {
      printf ("%d frames, not %d, or fewer than %d\n", ours.count,
	      oracle.count, least);
      fflush (stdout);
      backtrace_symbols_fd (ours.pc, ours.count, 1);
      printf ("the other:\n");
      fflush (stdout);
      backtrace_symbols_fd (oracle.pc, oracle.count, 1);
    }
  return same;
}

static inline void
result (bool good, const char *what)
{
  printf ("%s: %s\n", good ? "PASS" : "FAIL", what);
}

#endif /* TRACES_H  */
