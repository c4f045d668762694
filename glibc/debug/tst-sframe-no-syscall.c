/* Test that backtrace makes no system call, not even at its first use, on
   stacks that the C library knows.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <array_length.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <support/support.h>
#include <support/test-driver.h>
#include <support/xdlfcn.h>
#include <support/xsignal.h>
#include <support/xthread.h>
#include <support/xunistd.h>

#include "tst-sframe-filter.h"
#include "tst-sframe-support.h"

static struct trace_pair pair;
/* Shared with the parent.  */
static struct
{
  volatile int count;
  volatile int last;
} *forbidden;

/* Handler of SIGSYS, which the filter raises instead of the system call.  */
static void
note_call (int signo, siginfo_t *info, void *context)
{
  forbidden->last = info->si_syscall;
  ++forbidden->count;
}

/* Permit the calling thread to return from a signal handler and to exit,
   and nothing else.  */
static void
forbid_system_calls (void)
{
  static const struct sock_filter filter[] =
    {
      LOAD_NUMBER,
      BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, __NR_rt_sigreturn, 2, 0),
      BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, __NR_exit_group, 1, 0),
      BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_TRAP),
      BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
  install_filter (filter, array_length (filter));
}

/* Take the process's first backtrace under the filter and exit.  The
   oracle comes second; what it calls is not counted.  */
static void FRAME
collect_and_exit (void)
{
  forbid_system_calls ();
  pair.ours.count = backtrace (pair.ours.pc, TRACE_MAX);
  int count = forbidden->count;
  collect_oracle (&pair.oracle);
  forbidden->count = count;
  _exit (pair.oracle.complete && first_difference (&pair) < 0 ? 0 : 1);
}

static void
on_main_stack (void)
{
  collect_and_exit ();
}

static void *
thread_function (void *closure)
{
  collect_and_exit ();
  return closure;
}

static void
on_thread_stack (void)
{
  xpthread_join (xpthread_create (NULL, thread_function, NULL));
}

static void
handler (int signo)
{
  collect_and_exit ();
}

static void
in_signal_handler (void)
{
  handle_signal (SIGUSR1, handler);
  raise (SIGUSR1);
}

static void
below_object_without_sframe (void)
{
  void *handle = xdlopen ("tst-sframe-stripped-mod.so", RTLD_NOW);
  int (*call) (void (*) (void), int) = xdlsym (handle, "call_without_sframe");
  call (collect_and_exit, 100);
}

/* Through a pointer, so that the compiler does not know that it never
   returns.  */
static void (*volatile deepest) (void) = collect_and_exit;

/* Trace with frames on many pages, with the CFA from FP.  */
static void FRAME
recurse (int depth, size_t size)
{
  char buffer[size];
  USE (buffer);
  if (depth > 0)
    recurse (depth - 1, size);
  else
    deepest ();
  KEEP_FRAME ();
}

static void
in_frames_of_variable_size (void)
{
  recurse (20, 3000);
}

/* Trace with large buffers, as in programs built with frame pointers.  */
static void
in_frames_of_path_max (void)
{
  recurse (15, PATH_MAX);
}

static void
in_frames_of_many_pages (void)
{
  recurse (5, 64 * 1024 + PATH_MAX);
}

/* A thread that has recovered from a fault: Linux records that fault in each
   later signal frame.  */
static sigjmp_buf recover;
static volatile int *volatile no_memory;

static void
recover_from_fault (int signo)
{
  siglongjmp (recover, 1);
}

static void
recover_once (void)
{
  handle_signal (SIGSEGV, recover_from_fault);
  if (sigsetjmp (recover, 1) == 0)
    *no_memory = 0;
}

static void
in_signal_handler_after_fault (void)
{
  recover_once ();
  in_signal_handler ();
}

#ifdef __x86_64__
/* Fill the stack below the caller, where the signal frame will be.  */
static void FRAME
fill_stack (uintptr_t value)
{
  volatile uintptr_t words[4096];
  for (size_t i = 0; i < array_length (words); ++i)
    words[i] = value;
  KEEP_FRAME ();
}

/* Without SA_SIGINFO the kernel leaves the siginfo_t as it is on x86-64.  The
   bytes seem to be that of a fault, but the thread never had one.  */
static void
in_signal_handler_without_siginfo (void)
{
  struct sigaction sa = { .sa_handler = handler };
  xsigaction (SIGUSR1, &sa, NULL);
  uintptr_t number = SIGSEGV;
  /* Bind it now: later this would overwrite what is filled in.  */
  raise (0);
  fill_stack (number << 32 | number);
  raise (SIGUSR1);
}
#endif

/* Trace with the CFA from SP.  */
static void FRAME
in_large_frame (void)
{
  char buffer[127 * 1024];
  USE (buffer);
  deepest ();
  KEEP_FRAME ();
}

static void
run (void (*function) (void))
{
  forbidden->count = 0;
  pid_t pid = xfork ();
  if (pid == 0)
    {
      struct sigaction sa = { .sa_sigaction = note_call,
			      .sa_flags = SA_SIGINFO };
      xsigaction (SIGSYS, &sa, NULL);
      function ();
      _exit (1);
    }
  int status;
  xwaitpid (pid, &status, 0);
  if (WIFEXITED (status) && WEXITSTATUS (status) == EXIT_UNSUPPORTED)
    FAIL_UNSUPPORTED ("seccomp filters are not available");
  TEST_COMPARE (forbidden->count, 0);
  if (forbidden->count > 0)
    printf ("info: the last was system call %d\n", forbidden->last);
  TEST_COMPARE (status, 0);
}

static int
do_test (void)
{
  forbidden = support_shared_allocate (sizeof (*forbidden));
  run (on_main_stack);
  run (on_thread_stack);
  run (in_signal_handler);
  run (in_frames_of_variable_size);
  run (in_frames_of_path_max);
  run (in_frames_of_many_pages);
  run (in_signal_handler_after_fault);
#ifdef __x86_64__
  run (in_signal_handler_without_siginfo);
#endif
  run (in_large_frame);
  run (below_object_without_sframe);
  support_shared_free (forbidden);
  return 0;
}

#include <support/test-driver.c>
