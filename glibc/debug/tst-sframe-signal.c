/* Test backtrace in a signal handler that runs on the normal stack.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <setjmp.h>
#include <signal.h>
#include <stdint.h>

#include <support/support.h>
#include <support/xsignal.h>
#include <support/xunistd.h>
#include <sys/mman.h>

#include "tst-sframe-support.h"

#ifndef HANDLER_FLAGS
# define HANDLER_FLAGS 0
#endif

static struct trace_pair pair;
static uintptr_t handler_sp;
static sigjmp_buf after_fault;
static int *no_memory;

static void
handler (int signo)
{
  handler_sp = (uintptr_t) __builtin_frame_address (0);
  collect (&pair);
  if (signo == SIGSEGV)
    siglongjmp (after_fault, 1);
}

/* Trace from a signal that interrupts a system call, in libc.  */
static void FRAME
raise_here (void)
{
  raise (SIGUSR1);
  KEEP_FRAME ();
}

/* Trace from a signal at an instruction of a leaf function, whose locals may
   be below SP.  */
static int FRAME
fault_here (int seed)
{
  volatile int local[4] = { seed, seed, seed, seed };
  return *no_memory + local[seed % 4];
}

static void
check (const void *function)
{
  check_no_fallback ();
  check_same_with (&pair, function);
  TEST_VERIFY (count_frames (&pair.oracle, handler) > 0);
  TEST_COMPARE (pair.oracle.signal_frames, 1);
}

static void
run_both (void)
{
  raise_here ();
  check (raise_here);
  if (sigsetjmp (after_fault, 1) == 0)
    {
      fault_here (1);
      FAIL_EXIT1 ("no fault");
    }
  check (fault_here);
}

static void
install_handlers (void)
{
  no_memory = xmmap (NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  struct sigaction sa = { .sa_handler = handler,
			  .sa_flags = HANDLER_FLAGS | SA_SIGINFO };
  xsigaction (SIGUSR1, &sa, NULL);
  xsigaction (SIGSEGV, &sa, NULL);
}

#ifndef OTHER_TEST
static int
do_test (void)
{
  install_handlers ();
  run_both ();
  return 0;
}

# include <support/test-driver.c>
#endif
