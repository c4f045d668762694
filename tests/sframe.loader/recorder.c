/* Run a program, play the kernel that it registers SFrame tables with, and
   judge what it asked for.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: recorder OPTION... -- PROGRAM [ARGUMENT...]

   The record of the system calls goes to the file that --trace names, the
   program's output to that of --output.  Standard output gets one line,
   PASS or FAIL, per assertion.  Exit status: 0 if all hold, 1 if one fails,
   2 if no record could be made.  */

#include "calls.h"
#include "verdict.h"

#include <err.h>
#include <endian.h>
#include <getopt.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *output = "recorder.out";
static char *environment[32];
static int exit_due;
static int signal_due;
/* Less than those who run this allow it.  */
static unsigned seconds = 50;

static void
take_kernel (char *value)
{
  static const char *const names[] = { "new", "exec", "old", "kill" };
  for (int i = 0; i < 4; i++)
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
static void take_early (char *value) { settings.early = value; }
static void take_vdso (char *value) { settings.vdso = value; }
static void take_seconds (char *value) { seconds = atoi (value); }

/* In the order of the table of names below.  */
static void (*const takers[]) (char *) =
{
  take_kernel, take_refuse, take_add, take_remove, take_environment,
  take_trace, take_output, take_exempt, take_exit, take_signal, take_calls,
  take_limit, take_early, take_vdso, take_seconds
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
  { }
};

/* In the child: a filter, as a cautious sandbox has it, that kills whoever
   uses a prctl option above those of today's kernels.  */
static void
forbid_unknown_options (void)
{
  if (settings.kernel != KERNEL_KILL)
    return;
  enum { LAST_KNOWN = 0x1000 };
  /* PR_SET_VMA and PR_SET_PTRACER are above the limit, too, and are used by
     glibc itself or by its friends.  */
  struct sock_filter code[] =
    {
      BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
      BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 4),
      BPF_STMT (BPF_LD | BPF_W | BPF_ABS,
		offsetof (struct seccomp_data, args)
		+ 4 * (__BYTE_ORDER == __BIG_ENDIAN)),
      BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, PR_SET_VMA, 2, 0),
      BPF_JUMP (BPF_JMP | BPF_JGT | BPF_K, LAST_KNOWN, 0, 1),
      BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
    };
  struct sock_fprog program = { sizeof code / sizeof *code, code };
  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
      || syscall (SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
    _exit (126);
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
			      forbid_unknown_options);
  judge_status (status);
  calls_finished ();
  bool all = verdict_report ();
  return all && fclose (trace) == 0 ? 0 : 1;
}
