/* Run a program, simulate the kernel's SFrame interface for it, and check its
   requests.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: recorder OPTION... -- PROGRAM [ARGUMENT...]

   --trace names the file for the record of the system calls, --output that for
   the program's output.  Standard output has one line, PASS or FAIL, for each
   assertion.  Exit status: 0 if all hold, 1 if one fails, 2 if no record could
   be made.  */

#include "calls.h"
#include "forbid.h"
#include "verdict.h"

#include <err.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static const char *output = "recorder.out";
static char *environment[32];
static int exit_due;
static int signal_due;
/* Less than the time limit of the tests that run this program.  */
static unsigned seconds = 50;

static void
take_kernel (char *value)
{
  static const char *const names[] = { "new", "exec", "old", "kill",
				       "forbid" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp (value, names[i]) == 0)
      {
	settings.kernel = i;
	return;
      }
  errx (2, "no such kernel: %s", value);
}

/* NTH:NUMBER.  */
static void
take_refuse (char *value)
{
  if (sscanf (value, "%u:%d", &settings.refuse_nth,
	      &settings.refuse_error) != 2)
    errx (2, "want NTH:ERRNO, not %s", value);
  settings.refuse = true;
}

/* Split NAME=COUNT.  */
static unsigned
split_count (char *value)
{
  char *equals = strrchr (value, '=');
  if (equals == NULL)
    errx (2, "want NAME=COUNT, not %s", value);
  *equals = '\0';
  return strtoul (equals + 1, NULL, 10);
}

static void
take_add (char *value)
{
  unsigned count = split_count (value);
  expect_adds (value, count);
}

static void
take_remove (char *value)
{
  unsigned count = split_count (value);
  expect_removes (value, count);
}

static void
take_environment (char *value)
{
  size_t i = 0;
  while (environment[i] != NULL)
    i++;
  if (i + 1 == sizeof environment / sizeof *environment)
    errx (2, "too many --env");
  environment[i] = value;
}

static void
take_trace (char *value)
{
  trace = fopen (value, "we");
  if (trace == NULL)
    err (2, "%s", value);
}

static void take_output (char *value) { output = value; }
static void take_exempt (char *value) { settings.exempt = value; }
static void take_exit (char *value) { exit_due = atoi (value); }
static void take_signal (char *value) { signal_due = atoi (value); }
static void take_calls (char *value) { settings.calls = atoi (value); }
static void take_limit (char *value) { settings.limit = atoi (value); }
static void take_fail (char *value) { settings.fail_nth = atoi (value); }
static void take_early (char *value) { settings.early = value; }
static void take_vdso (char *value) { settings.vdso = value; }
static void take_seconds (char *value) { seconds = atoi (value); }

/* In the order of the names below.  */
static void (*const takers[]) (char *) =
{
  take_kernel, take_refuse, take_add, take_remove, take_environment,
  take_trace, take_output, take_exempt, take_exit, take_signal, take_calls,
  take_limit, take_early, take_vdso, take_seconds, take_fail
};

static const struct option options[] =
{
  { "kernel", required_argument, NULL, 0 },
  { "refuse", required_argument, NULL, 0 },
  { "add", required_argument, NULL, 0 },
  { "remove", required_argument, NULL, 0 },
  { "env", required_argument, NULL, 0 },
  { "trace", required_argument, NULL, 0 },
  { "output", required_argument, NULL, 0 },
  { "exempt", required_argument, NULL, 0 },
  { "exit", required_argument, NULL, 0 },
  { "signal", required_argument, NULL, 0 },
  { "calls", required_argument, NULL, 0 },
  { "limit", required_argument, NULL, 0 },
  { "early", required_argument, NULL, 0 },
  { "vdso", required_argument, NULL, 0 },
  { "seconds", required_argument, NULL, 0 },
  { "fail", required_argument, NULL, 0 },
  { }
};

/* In the child.  */
static void
play_filter (void)
{
  if (settings.kernel == KERNEL_KILL)
    forbid_unknown_options ();
}

static void
judge_status (int status)
{
  if (status == -1)
    verdict (ENDED_WELL, false, "still running after %u seconds", seconds);
  else if (WIFSIGNALED (status))
    verdict (ENDED_WELL, WTERMSIG (status) == signal_due, "signal %d",
	     WTERMSIG (status));
  else
    verdict (ENDED_WELL,
	     signal_due == 0 && WEXITSTATUS (status) == exit_due,
	     "exit status %d", WEXITSTATUS (status));
}

int
main (int argc, char **argv)
{
  int index;
  int c;
  while ((c = getopt_long (argc, argv, "+", options, &index)) == 0)
    takers[index] (optarg);
  if (c != -1 || optind == argc || trace == NULL)
    errx (2, "usage: recorder --trace=FILE OPTION... -- PROGRAM [ARG...]");
  int status = trace_program (argv + optind, environment, output, seconds,
			      play_filter);
  judge_status (status);
  calls_finished ();
  bool all = verdict_report ();
  return all && fclose (trace) == 0 ? 0 : 1;
}
