/* The ptrace loop: tasks, address spaces, stops.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tracer.h"
#include "calls.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __x86_64__
# define RESULT_REGISTER offsetof (struct user, regs.rax)
# define CALL_REGISTER offsetof (struct user, regs.orig_rax)
#elif defined __s390x__
# define RESULT_REGISTER offsetof (struct user, regs.gprs[2])
# define CALL_REGISTER RESULT_REGISTER
#else
# error "name the register that a system call returns its result in"
#endif

enum
{
  OPTIONS = (PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_TRACECLONE
	     | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_EXITKILL)
};

static struct task *tasks;
static volatile sig_atomic_t out_of_time;

static void
alarm_rings (int signal)
{
  out_of_time = 1;
}

static struct space *
new_space (void)
{
  struct space *space = calloc (1, sizeof *space);
  if (space == NULL)
    err (2, "address space");
  space->users = 1;
  return space;
}

static void
leave_space (struct task *task)
{
  struct space *space = task->space;
  if (space == NULL)
    return;
  if (space->forking == task)
    space->forking = NULL;
  if (--space->users == 0)
    {
      model_empty (&space->model);
      free (space);
    }
  task->space = NULL;
}

/* The task with ID PID; make it if it is new.  */
static struct task *
task_of (pid_t pid)
{
  static int ordinals;
  for (struct task *task = tasks; task != NULL; task = task->next)
    if (task->pid == pid)
      return task;
  struct task *task = calloc (1, sizeof *task);
  if (task == NULL)
    err (2, "task");
  task->pid = pid;
  task->ordinal = ++ordinals;
  task->next = tasks;
  tasks = task;
  return task;
}

static void
forget_task (struct task *task)
{
  struct task **link = &tasks;
  while (*link != task)
    link = &(*link)->next;
  *link = task->next;
  leave_space (task);
  free (task);
}

/* Let TASK run to its next system call.  If it was killed meanwhile, waitpid
   reports that.  */
static void
resume (struct task *task, int signal)
{
  ptrace (PTRACE_SYSCALL, task->pid, NULL, (void *) (long) signal);
}

/* Whether a call that changes the model or the mappings must wait, because
   another task of the address space is forking.  */
static bool
must_wait (const struct task *task)
{
  const struct task *forking = task->space->forking;
  return (forking != NULL && forking != task
	  && (task->call == SYS_prctl || task->call == SYS_mmap
	      || task->call == SYS_munmap || task->call == SYS_mremap
	      || task->call == SYS_clone || task->call == SYS_clone3));
}

static void
enter (struct task *task)
{
  task->held = must_wait (task);
  if (task->held)
    return;
  if (call_fails (task))
    /* No call has this number.  */
    ptrace (PTRACE_POKEUSER, task->pid, (void *) CALL_REGISTER, (void *) -1L);
  else
    call_entered (task);
  resume (task, 0);
}

/* The fork for which tasks of SPACE wait is done, or has failed.  */
static void
fork_done (struct space *space)
{
  space->forking = NULL;
  for (struct task *task = tasks; task != NULL; task = task->next)
    if (task->space == space && task->held)
      enter (task);
}

static void
leave (struct task *task, int64_t result)
{
  if (task->space->forking == task)
    fork_done (task->space);
  if (task->has_answer)
    {
      result = task->answer;
      ptrace (PTRACE_POKEUSER, task->pid, (void *) RESULT_REGISTER,
	      (void *) (long) result);
    }
  task->has_answer = false;
  call_left (task, result);
  resume (task, 0);
}

static void
at_system_call (struct task *task)
{
  struct __ptrace_syscall_info info;
  if (ptrace (PTRACE_GET_SYSCALL_INFO, task->pid, (void *) sizeof info,
	      &info) <= 0)
    resume (task, 0);
  else if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
    {
      task->call = info.entry.nr;
      task->ip = info.instruction_pointer;
      for (int i = 0; i < 6; i++)
	task->arguments[i] = info.entry.args[i];
      enter (task);
    }
  else if (info.op == PTRACE_SYSCALL_INFO_EXIT)
    leave (task, info.exit.rval);
  else
    resume (task, 0);
}

/* TASK has made a child: set the address space of the child.  */
static void
at_clone (struct task *task)
{
  unsigned long message;
  if (ptrace (PTRACE_GETEVENTMSG, task->pid, NULL, &message) != 0)
    err (2, "PTRACE_GETEVENTMSG");
  struct task *child = task_of (message);
  if (task->clone_flags & CLONE_VM)
    {
      child->space = task->space;
      child->space->users++;
    }
  else
    {
      child->space = new_space ();
      child->space->calls = task->space->calls;
      child->space->asked = task->space->asked;
      child->space->torn = task->space->torn || task->space->users > 1;
      model_copy (&child->space->model, &task->space->model);
      fork_done (task->space);
    }
  /* If the child stopped before its parent reported it, it still waits.  */
  if (child->held)
    {
      child->held = false;
      resume (child, 0);
    }
  resume (task, 0);
}

/* The other threads have ended, and TASK has the ID of the first one.  */
static void
at_exec (struct task *task)
{
  unsigned long former;
  if (ptrace (PTRACE_GETEVENTMSG, task->pid, NULL, &former) == 0
      && (pid_t) former != task->pid)
    forget_task (task_of (former));
  leave_space (task);
  task->space = new_space ();
  program_started (task);
  resume (task, 0);
}

/* Handle a stop that is neither for a system call nor for a signal.  */
static void
at_event (struct task *task, int event, int signal)
{
  switch (event)
    {
    case PTRACE_EVENT_CLONE:
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
      at_clone (task);
      break;
    case PTRACE_EVENT_EXEC:
      at_exec (task);
      break;
    case PTRACE_EVENT_STOP:
      if (signal == SIGTRAP && task->space == NULL)
	/* A new child that its parent has not reported yet.  */
	task->held = true;
      else if (signal == SIGTRAP)
	resume (task, 0);
      else
	ptrace (PTRACE_LISTEN, task->pid, NULL, NULL);
      break;
    default:
      resume (task, 0);
    }
}

static void
at_stop (struct task *task, int status)
{
  int signal = WSTOPSIG (status);
  int event = status >> 16;
  if (signal == (SIGTRAP | 0x80))
    at_system_call (task);
  else if (event != 0)
    at_event (task, event, signal);
  else
    resume (task, signal);
}

/* Execute the program after the tracer has seized this process.  */
static void __attribute__ ((noreturn))
run_child (char **argv, char **environment, const char *output, int go,
	   void (*before_exec) (void))
{
  char byte;
  if (read (go, &byte, 1) != 1)
    _exit (126);
  int fd = open (output, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (fd < 0 || dup2 (fd, 1) != 1 || dup2 (fd, 2) != 2)
    _exit (126);
  close (fd);
  close (go);
  for (; *environment != NULL; environment++)
    putenv (*environment);
  before_exec ();
  execv (argv[0], argv);
  dprintf (2, "recorder: cannot run %s: %s\n", argv[0], strerror (errno));
  _exit (127);
}

/* Start the child and seize it.  */
static pid_t
start (char **argv, char **environment, const char *output,
       void (*before_exec) (void))
{
  int go[2];
  if (pipe2 (go, O_CLOEXEC) != 0)
    err (2, "pipe");
  pid_t pid = fork ();
  if (pid < 0)
    err (2, "fork");
  if (pid == 0)
    {
      close (go[1]);
      run_child (argv, environment, output, go[0], before_exec);
    }
  task_of (pid)->space = new_space ();
  if (ptrace (PTRACE_SEIZE, pid, NULL, (void *) (long) OPTIONS) != 0)
    err (2, "PTRACE_SEIZE");
  if (ptrace (PTRACE_INTERRUPT, pid, NULL, NULL) != 0
      || write (go[1], "", 1) != 1)
    err (2, "cannot start the child");
  close (go[0]);
  close (go[1]);
  return pid;
}

int
trace_program (char **argv, char **environment, const char *output,
	       unsigned seconds, void (*before_exec) (void))
{
  struct sigaction action = { .sa_handler = alarm_rings };
  sigaction (SIGALRM, &action, NULL);
  pid_t first = start (argv, environment, output, before_exec);
  alarm (seconds);
  int result = -1;
  for (;;)
    {
      int status;
      pid_t pid = waitpid (-1, &status, __WALL);
      if (out_of_time)
	return -1;
      if (pid < 0 && errno == ECHILD)
	return result;
      if (pid < 0)
	continue;
      if (WIFSTOPPED (status))
	at_stop (task_of (pid), status);
      else
	{
	  if (pid == first)
	    result = status;
	  struct task *task = task_of (pid);
	  struct space *space = task->space;
	  bool forking = space != NULL && space->forking == task;
	  if (forking)
	    fork_done (space);
	  forget_task (task);
	}
    }
}
