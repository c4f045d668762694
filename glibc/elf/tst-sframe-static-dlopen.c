/* Test backtrace of a libc.so loaded by a static program: it must know the
   main thread's stack and the system's signal trampolines, although its own
   ld.so has never run.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <array_length.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <support/test-driver.h>
#include <support/xdlfcn.h>
#include <support/xunistd.h>

#include <debug/tst-sframe-filter.h>
#include <debug/tst-sframe-support.h>

static int (*collect_in_module) (void **, int, void (*) (struct trace *),
				 struct trace *);

static void
no_oracle (struct trace *trace)
{
}

static void
trace_in_module (struct trace *trace)
{
  trace->count = collect_in_module (trace->pc, TRACE_MAX, no_oracle, NULL);
}

/* Trace with frames on many pages of the stack.  */
static void FRAME
recurse (int depth, struct trace *trace)
{
  char buffer[3000];
  USE (buffer);
  if (depth > 0)
    recurse (depth - 1, trace);
  else
    trace_in_module (trace);
  KEEP_FRAME ();
}

enum { DEPTH = 20 };

/* Let the calling process be killed if backtrace probes memory.  */
static void
forbid_probes (void)
{
  static const struct sock_filter filter[] =
    {
      LOAD_NUMBER,
      BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, __NR_rt_sigprocmask, 0, 1),
      BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
  install_filter (filter, array_length (filter));
}

/* Check that no page of the main thread's stack is probed.  */
static void
check_stack (void)
{
  pid_t pid = xfork ();
  if (pid == 0)
    {
      struct trace trace;
      forbid_probes ();
      recurse (DEPTH, &trace);
      _exit (trace.count > DEPTH ? 0 : 1);
    }
  int status;
  xwaitpid (pid, &status, 0);
  if (WIFEXITED (status) && WEXITSTATUS (status) == EXIT_UNSUPPORTED)
    puts ("info: seccomp filters are not available");
  else
    TEST_COMPARE (status, 0);
}

static struct trace trace;

static void
handler (int signo)
{
  trace_in_module (&trace);
}

/* One call of raise, so that all traces have the same return address.  */
static void FRAME
take (struct trace *result, int flags)
{
  struct sigaction sa = { .sa_handler = handler, .sa_flags = flags };
  xsigaction (SIGUSR1, &sa, NULL);
  raise (SIGUSR1);
  *result = trace;
}

/* On some machines the trampoline depends on SA_SIGINFO.  */
static void
check_signals (void)
{
  static struct trace traces[2];
  for (volatile int i = 0; i < 2; ++i)
    take (&traces[i], i == 0 ? SA_SIGINFO : 0);

  /* The first frames: a function of the module and one of this file, the
     handler and the trampoline.  */
  int common = 4;
  TEST_VERIFY (traces[0].count > common + 3);
  TEST_COMPARE (traces[1].count, traces[0].count);
  if (traces[1].count != traces[0].count)
    return;
  TEST_COMPARE_BLOB (traces[1].pc + common,
		     (traces[1].count - common) * sizeof (void *),
		     traces[0].pc + common,
		     (traces[0].count - common) * sizeof (void *));
  int found = 0;
  for (int i = common; i < traces[1].count; ++i)
    found += _Unwind_FindEnclosingFunction (traces[1].pc[i]) == take;
  TEST_COMPARE (found, 1);
}

static int
do_test (void)
{
  void *handle = xdlopen ("tst-sframe-dlmopen-mod.so", RTLD_NOW);
  collect_in_module = xdlsym (handle, "collect_in_module");
  check_stack ();
  check_signals ();
  return 0;
}

#include <support/test-driver.c>
