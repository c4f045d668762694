/* Test that the tunable glibc.rtld.sframe=0 leaves backtrace to libgcc, which
   any call of it loads for good.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <gnu/lib-names.h>
#include <sys/wait.h>

#include <support/xdlfcn.h>
#include <support/xunistd.h>

#include "tst-sframe-support.h"

static struct trace_pair pair;

static int FRAME
compare (const void *left, const void *right)
{
  collect (&pair);
  KEEP_FRAME ();
  return 0;
}

static void FRAME
handler (int signo)
{
  collect (&pair);
  KEEP_FRAME ();
}

/* A call for no frames is one, too.  */
static void
load_by_nothing (void)
{
  void *pc[1];
  TEST_COMPARE (backtrace (pc, 0), 0);
  TEST_VERIFY (libgcc_is_loaded ());
}

/* Whoever else has loaded libgcc may unload it.  */
static void
keep_from_unloading (void)
{
  void *pc[1];
  void *handle = xdlopen (LIBGCC_S_SO, RTLD_NOW);
  TEST_COMPARE (backtrace (pc, 1), 1);
  xdlclose (handle);
  TEST_VERIFY (libgcc_is_loaded ());
}

/* Run FUNCTION in another process.  */
static void
run (void (*function) (void))
{
  pid_t pid = xfork ();
  if (pid == 0)
    {
      TEST_VERIFY (!libgcc_is_loaded ());
      function ();
      exit (support_report_failure (0));
    }
  int status;
  xwaitpid (pid, &status, 0);
  TEST_COMPARE (status, 0);
}

static int
do_test (void)
{
  int numbers[] = { 2, 1 };

  run (load_by_nothing);
  run (keep_from_unloading);
  TEST_VERIFY (!libgcc_is_loaded ());
  qsort (numbers, 2, sizeof (numbers[0]), compare);
  TEST_VERIFY (libgcc_is_loaded ());
  check_same_with (&pair, compare);

  handle_signal (SIGUSR1, handler);
  raise (SIGUSR1);
  check_same_with (&pair, handler);
  return 0;
}

#include <support/test-driver.c>
