/* A process that dies while the profiler's request for its stack is pending.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A tracer stops it at the crash, before it ends.  Waiting for the tracer is a
   context switch; a sample of that event requests the stack.  The process then
   dies without returning to user space, where such requests are handled.  */

#include "known.h"

#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int some = 7;

KNOWN void
dying_leaf (void)
{
  __builtin_trap ();
}

KNOWN int
dying_middle (int a, int b, int c)
{
  dying_leaf ();
  return a * b + c;
}

KNOWN int
run_dying (void)
{
  struct rlimit none = { 0, 0 };
  setrlimit (RLIMIT_CORE, &none);
  ptrace (PTRACE_TRACEME, 0, NULL, NULL);
  return dying_middle (some, some, some);
}

int
main (void)
{
  pid_t child = fork ();
  if (child == 0)
    _exit (run_dying ());

  int status;
  if (waitpid (child, &status, 0) != child || !WIFSTOPPED (status)
      || ptrace (PTRACE_CONT, child, NULL, WSTOPSIG (status)) != 0
      || waitpid (child, &status, 0) != child || !WIFSIGNALED (status))
    {
      fprintf (stderr, "the child did not die as it should\n");
      return 1;
    }
  return 0;
}
