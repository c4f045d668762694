/* Test backtrace in constructors and destructors of shared objects, at
   dlopen and dlclose, and at exit.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <sys/wait.h>

#include <support/support.h>
#include <support/xdlfcn.h>
#include <support/xunistd.h>

#include <debug/tst-sframe-support.h>

static struct trace_pair pair;
static int events;
/* How many frames of the constructor or destructor are in the trace.  Counted
   while its module is loaded.  */
static int event_frames;
/* A counter in shared memory; not NULL in the process that exits.  */
static volatile int *events_at_exit;

static void FRAME
call_exit (void)
{
  exit (0);
}

static void
check (const void *function)
{
  TEST_COMPARE (events, 1);
  events = 0;
  check_no_fallback ();
  check_same (&pair);
  TEST_COMPARE (event_frames, 1);
  TEST_COMPARE (count_frames (&pair.oracle, function), 1);
}

/* Called by the modules.  */
void
module_event (const void *function)
{
  ++events;
  collect (&pair);
  event_frames = count_frames (&pair.oracle, function);
  if (events_at_exit != NULL)
    {
      ++*events_at_exit;
      check (call_exit);
      fflush (stdout);
    }
}

static void
check_exit (void)
{
  events_at_exit = support_shared_allocate (sizeof (*events_at_exit));
  pid_t pid = xfork ();
  if (pid == 0)
    call_exit ();
  int status;
  xwaitpid (pid, &status, 0);
  TEST_COMPARE (status, 0);
  TEST_COMPARE (*events_at_exit, 1);
  support_shared_free ((void *) events_at_exit);
  events_at_exit = NULL;
}

static void
run (const void *caller)
{
  void *handle = xdlopen ("tst-sframe-initfini-mod.so", RTLD_NOW);
  check (caller);
  xdlclose (handle);
  check (caller);

  /* This time it stays loaded until exit.  */
  xdlopen ("tst-sframe-initfini-mod.so", RTLD_NOW);
  check (caller);
  check_exit ();
}

static int
do_test (void)
{
  run (do_test);
  return 0;
}

#include <support/test-driver.c>
