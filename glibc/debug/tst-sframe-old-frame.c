/* Test backtrace in a signal handler installed without SA_SIGINFO: on some
   machines the kernel builds another kind of signal frame for it.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <setjmp.h>
#include <sys/mman.h>

#include <support/xunistd.h>

#include "tst-sframe-support.h"

/* Index 1: with SA_SIGINFO.  Other tests compare such a trace with the
   oracle's.  */
static struct trace_pair traces[2];
static bool siginfo;
static sigjmp_buf after_fault;
static int *no_memory;

static void
handler (int signo)
{
  collect (&traces[siginfo]);
  if (signo == SIGSEGV)
    siglongjmp (after_fault, 1);
}

static int FRAME
fault_here (int seed)
{
  volatile int local[4] = { seed, seed, seed, seed };
  return *no_memory + local[seed % 4];
}

static void FRAME
raise_or_fault (int signo)
{
  if (signo == SIGUSR1)
    raise (SIGUSR1);
  else if (sigsetjmp (after_fault, 1) == 0)
    fault_here (1);
  KEEP_FRAME ();
}

/* One loop, so that all traces have the same return addresses.  */
static void FRAME
take_both (int signo)
{
  for (int i = 0; i < 2; ++i)
    {
      struct sigaction sa = { .sa_handler = handler,
			      .sa_flags = i == 0 ? 0 : SA_SIGINFO };
      xsigaction (signo, &sa, NULL);
      siginfo = i == 1;
      raise_or_fault (signo);
    }
}

/* Frames 0 and 1 are collect and handler, and 2 is the trampoline.  */
static void
check (int signo)
{
  take_both (signo);
  const struct trace *without = &traces[0].ours;
  const struct trace *with = &traces[1].ours;
  check_same_with (&traces[1], take_both);
  TEST_COMPARE (without->count, with->count);
  TEST_COMPARE_BLOB (without->pc, 2 * sizeof (void *),
		     with->pc, 2 * sizeof (void *));
  TEST_COMPARE_BLOB (without->pc + 3, (without->count - 3) * sizeof (void *),
		     with->pc + 3, (with->count - 3) * sizeof (void *));
}

static int
do_test (void)
{
  no_memory = xmmap (NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  check (SIGUSR1);
  check (SIGSEGV);
  check_no_fallback ();
  return 0;
}

#include <support/test-driver.c>
