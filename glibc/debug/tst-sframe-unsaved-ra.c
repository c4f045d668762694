/* Test that backtrace ends at a function that has made a call, but whose table
   says that it has not saved its return address.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <ucontext.h>

#include "tst-sframe-support.h"
#include "tst-sframe-asm.h"

#if HAVE_SFRAME_S390X

static struct trace trace;

/* The register holds the return address of the call to leaf, so using it as
   unchanged would show the caller again and again.  The leaf is interrupted,
   so that the register is known where the trace begins.  */
extern void leaf (void);
extern void without_ra (void);
asm (ASM_TEXT (leaf,
	       ASM_FAULT
	       ASM_RETURN)
     ASM_TEXT (without_ra,
	       "stg %r14, 112(%r15)\n"
	       "aghi %r15, -160\n"
	       ".cfi_adjust_cfa_offset 160\n"
	       "brasl %r14, leaf\n"
	       "aghi %r15, 160\n"
	       ".cfi_adjust_cfa_offset -160\n"
	       "lg %r14, 112(%r15)\n"
	       "br %r14\n"));

static void
handler (int signo, siginfo_t *info, void *context)
{
  trace.count = backtrace (trace.pc, TRACE_MAX);
  CONTEXT_PC ((ucontext_t *) context) += FAULT_SIZE;
}

static int
do_test (void)
{
  struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
  xsigaction (FAULT_SIGNAL, &sa, NULL);
  without_ra ();
  check_no_fallback ();
  /* The handler, the signal frame, and these two.  */
  TEST_COMPARE (trace.count, 4);
  TEST_VERIFY (trace.pc[2] == leaf);
  TEST_VERIFY (_Unwind_FindEnclosingFunction (trace.pc[3]) == without_ra);
  return 0;
}

#else
static int
do_test (void)
{
  FAIL_UNSUPPORTED ("needs a machine that has RA in a register");
}
#endif

#include <support/test-driver.c>
