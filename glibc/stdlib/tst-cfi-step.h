/* Unwind by CFI at every instruction of a piece of code, by single-stepping.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Only x86-64 has a trap flag that a program can set.  */

#ifndef _TST_CFI_STEP_H
#define _TST_CFI_STEP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unwind.h>

#include <support/check.h>
#include <support/xsignal.h>

#ifdef __x86_64__
# define HAVE_CFI_STEP 1

/* The traces since the last check, and those without a frame of do_test.  */
static int traces;
static int incomplete;
static const void *first_incomplete;

static int do_test (void);

static _Unwind_Reason_Code
visit_frame (struct _Unwind_Context *context, void *closure)
{
  if (_Unwind_GetRegionStart (context) != (uintptr_t) do_test)
    return _URC_NO_REASON;
  *(bool *) closure = true;
  return _URC_END_OF_STACK;
}

static void
step_handler (int signo, siginfo_t *info, void *context)
{
  bool complete = false;

  ++traces;
  _Unwind_Backtrace (visit_frame, &complete);
  if (!complete && incomplete++ == 0)
    first_incomplete = info->si_addr;
}

static inline void
prepare_steps (void)
{
  struct sigaction action =
    { .sa_sigaction = step_handler, .sa_flags = SA_SIGINFO };
  xsigaction (SIGTRAP, &action, NULL);
}

/* Set and clear the trap flag, 0x100.  Functions, so that CFI can describe the
   change of SP.  */
extern void start_steps (void);
extern void stop_steps (void);
# define CHANGE_FLAGS(name, instruction) \
  ".text\n\
	.globl " #name "\n\
	.type " #name ", @function\n\
" #name ":\n\
	.cfi_startproc\n\
	pushfq\n\
	.cfi_adjust_cfa_offset 8\n\
	" instruction "\n\
	popfq\n\
	.cfi_adjust_cfa_offset -8\n\
	ret\n\
	.cfi_endproc\n\
	.size " #name ", .-" #name "\n"
asm (CHANGE_FLAGS (start_steps, "orl $0x100, (%rsp)"));
asm (CHANGE_FLAGS (stop_steps, "andl $~0x100, (%rsp)"));

/* Check that there were at least LEAST traces, and that all reached
   do_test.  */
static inline void
check_steps (int least)
{
  TEST_VERIFY (traces >= least);
  TEST_COMPARE (incomplete, 0);
  if (incomplete > 0)
    printf ("info: first one without do_test: at %p\n", first_incomplete);
  traces = incomplete = 0;
}

#else

static int
do_test (void)
{
  FAIL_UNSUPPORTED ("the machine has no trap flag");
}

#endif

#endif
