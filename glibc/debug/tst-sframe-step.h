/* Backtrace at every instruction of a piece of code, by single-stepping.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The stepped code must end within the function that starts it.  */

#ifndef _TST_SFRAME_STEP_H
#define _TST_SFRAME_STEP_H

#include <signal.h>

#include "tst-sframe-support.h"
#include "tst-sframe-asm.h"

#if HAVE_SFRAME_X86

/* Functions, not inline assembler, so that the CFI can describe the change of
   SP.  0x100 is the trap flag.  */
extern void step_start (void);
extern void step_stop (void);
asm (ASM_TEXT (step_start,
	       "pushfq\n"
	       ".cfi_adjust_cfa_offset 8\n"
	       "orl $0x100, (%rsp)\n"
	       "popfq\n"
	       ".cfi_adjust_cfa_offset -8\n"
	       "ret\n")
     ASM_TEXT (step_stop,
	       "pushfq\n"
	       ".cfi_adjust_cfa_offset 8\n"
	       "andl $~0x100, (%rsp)\n"
	       "popfq\n"
	       ".cfi_adjust_cfa_offset -8\n"
	       "ret\n"));

static struct
{
  /* The function that calls step_start.  */
  const void *root;
  int steps;
  int compared;
  int different;
  /* For code with wrong tables, on which the oracle may fault: call only
     backtrace, and count the traces that do not end as those of the code
     around it do.  */
  bool without_oracle;
  void *end;
  int cut;
  int least_frames;
  /* Called at each step, if not NULL.  */
  void (*visit) (const struct trace *);
  struct trace_pair pair;
  /* The first traces that differed.  */
  struct trace_pair bad;
} step;

static void
step_handler (int signo)
{
  ++step.steps;
  if (step.without_oracle)
    {
      int count = backtrace (step.pair.ours.pc, TRACE_MAX);
      if (count < step.least_frames)
	step.least_frames = count;
      step.cut += count == 0 || step.pair.ours.pc[count - 1] != step.end;
      return;
    }
  collect (&step.pair);
  step.end = step.pair.ours.pc[step.pair.ours.count - 1];
  /* libgcc loses the caller at a few instructions, where backtrace need
     not.  */
  if (!step.pair.oracle.complete
      || count_frames (&step.pair.oracle, step.root) == 0)
    return;
  ++step.compared;
  if (step.visit != NULL)
    step.visit (&step.pair.oracle);
  if (first_difference (&step.pair) >= 0 && step.different++ == 0)
    step.bad = step.pair;
}

/* Prepare for stepping in ROOT.  Bind the handler's own calls here, so that it
   does not enter the dynamic linker, which may be what it observes.  */
static void
step_prepare (const void *root)
{
  step.root = root;
  handle_signal (SIGTRAP, step_handler);
  raise (SIGTRAP);
  step.steps = step.compared = step.different = step.cut = 0;
  step.least_frames = TRACE_MAX;
}

/* Check that at least MINIMUM instructions were stepped, that the oracle's
   trace was complete at nearly all of them, and that no trace differed.  */
static void
step_check (int minimum)
{
  printf ("info: %d steps, %d compared, %d different\n", step.steps,
	  step.compared, step.different);
  TEST_VERIFY (step.steps >= minimum);
  TEST_VERIFY (step.compared >= step.steps - step.steps / 20);
  TEST_COMPARE (step.different, 0);
  if (step.different > 0)
    print_pair (&step.bad);
}

#endif

#endif /* _TST_SFRAME_STEP_H */
