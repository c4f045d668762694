/* Test that backtrace needs only system calls that any sandbox permits, and
   that a sandbox that fakes their results does not mislead it.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <array_length.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>

#include <support/support.h>
#include <support/test-driver.h>
#include <support/xthread.h>
#include <support/xunistd.h>

#include "tst-sframe-filter.h"
#include "tst-sframe-support.h"
#include "tst-sframe-asm.h"

#if HAVE_SFRAME_ASM

static struct trace_pair pair;

# define RETURN(action) BPF_STMT (BPF_RET | BPF_K, action)
# define ALLOW(name)							\
  BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 1),		\
  RETURN (SECCOMP_RET_ALLOW)

/* Kill the process for any system call except those that the sandbox of
   OpenSSH's server permits without checking arguments, and those needed to
   return from a handler.  */
static void
permit_common_calls (void)
{
  static const struct sock_filter filter[] =
    {
      LOAD_NUMBER,
      ALLOW (brk),
      ALLOW (clock_gettime),
      ALLOW (close),
      ALLOW (exit),
      ALLOW (exit_group),
      ALLOW (futex),
      ALLOW (getpid),
      ALLOW (getrandom),
      ALLOW (madvise),
      ALLOW (munmap),
      ALLOW (nanosleep),
      ALLOW (ppoll),
      ALLOW (read),
      ALLOW (rt_sigprocmask),
      ALLOW (rt_sigreturn),
      ALLOW (write),
      RETURN (SECCOMP_RET_KILL_PROCESS),
    };
  install_filter (filter, array_length (filter));
}

/* Let rt_sigprocmask fail with ERROR, or succeed without effect if ERROR is
   0.  */
static void
answer_probe (int error)
{
  const struct sock_filter filter[] =
    {
      LOAD_NUMBER,
      BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, __NR_rt_sigprocmask, 0, 1),
      RETURN (SECCOMP_RET_ERRNO | error),
      RETURN (SECCOMP_RET_ALLOW),
    };
  install_filter (filter, array_length (filter));
}

static void
collect_and_exit (void)
{
  collect (&pair);
  _exit (pair.oracle.complete && first_difference (&pair) < 0 ? 0 : 1);
}

static void
handler (int signo)
{
  collect_and_exit ();
}

/* Trace in a handler of a fault signal, on an alternate stack.  */
static void FRAME
fault (void)
{
  asm volatile (ASM_FAULT);
  KEEP_FRAME ();
}

static void
common_alternate (void)
{
  permit_common_calls ();
  fault ();
}

static void *
fault_in_thread (void *closure)
{
  stack_t ss = { .ss_sp = closure, .ss_size = 64 * 1024 };
  TEST_COMPARE (sigaltstack (&ss, NULL), 0);
  permit_common_calls ();
  fault ();
  return closure;
}

static void
common_thread (void)
{
  void *stack = xmalloc (64 * 1024);
  xpthread_join (xpthread_create (NULL, fault_in_thread, stack));
}

/* Another test checks the frame of makecontext after CONTEXT_FUNCTION.  */
static void FRAME
context_function (void)
{
  collect (&pair);
  _exit (pair.ours.count >= 2 && first_difference (&pair) < 0 ? 0 : 1);
}

static void
common_context (void)
{
  static char stack[256 * 1024];
  ucontext_t context;
  TEST_COMPARE (getcontext (&context), 0);
  context.uc_stack.ss_sp = stack;
  context.uc_stack.ss_size = sizeof (stack);
  context.uc_link = NULL;
  makecontext (&context, context_function, 0);
  permit_common_calls ();
  setcontext (&context);
}

/* Traces of a known stack must be complete, whatever the probe returns.  */
static void
on_known_stack (int error)
{
  /* Let the handler run on the normal stack.  */
  stack_t ss = { .ss_flags = SS_DISABLE };
  TEST_COMPARE (sigaltstack (&ss, NULL), 0);
  answer_probe (error);
  fault ();
}

static void
permission_denied (void)
{
  on_known_stack (EPERM);
}

static void
said_to_be_invalid (void)
{
  on_known_stack (EINVAL);
}

static void
said_to_be_unreadable (void)
{
  on_known_stack (EFAULT);
}

static void
said_to_be_done (void)
{
  on_known_stack (0);
}

static void FRAME
take (void)
{
  pair.ours.count = backtrace (pair.ours.pc, TRACE_MAX);
  KEEP_FRAME ();
}

static void FRAME
smash (void *fp)
{
  void *volatile *place = SAVED_FP;
  void *saved = *place;
  *place = fp;
  take ();
  *place = saved;
}

/* FP points to unreadable memory, and the sandbox, if INSTALL is set, makes
   the probe claim that it is readable.  Variable in size, so that the CFA
   comes from FP.  */
static void FRAME
misled_by (bool install)
{
  size_t page = sysconf (_SC_PAGESIZE);
  void *memory = xmmap (NULL, 2 * page, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1);
  char buffer[page];
  USE (buffer);
  if (install)
    answer_probe (EINVAL);
  smash (memory + page);
  /* take, smash and misled_by.  */
  _exit (pair.ours.count == 3 ? 0 : 1);
}

static void
misled (void)
{
  misled_by (true);
}

static void
trace_and_mislead (int signo)
{
  pair.ours.count = backtrace (pair.ours.pc, TRACE_MAX);
  answer_probe (EINVAL);
}

/* A trace of the alternate stack has probed it before there was a filter.  */
static void
misled_later (void)
{
  struct sigaction sa = { .sa_handler = trace_and_mislead,
			  .sa_flags = SA_ONSTACK | SA_SIGINFO };
  xsigaction (SIGUSR1, &sa, NULL);
  raise (SIGUSR1);
  misled_by (false);
}

static void FRAME
smash_return (void *ra)
{
  void *volatile *place = SAVED_RA;
  void *saved = *place;
  *place = ra;
  take ();
  *place = saved;
}

/* The return address is on an unreadable page, and the probe fails.  */
static void
unknown_code (void)
{
  size_t page = sysconf (_SC_PAGESIZE);
  void *memory = xmmap (NULL, page, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1);
  answer_probe (EPERM);
  smash_return (memory + page / 2);
  /* take, smash_return and what it seems to return to.  */
  _exit (pair.ours.count == 3 ? 0 : 1);
}

static void
run (const char *name, void (*function) (void))
{
  printf ("info: %s\n", name);
  fflush (stdout);
  pid_t pid = xfork ();
  if (pid == 0)
    {
      function ();
      _exit (2);
    }
  int status;
  xwaitpid (pid, &status, 0);
  if (WIFEXITED (status) && WEXITSTATUS (status) == EXIT_UNSUPPORTED)
    FAIL_UNSUPPORTED ("seccomp filters are not available");
  TEST_COMPARE (status, 0);
}

static int
do_test (void)
{
  struct sigaction sa = { .sa_handler = handler,
			  .sa_flags = SA_ONSTACK | SA_SIGINFO };
  xsigaction (FAULT_SIGNAL, &sa, NULL);
  void *stack = xalloc_sigstack (64 * 1024);
  run ("common calls, alternate stack", common_alternate);
  run ("common calls, alternate stack of a thread", common_thread);
  run ("common calls, a context's stack", common_context);
  run ("the probe fails with EPERM", permission_denied);
  run ("the probe fails with EINVAL", said_to_be_invalid);
  run ("the probe fails with EFAULT", said_to_be_unreadable);
  run ("the probe succeeds", said_to_be_done);
  run ("the probe fails with EINVAL where nothing is", misled);
  run ("the probe fails with EINVAL later in the process", misled_later);
  run ("the probe fails with EPERM where no code is", unknown_code);
  xfree_sigstack (stack);
  return 0;
}

#else
static int
do_test (void)
{
  FAIL_UNSUPPORTED ("needs to know where FP is saved");
}
#endif

#include <support/test-driver.c>
