/* Compare backtrace with the unwinder of libgcc, frame by frame.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The oracle is _Unwind_Backtrace.  A test links it statically, from
   libgcc_eh, so libgcc_s.so is in the process only if backtrace has loaded it
   as a fallback.  In a static test backtrace calls the same function as the
   oracle; the linker option --wrap separates the two.  */

#ifndef _TST_SFRAME_SUPPORT_H
#define _TST_SFRAME_SUPPORT_H

#include <execinfo.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#include <support/check.h>
#include <support/xsignal.h>
#include <support/xstdio.h>

#include "tst-sframe-hidden.h"

/* A test with deep stacks defines its own limit.  */
#ifndef TRACE_MAX
# define TRACE_MAX 256
#endif

/* A function that must have a frame of its own.  */
#define FRAME __attribute_optimization_barrier__

/* Put after a call, to prevent a tail call.  */
#define KEEP_FRAME() asm volatile ("" ::: "memory")

/* Prevent the compiler from removing an array.  */
#define USE(array) asm volatile ("" : : "r" (array) : "memory")

struct trace
{
  int count;

  /* The members below are set only for the oracle.  */

  /* The trace has reached an outermost frame, and did not end for lack of
     unwind tables.  */
  bool complete;
  int signal_frames;
  int skip;

  void *pc[TRACE_MAX];
  /* PC[I] is the instruction to execute next, not a return address.  */
  bool interrupted[TRACE_MAX];
};

struct trace_pair
{
  struct trace ours;
  struct trace oracle;
};

/* glibc's unwind.h declares only what libc itself uses.  */
extern _Unwind_Ptr _Unwind_GetIPInfo (struct _Unwind_Context *, int *);

#ifdef TEST_STATIC
extern __typeof (_Unwind_Backtrace) __real__Unwind_Backtrace;
extern __typeof (_Unwind_Backtrace) __wrap__Unwind_Backtrace;

struct dwarf_eh_bases;
extern const void *__real__Unwind_Find_FDE (void *, struct dwarf_eh_bases *);
extern const void *__wrap__Unwind_Find_FDE (void *, struct dwarf_eh_bases *);

static volatile int fallback_calls;

_Unwind_Reason_Code
__wrap__Unwind_Backtrace (_Unwind_Trace_Fn fn, void *arg)
{
  ++fallback_calls;
  return __real__Unwind_Backtrace (fn, arg);
}

/* libgcc's unwinder calls this function, too; the first call may call
   malloc.  */
const void *
__wrap__Unwind_Find_FDE (void *pc, struct dwarf_eh_bases *bases)
{
  fallback_calls += hidden_from_caller;
  return __real__Unwind_Find_FDE (pc, bases);
}
# define oracle_backtrace __real__Unwind_Backtrace
# define IS_STATIC true
#else
# define oracle_backtrace _Unwind_Backtrace
# define IS_STATIC false
#endif

static _Unwind_Reason_Code
oracle_frame (struct _Unwind_Context *context, void *closure)
{
  struct trace *trace = closure;
  if (trace->skip > 0)
    {
      --trace->skip;
      return _URC_NO_REASON;
    }

  int before = 0;
  void *pc = (void *) _Unwind_GetIPInfo (context, &before);
  /* libgcc reports the missing caller of an outermost frame as a frame
     at address zero.  */
  if (pc == NULL)
    {
      trace->complete = true;
      return _URC_END_OF_STACK;
    }
  if (trace->count == TRACE_MAX)
    return _URC_END_OF_STACK;
  trace->signal_frames += before;
  trace->interrupted[trace->count] = before;
  trace->pc[trace->count++] = pc;
  return _URC_NO_REASON;
}

/* Store what the oracle sees, from the caller of this function on.  */
static __attribute_maybe_unused__ void FRAME
collect_oracle (struct trace *trace)
{
  trace->count = 0;
  trace->complete = false;
  trace->signal_frames = 0;
  /* The oracle reports this function first.  */
  trace->skip = 1;
  oracle_backtrace (oracle_frame, trace);
  KEEP_FRAME ();
}

/* Store the trace by backtrace and that by the oracle.  Frame 0 of both is in
   this function, at different addresses; all other frames must be equal.

   backtrace is called four times: the first call of a process caches nothing,
   the second caches rules for the third, and the third stores predictions for
   the fourth.  If the four traces differ, store a trace of no frames.  */
static __attribute_maybe_unused__ void FRAME
collect (struct trace_pair *pair)
{
  bool same = true;
  hidden_from_caller = IS_STATIC;
  pair->ours.count = backtrace (pair->ours.pc, TRACE_MAX);
  for (int i = 0; i < 3 && same; ++i)
    {
      /* Use the oracle's array for now.  */
      void **again = pair->oracle.pc;
      int count = backtrace (again, TRACE_MAX);
      same = (count > 0 && count == pair->ours.count
	      && memcmp (again + 1, pair->ours.pc + 1,
			 (count - 1) * sizeof again[0]) == 0);
    }
  hidden_from_caller = false;
  collect_oracle (&pair->oracle);
  if (!same)
    pair->ours.count = 0;
  KEEP_FRAME ();
}

/* Install HANDLER for SIGNO, with SA_SIGINFO: without it s390x has another
   signal frame, whose trampoline libgcc may take for the function before
   it.  */
static __attribute_maybe_unused__ void
handle_signal (int signo, void (*handler) (int))
{
  struct sigaction sa = { .sa_handler = handler,
			  .sa_flags = SA_RESTART | SA_SIGINFO };
  xsigaction (signo, &sa, NULL);
}

/* Return how many lines of /proc/self/maps contain NAME.  */
static __attribute_maybe_unused__ int
count_mappings (const char *name)
{
  FILE *fp = xfopen ("/proc/self/maps", "r");
  char line[4096];
  int found = 0;
  while (fgets (line, sizeof (line), fp) != NULL)
    found += strstr (line, name) != NULL;
  xfclose (fp);
  return found;
}

/* Return whether libgcc_s.so, backtrace's fallback, is in the process.  The
   link maps do not tell, since it may be in another namespace.  */
static __attribute_maybe_unused__ bool
libgcc_is_loaded (void)
{
  return count_mappings ("/libgcc_s") > 0;
}

/* Check that no backtrace so far has used the fallback.  */
static __attribute_maybe_unused__ void
check_no_fallback (void)
{
#ifdef TEST_STATIC
  TEST_COMPARE (fallback_calls, 0);
#else
  TEST_VERIFY (!libgcc_is_loaded ());
#endif
}

/* Return the start of the function of frame I in TRACE, which was collected by
   the oracle.  */
static inline void *
function_of_frame (const struct trace *trace, int i)
{
  /* The function expects a return address.  */
  return _Unwind_FindEnclosingFunction (trace->pc[i]
					+ trace->interrupted[i]);
}

/* Return the number of frames that FUNCTION has in TRACE, which was
   collected by the oracle.  */
static __attribute_maybe_unused__ int
count_frames (const struct trace *trace, const void *function)
{
  int found = 0;
  for (int i = 0; i < trace->count; ++i)
    found += function_of_frame (trace, i) == function;
  return found;
}

/* Return the index of the first frame but 0 in which the traces differ,
   or -1.  Callable from a signal handler.  */
static __attribute_maybe_unused__ int
first_difference (const struct trace_pair *pair)
{
  int common = pair->ours.count < pair->oracle.count
	       ? pair->ours.count : pair->oracle.count;
  for (int i = 1; i < common; ++i)
    if (pair->ours.pc[i] != pair->oracle.pc[i])
      return i;
  return pair->ours.count == pair->oracle.count ? -1 : common;
}

static __attribute_maybe_unused__ void
print_pair (const struct trace_pair *pair)
{
  fflush (stdout);
  dprintf (STDOUT_FILENO, "backtrace, %d frames:\n", pair->ours.count);
  backtrace_symbols_fd (pair->ours.pc, pair->ours.count, STDOUT_FILENO);
  dprintf (STDOUT_FILENO, "_Unwind_Backtrace, %d frames:\n",
	   pair->oracle.count);
  backtrace_symbols_fd (pair->oracle.pc, pair->oracle.count, STDOUT_FILENO);
}

/* Check that both traces have the same frames.  */
static __attribute_maybe_unused__ void
check_equal (const struct trace_pair *pair)
{
  TEST_VERIFY (pair->ours.count > 1);
  TEST_VERIFY (_Unwind_FindEnclosingFunction (pair->ours.pc[0])
	       == function_of_frame (&pair->oracle, 0));
  int difference = first_difference (pair);
  TEST_COMPARE (difference, -1);
  if (difference >= 0)
    print_pair (pair);
}

/* Check that both traces have the same frames, out to the outermost one.  */
static __attribute_maybe_unused__ void
check_same (const struct trace_pair *pair)
{
  check_equal (pair);
  if (!pair->oracle.complete)
    print_pair (pair);
  /* Equality proves little if the oracle's trace is incomplete.  */
  TEST_VERIFY (pair->oracle.complete);
}

/* The same, and check that FUNCTION is among the frames.  */
static __attribute_maybe_unused__ void
check_same_with (const struct trace_pair *pair, const void *function)
{
  check_same (pair);
  TEST_VERIFY (count_frames (&pair->oracle, function) > 0);
}

#endif /* _TST_SFRAME_SUPPORT_H */
