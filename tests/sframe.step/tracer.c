/* Single-step a program, and let it check its own trace of the stack at each
   instruction.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: tracer JUDGE COUNT PROGRAM [ARGUMENT...]

   JUDGE, a shared object, is loaded into PROGRAM, which raises SIGTRAP when it
   is ready.  From then on the tracer sends a signal after each instruction of
   each thread.  Its handler, in JUDGE, calls backtrace and compares.  After
   COUNT instructions, or never if COUNT is 0, PROGRAM runs on without signals;
   it must end as usual.

   The handler is not single-stepped.  The tracer detects its end by the call
   of rt_sigreturn.

   Document: ptrace(2).  */

#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "results.h"

enum { THREADS_MAX = 64, LATE_MAX = 16 };

struct thread
{
  pid_t tid;
  enum { WAITING, STEPPING, HANDLING, RETURNED } state;
  /* The PC at which the handler was called.  */
  uintptr_t pc;
};

static struct thread threads[THREADS_MAX];
static struct results *results;
static pid_t program;
static long int limit;

static void
give_up (const char *what)
{
  fprintf (stderr, "tracer: %s: %s\n", what, strerror (errno));
  if (program != 0)
    kill (program, SIGKILL);
  exit (EXIT_FAILURE);
}

static struct thread *
thread_of (pid_t tid)
{
  for (int i = 0; i < THREADS_MAX; ++i)
    if (threads[i].tid == tid || threads[i].tid == 0)
      {
	threads[i].tid = tid;
	return &threads[i];
      }
  give_up ("too many threads");
  return NULL;
}

/* A thread that was killed has ended while it was stopped: ignore the
   error.  */
static void
go_on (enum __ptrace_request how, pid_t tid, int signo)
{
  if (ptrace (how, tid, NULL, (void *) (long int) signo) != 0
      && errno != ESRCH)
    give_up ("ptrace");
}

#ifdef __aarch64__

/* Single registers cannot be read.  */
static uintptr_t
pc_of (pid_t tid)
{
  struct user_regs_struct registers = { .pc = 0 };
  struct iovec part = { &registers, sizeof registers };

  ptrace (PTRACE_GETREGSET, tid, (void *) NT_PRSTATUS, &part);
  return registers.pc;
}

#else

static uintptr_t
pc_of (pid_t tid)
{
#if defined __x86_64__
  size_t offset = offsetof (struct user_regs_struct, rip);
#elif defined __s390x__
  size_t offset = offsetof (struct _user_regs_struct, psw.addr);
#endif
  return ptrace (PTRACE_PEEKUSER, tid, (void *) offset, NULL);
}

#endif

/* Call the handler.  */
static void
judge (struct thread *thread)
{
  thread->state = HANDLING;
  thread->pc = pc_of (thread->tid);
  go_on (PTRACE_SYSCALL, thread->tid, JUDGE_SIGNAL);
}

/* A system call of the handler begins or ends.  */
static void
pass_call (struct thread *thread)
{
  struct __ptrace_syscall_info info;

  if (ptrace (PTRACE_GET_SYSCALL_INFO, thread->tid, (void *) sizeof info, &info)
      <= 0)
    give_up ("PTRACE_GET_SYSCALL_INFO");
  if (info.op == PTRACE_SYSCALL_INFO_ENTRY
      && info.entry.nr == SYS_rt_sigreturn)
    {
      thread->state = RETURNED;
      go_on (PTRACE_SINGLESTEP, thread->tid, 0);
    }
  else
    go_on (PTRACE_SYSCALL, thread->tid, 0);
}

/* Whether a thread has stopped at the first instruction of a handler of the
   program.  It cannot be sent a signal then.  */
static bool
is_entry (pid_t tid)
{
  siginfo_t info;

  return (ptrace (PTRACE_GETSIGINFO, tid, NULL, &info) == 0
	  && info.si_code == SIGTRAP);
}

/* Whether a signal that is not delivered yet has interrupted a system call.
   Its handler must find the interrupted call: not completed, and in no other
   handler.  Not on s390x, where a late step could trap in the judge's handler,
   nor on AArch64, where the call is prepared to be made again before that.
   Document: -ERESTARTSYS to -ERESTART_RESTARTBLOCK in Linux's errno.h.  */
static bool
is_interrupted (pid_t tid)
{
#if defined __x86_64__
  size_t offset = offsetof (struct user_regs_struct, rax);
  long int result = ptrace (PTRACE_PEEKUSER, tid, (void *) offset, NULL);

  return result <= -512 && result >= -516;
#else
  (void) tid;
  return false;
#endif
}

/* A trap in the handler, which is not single-stepped.  An emulated s390x under
   load sometimes reports the end of a step late, after the handler has begun:
   let the handler continue.  */
static void
pass_late_trap (struct thread *thread)
{
#if defined __s390x__
  static int late;

  if (late++ < LATE_MAX)
    {
      fprintf (stderr, "tracer: a step ended late\n");
      go_on (PTRACE_SYSCALL, thread->tid, 0);
      return;
    }
#endif
  (void) thread;
  give_up ("a trap in the handler");
}

/* A step has ended, or the judge is ready.  The first step after the handler's
   return may have been the return only.  */
static void
pass_trap (struct thread *thread)
{
  bool no_step = (thread->state == RETURNED
		  && pc_of (thread->tid) == thread->pc);
  bool entry = is_entry (thread->tid);

  if (thread->state == HANDLING)
    {
      pass_late_trap (thread);
      return;
    }
  if (thread->state != WAITING && !no_step && !entry
      && !is_interrupted (thread->tid))
    {
      judge (thread);
      return;
    }
  /* The signal stops the thread once more, before the next instruction.  */
  if (entry)
    syscall (SYS_tgkill, program, thread->tid, JUDGE_SIGNAL);
  thread->state = STEPPING;
  go_on (PTRACE_SINGLESTEP, thread->tid, 0);
}

/* Until the judge is ready, the program is not stepped.  */
static void
pass_stop (struct thread *thread, int status)
{
  static bool ready;
  int signo = WSTOPSIG (status);
  bool event = status >> 16 != 0;

  if (signo == (SIGTRAP | 0x80))
    pass_call (thread);
  else if ((signo == SIGTRAP || signo == JUDGE_SIGNAL) && !event)
    {
      ready = true;
      pass_trap (thread);
    }
  else if (!ready || thread->state == HANDLING)
    go_on (thread->state == HANDLING ? PTRACE_SYSCALL : PTRACE_CONT,
	   thread->tid, event ? 0 : signo);
  else
    {
      /* A new thread begins with a SIGSTOP.  */
      bool begins = thread->state == WAITING && signo == SIGSTOP;
      thread->state = STEPPING;
      go_on (PTRACE_SINGLESTEP, thread->tid, event || begins ? 0 : signo);
    }
}

/* Enough instructions were judged: let a thread run on, without the stops of
   the tracer.  */
static void
let_go (pid_t tid, int status)
{
  int signo = WSTOPSIG (status);
  bool ours = (status >> 16 != 0 || signo == (SIGTRAP | 0x80)
	       || signo == SIGTRAP || signo == JUDGE_SIGNAL
	       || signo == SIGSTOP);

  go_on (PTRACE_CONT, tid, ours ? 0 : signo);
}

/* Step all threads until the program ends.  Return its wait status.  */
static int
trace (void)
{
  int status;
  pid_t tid;

  while ((tid = waitpid (-1, &status, __WALL)) > 0)
    {
      bool enough = limit != 0 && results->judged >= limit;

      if (WIFSTOPPED (status) && enough)
	let_go (tid, status);
      else if (WIFSTOPPED (status))
	pass_stop (thread_of (tid), status);
      else if (tid == program)
	return status;
      else if (!enough)
	thread_of (tid)->tid = -1;
    }
  give_up ("waitpid");
  return -1;
}

static int
make_results (void)
{
  int descriptor = memfd_create ("results", 0);

  if (descriptor < 0 || ftruncate (descriptor, sizeof *results) != 0)
    give_up ("memfd_create");
  results = mmap (NULL, sizeof *results, PROT_READ | PROT_WRITE, MAP_SHARED,
		  descriptor, 0);
  if (results == MAP_FAILED)
    give_up ("mmap");
  return descriptor;
}

/* Run the program on the processor of the tracer, if that is permitted: they
   take turns at each instruction, and waking another processor takes longer
   than everything else.  */
static void
stay_on_one_processor (void)
{
  cpu_set_t one;

  CPU_ZERO (&one);
  CPU_SET (sched_getcpu (), &one);
  sched_setaffinity (0, sizeof one, &one);
}

static void
run_program (const char *preload, int descriptor, char **argv)
{
  char number[16];

  snprintf (number, sizeof number, "%d", descriptor);
  setenv ("LD_PRELOAD", preload, 1);
  setenv (RESULTS_VARIABLE, number, 1);
  ptrace (PTRACE_TRACEME, 0, NULL, NULL);
  raise (SIGSTOP);
  execvp (argv[0], argv);
  give_up (argv[0]);
}

static void
print_chains (const char *what, const struct chains *chains)
{
  printf ("%s %ld %s-right %ld %s-cut %ld %s-guessed %ld %s-wrong %ld\n", what,
	  chains->taken, what, chains->right, what, chains->cut, what,
	  chains->guessed, what, chains->wrong);
}

static void
print_results (void)
{
  printf ("judged %ld known %ld wrong %ld short %ld", results->judged,
	  results->known, results->wrong, results->short_of);
  printf (" replacing %ld wrong-there %ld lost %ld unknown %ld"
	  " unknown-differs %ld\n",
	  results->replacing, results->replacing_wrong, results->lost,
	  results->unknown, results->unknown_differs);
  printf ("libgcc-differs %ld libgcc-wrong %ld libunwind-asked %ld"
	  " libunwind-wrong %ld peer-faults %ld\n", results->libgcc_differs,
	  results->libgcc_wrong, results->libunwind_asked,
	  results->libunwind_wrong, results->peer_faults);
  print_chains ("topmost", &results->topmost);
  print_chains ("handled", &results->handled);
}

int
main (int argc, char **argv)
{
  int status;

  if (argc < 4)
    {
      fputs ("usage: tracer JUDGE COUNT PROGRAM...\n", stderr);
      return 2;
    }
  limit = strtol (argv[2], NULL, 10);
  int descriptor = make_results ();
  stay_on_one_processor ();
  program = fork ();
  if (program == 0)
    run_program (argv[1], descriptor, argv + 3);
  if (program < 0 || waitpid (program, &status, 0) != program
      || ptrace (PTRACE_SETOPTIONS, program, NULL,
		 (void *) (long int) (PTRACE_O_TRACESYSGOOD
				      | PTRACE_O_TRACECLONE
				      | PTRACE_O_TRACEEXEC
				      | PTRACE_O_EXITKILL)) != 0)
    give_up ("start");
  thread_of (program);
  go_on (PTRACE_CONT, program, 0);
  status = trace ();
  print_results ();
  printf ("program ended with status %d\n", WIFEXITED (status)
	  ? WEXITSTATUS (status) : 128 + WTERMSIG (status));
  return 0;
}
