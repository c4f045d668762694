/* Test backtrace in a signal handler that interrupts a function of the vDSO.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The vDSO of qemu, or of a kernel without SFrame, has only .eh_frame.  */

#include <execinfo.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/time.h>
#include <time.h>

#include <support/check.h>
#include <support/xsignal.h>

#include "tst-sframe-support.h"

#define TIMEOUT 60

enum { FRAMES = 64, WANTED = 20, SECONDS = 20 };

/* The vDSO has a few pages.  */
#define VDSO_SIZE 0x4000

static void *outside[FRAMES];
static int outside_count;
static volatile int seen, interrupted, short_traces;

/* Whether PC is in the vDSO.  */
static int
is_vdso (const void *pc)
{
  return (uintptr_t) pc - getauxval (AT_SYSINFO_EHDR) < VDSO_SIZE;
}

/* The callers of do_test end each trace.  */
static void
handler (int signo)
{
  void *inside[FRAMES];
  int count = backtrace (inside, FRAMES);
  int callers = outside_count - 1;

  ++seen;
  for (int i = 0; i < 4 && i < count; ++i)
    if (is_vdso (inside[i]))
      {
	++interrupted;
	if (count < callers
	    || memcmp (&inside[count - callers], &outside[1],
		       callers * sizeof inside[0]) != 0)
	  ++short_traces;
	return;
      }
}

static int
do_test (void)
{
  struct itimerval interval = { { 0, 5000 }, { 0, 5000 } }, never = { 0 };
  struct timespec now;

  if (getauxval (AT_SYSINFO_EHDR) == 0)
    FAIL_UNSUPPORTED ("there is no vDSO");
  outside_count = backtrace (outside, FRAMES);
  TEST_VERIFY (outside_count > 2);
  xsignal (SIGALRM, handler);
  TEST_COMPARE (setitimer (ITIMER_REAL, &interval, NULL), 0);
  while (interrupted < WANTED && seen < SECONDS * 200)
    clock_gettime (CLOCK_MONOTONIC, &now);
  TEST_COMPARE (setitimer (ITIMER_REAL, &never, NULL), 0);

  printf ("info: %d of %d signals in the vDSO\n", interrupted, seen);
  if (interrupted < WANTED)
    FAIL_UNSUPPORTED ("signals hardly ever interrupt the vDSO");
  TEST_COMPARE (short_traces, 0);
  return 0;
}

#include <support/test-driver.c>
