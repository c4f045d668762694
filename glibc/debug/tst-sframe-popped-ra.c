/* Test backtrace from a function that has popped its return address to a
   register, as vfork does, so that its CFA is SP.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <ucontext.h>

#include "tst-sframe-asm.h"
#include "tst-sframe-support.h"

#if HAVE_SFRAME_X86

static struct trace_pair pair;

extern void popped (void);
asm (ASM_TEXT (popped,
	       "pop %rdi\n"
	       ".cfi_adjust_cfa_offset -8\n"
	       ".cfi_register %rip, %rdi\n"
	       ASM_FAULT
	       "push %rdi\n"
	       ".cfi_adjust_cfa_offset 8\n"
	       ".cfi_offset %rip, -8\n"
	       "ret\n"));

static void
handler (int signo, siginfo_t *info, void *closure)
{
  collect (&pair);
  CONTEXT_PC ((ucontext_t *) closure) += FAULT_SIZE;
}

static void FRAME
caller (void)
{
  popped ();
  KEEP_FRAME ();
}

static int
do_test (void)
{
  struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
  xsigaction (FAULT_SIGNAL, &sa, NULL);
  caller ();
  check_no_fallback ();
  check_same_with (&pair, caller);
  TEST_COMPARE (count_frames (&pair.oracle, popped), 1);
  return 0;
}

#else
static int
do_test (void)
{
  FAIL_UNSUPPORTED ("needs a machine that pushes RA");
}
#endif

#include <support/test-driver.c>
