/* Test backtrace where a signal interrupts a function at its first
   instruction: the lookup must use the PC itself, not the byte before.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <signal.h>
#include <ucontext.h>

#include <support/xsignal.h>

#include "tst-sframe-support.h"
#include "tst-sframe-asm.h"

#if HAVE_SFRAME_ASM

extern const char neighbor_end[];
extern void trap_at_entry (void);
asm (ASM_NEIGHBOR
     ASM_TEXT (trap_at_entry,
	       ASM_FAULT
	       ASM_RETURN));

static struct trace_pair pair;

static void
trap_handler (int signo, siginfo_t *info, void *context)
{
  collect (&pair);
  ucontext_t *uc = context;
  TEST_VERIFY (CONTEXT_PC (uc) == (greg_t) trap_at_entry);
  CONTEXT_PC (uc) += FAULT_SIZE;
}

static void FRAME
call_trap (void)
{
  trap_at_entry ();
  KEEP_FRAME ();
}

static void
check (int signal_frames, const void *function)
{
  check_no_fallback ();
  check_same_with (&pair, function);
  TEST_COMPARE (pair.oracle.signal_frames, signal_frames);
  TEST_COMPARE (count_frames (&pair.oracle, trap_at_entry), 1);
}

static int
do_test (void)
{
  /* Volatile: the compiler assumes that two objects have different
     addresses.  */
  const void *volatile end = neighbor_end;
  TEST_VERIFY_EXIT (end == (void *) trap_at_entry);

  struct sigaction sa = { .sa_sigaction = trap_handler,
			  .sa_flags = SA_SIGINFO };
  xsigaction (FAULT_SIGNAL, &sa, NULL);
  call_trap ();
  check (1, call_trap);

  /* Called as a signal handler: its caller is the signal frame, whose PC is
     the first instruction of the restorer.  */
  handle_signal (SIGUSR1, (sighandler_t) trap_at_entry);
  raise (SIGUSR1);
  check (2, do_test);
  return 0;
}

#else
static int
do_test (void)
{
  FAIL_UNSUPPORTED ("needs a trap instruction of known length");
}
#endif

#include <support/test-driver.c>
