/* Test backtrace in functions that exit and quick_exit call.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <sys/wait.h>

#include <support/xunistd.h>

#include "tst-sframe-support.h"

enum { HANDLER_RAN = 73 };

static struct trace_pair pair;

static void FRAME
call_exit (void)
{
  exit (0);
}

static void FRAME
call_quick_exit (void)
{
  quick_exit (0);
}

/* Failures are counted in memory shared by parent and child.  */
static void FRAME
exit_handler (void)
{
  collect (&pair);
  check_no_fallback ();
  check_same_with (&pair, call_exit);
  fflush (stdout);
  _exit (HANDLER_RAN);
}

static void FRAME
quick_exit_handler (void)
{
  collect (&pair);
  check_no_fallback ();
  check_same_with (&pair, call_quick_exit);
  fflush (stdout);
  _exit (HANDLER_RAN);
}

static void
run (void (*function) (void))
{
  pid_t pid = xfork ();
  if (pid == 0)
    function ();
  int status;
  xwaitpid (pid, &status, 0);
  TEST_VERIFY (WIFEXITED (status));
  TEST_COMPARE (WEXITSTATUS (status), HANDLER_RAN);
}

static void
test_exit (void)
{
  TEST_COMPARE (atexit (exit_handler), 0);
  call_exit ();
}

static void
test_quick_exit (void)
{
  TEST_COMPARE (at_quick_exit (quick_exit_handler), 0);
  call_quick_exit ();
}

static int
do_test (void)
{
  run (test_exit);
  run (test_quick_exit);
  return 0;
}

#include <support/test-driver.c>
