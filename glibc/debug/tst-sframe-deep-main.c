/* Test backtrace on a main stack deeper than the usual limit, and from a
   handler that has an alternate stack.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <support/support.h>
#include <support/xstdio.h>
#include <support/xunistd.h>

#include "tst-sframe-support.h"

enum
{
  FRAMES = 80,
  FRAME_SIZE = 256 * 1024,
  LIMIT = 64 * 1024 * 1024,
};

static struct trace_pair pair;

static void
handler (int signo)
{
  collect (&pair);
}

static void
trace_twice (void)
{
  collect (&pair);
  check_same (&pair);
  raise (SIGUSR1);
  check_same (&pair);
  TEST_COMPARE (pair.oracle.signal_frames, 1);
}

/* An address high up on the stack.  */
static uintptr_t top;

/* End the process unless the stack from here to TOP is one mapping.  An
   emulator fixes the size of the main stack at start; these frames may skip
   its guard page and reach other memory below.  */
static void
check_growth (void)
{
  uintptr_t here = (uintptr_t) __builtin_frame_address (0);
  uintptr_t start, end;
  char line[512];
  bool grown = false;

  FILE *maps = xfopen ("/proc/self/maps", "r");
  while (fgets (line, sizeof line, maps) != NULL)
    if (sscanf (line, "%" SCNxPTR "-%" SCNxPTR, &start, &end) == 2
	&& here >= start && here < end)
      grown = top < end;
  if (!grown)
    _exit (1);
  xfclose (maps);
}

static void recurse_fixed (int, void (*) (void));

/* A function with its CFA from FP, since the frame's size varies.  */
static void FRAME
recurse_variable (int depth, void (*function) (void))
{
  char buffer[FRAME_SIZE + depth % 61];
  USE (buffer);
  recurse_fixed (depth - 1, function);
  KEEP_FRAME ();
}

/* A function with its CFA from SP.  */
static void FRAME
recurse_fixed (int depth, void (*function) (void))
{
  char buffer[FRAME_SIZE];
  USE (buffer);
  if (depth == 0)
    function ();
  else
    (depth % 2 == 0 ? recurse_variable : recurse_fixed) (depth - 1, function);
  KEEP_FRAME ();
}

/* Call FUNCTION on a deep stack in a child process.  */
static int
run (void (*function) (void))
{
  pid_t pid = xfork ();
  if (pid == 0)
    {
      recurse_fixed (FRAMES, function);
      check_no_fallback ();
      _exit (support_report_failure (0));
    }
  int status;
  xwaitpid (pid, &status, 0);
  return status;
}

static int
do_test (void)
{
  struct rlimit limit;
  TEST_COMPARE (getrlimit (RLIMIT_STACK, &limit), 0);
  limit.rlim_cur = LIMIT;
  if ((limit.rlim_max != RLIM_INFINITY && limit.rlim_max < LIMIT)
      || setrlimit (RLIMIT_STACK, &limit) != 0)
    FAIL_UNSUPPORTED ("the limit of the stack is too small");
  top = (uintptr_t) __builtin_frame_address (0);
  if (run (check_growth) != 0)
    FAIL_UNSUPPORTED ("the main stack does not grow so far");

  struct sigaction sa = { .sa_handler = handler,
			  .sa_flags = SA_ONSTACK | SA_SIGINFO };
  xsigaction (SIGUSR1, &sa, NULL);
  void *stack = xalloc_sigstack (64 * 1024);
  TEST_COMPARE (run (trace_twice), 0);
  xfree_sigstack (stack);
  return 0;
}

#include <support/test-driver.c>
