/* Test backtrace at every instruction of a function that realigns its
   stack: for some instructions a register other than SP and FP has the CFA.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tst-sframe-step.h"

#if HAVE_SFRAME_X86

struct aligned
{
  volatile char byte[64];
} __attribute__ ((aligned (64)));

static volatile int variable_size = 40;

/* The compiler's tables are wrong in the epilogue, in both formats: they say
   that the caller's FP is saved where FP points to, but FP already is the
   caller's.  libgcc may fault there, so comparing ends at the deepest frame;
   the epilogues are checked without the oracle.  */
static bool stop_at_bottom;

static int FRAME
realign (int depth)
{
  struct aligned local;
  volatile char variable[variable_size];
  local.byte[0] = variable[0] = depth;
  if (depth > 0)
    realign (depth - 1);
  else if (stop_at_bottom)
    step_stop ();
  KEEP_FRAME ();
  return local.byte[0] + variable[0];
}

static int steps_in_realign;

static void
note_place (const struct trace *trace)
{
  for (int i = 0; i < trace->count; ++i)
    if (trace->interrupted[i])
      steps_in_realign += function_of_frame (trace, i) == realign;
}

static void FRAME
step_realign (void)
{
  step_start ();
  realign (1);
  step_stop ();
  KEEP_FRAME ();
}

static void
compare_prologue (void)
{
  stop_at_bottom = true;
  step_prepare (step_realign);
  step.visit = note_place;
  step_realign ();
  step_check (30);
  check_no_fallback ();
  TEST_VERIFY (steps_in_realign > 20);
}

/* After "pop %rbp" of each of the two calls of realign there are one or two
   instructions at which the tables are wrong.  backtrace must reach the end of
   the stack there, too.  */
static void
trace_epilogue (int steps_to_bottom)
{
  stop_at_bottom = false;
  step_prepare (step_realign);
  step.without_oracle = true;
  step_realign ();
  printf ("info: %d steps, at least %d frames, %d traces cut\n", step.steps,
	  step.least_frames, step.cut);
  check_no_fallback ();
  TEST_VERIFY (step.steps > steps_to_bottom);
  TEST_VERIFY (step.least_frames >= 4);
  TEST_COMPARE (step.cut, 0);
}

static int
do_test (void)
{
  compare_prologue ();
  trace_epilogue (step.steps);
  return 0;
}

#else
static int
do_test (void)
{
  FAIL_UNSUPPORTED ("needs a trap flag");
}
#endif

#include <support/test-driver.c>
