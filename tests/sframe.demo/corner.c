/* Crash where a crash handler is easily disturbed; the first argument says how.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int deep (int depth);
int die_in_sigsuspend (void);
int first_instruction (int *p);

static int *volatile null;

/* Crash below DEPTH frames, whose names fill a pipe.  */
int __attribute__ ((noipa))
deep (int depth)
{
  return depth == 0 ? *null : deep (depth - 1) + (null != NULL);
}

/* It crashes at its first instruction; the function before it in the file may
   end there.  */
int __attribute__ ((noipa))
first_instruction (int *p)
{
  return *p;
}

/* Wait until the trace has begun: until then nothing has crashed.  */
static void
wait_for_trace (void)
{
  int size = 0;
  while (ioctl (STDERR_FILENO, FIONREAD, &size) == 0 && size == 0)
    ;
}

static void *
crash_in_thread (void *closure)
{
  return (void *) (long) deep (100) + (closure != NULL);
}

/* Standard error becomes a small pipe.  A child copies it to what standard
   error was, a few bytes at a time.  */
static void
slow_reader (void)
{
  int ends[2];
  char text[400];
  ssize_t size;

  pipe (ends);
  fcntl (ends[1], F_SETPIPE_SZ, 4096);
  if (fork () == 0)
    {
      close (ends[1]);
      while ((size = read (ends[0], text, sizeof text)) > 0)
	{
	  write (STDERR_FILENO, text, size);
	  usleep (10000);
	}
      _exit (0);
    }
  close (ends[0]);
  dup2 (ends[1], STDERR_FILENO);
  close (ends[1]);
}

static void
nothing (int signo)
{
  (void) signo;
}

static void
aborting (int signo)
{
  (void) signo;
  abort ();
}

/* SIGALRM each millisecond, or once after 0.1 s.  */
static void
alarms (int repeat)
{
  struct itimerval timer = { .it_value = { .tv_usec = 100000 } };
  if (repeat)
    timer = (struct itimerval) { { .tv_usec = 1000 }, { .tv_usec = 1000 } };
  setitimer (ITIMER_REAL, &timer, NULL);
}

/* rt_sigaction fails.  */
static void
forbid_actions (void)
{
  struct sock_filter code[] =
    {
      BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
      BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigaction, 0, 1),
      BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
      BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
  struct sock_fprog filter = { sizeof code / sizeof *code, code };
  prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0);
}

/* Standard error is a pipe whose reader is this process, which crashes.  */
static void
own_pipe (void)
{
  int ends[2];
  pipe (ends);
  fcntl (ends[1], F_SETPIPE_SZ, 4096);
  dup2 (ends[1], STDERR_FILENO);
}

static void *
cancelled (void *started)
{
  pthread_setcanceltype (PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  if (vfork () == 0)
    _exit (deep (1));
  wait (NULL);
  *(volatile int *) started = 1;
  while (1)
    ;
}

/* A child of vfork crashes; then the thread that made it is cancelled.  */
static int
cancel_asynchronously (void)
{
  pthread_t thread;
  int started = 0;
  pthread_create (&thread, NULL, cancelled, &started);
  while (!*(volatile int *) &started)
    usleep (1000);
  pthread_cancel (thread);
  return pthread_join (thread, NULL);
}

/* Send SIGNO once, after 0.1 s.  */
static void
send_soon (int signo)
{
  struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
			    .sigev_signo = signo };
  struct itimerspec soon = { .it_value = { .tv_nsec = 100000000 } };
  timer_t timer;
  timer_create (CLOCK_MONOTONIC, &event, &timer);
  timer_settime (timer, 0, &soon, NULL);
}

static void
wait_for_timer (void)
{
  send_soon (SIGABRT);
  while (1)
    pause ();
}

static void
leave (int signo)
{
  exit (signo);
}

/* A handler exits while the trace waits for the reader of the pipe.  The signal
   comes from a child, after the trace has begun.  */
static void
exit_in_handler (void)
{
  pid_t pid = getpid ();

  own_pipe ();
  signal (SIGTERM, leave);
  if (fork () != 0)
    return;
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  wait_for_trace ();
  kill (pid, SIGTERM);
  _exit (0);
}

/* The signal that ends the process is blocked but in sigsuspend.  */
int __attribute__ ((noipa))
die_in_sigsuspend (void)
{
  sigset_t all, none;

  sigfillset (&all);
  sigemptyset (&none);
  sigprocmask (SIG_BLOCK, &all, NULL);
  kill (getpid (), SIGABRT);
  sigsuspend (&none);
  return 0;
}

int
main (int argc, char **argv)
{
  const char *how = argv[argc > 1];
  pthread_t thread;

  if (strcmp (how, "action") == 0)
    forbid_actions ();
  else if (strcmp (how, "first") == 0)
    {
      signal (SIGSEGV, aborting);
      return first_instruction (null) + 1;
    }
  else if (strcmp (how, "exit") == 0)
    {
      slow_reader ();
      pthread_create (&thread, NULL, crash_in_thread, NULL);
      wait_for_trace ();
      return 0;
    }
  else if (strcmp (how, "alarm") == 0)
    {
      slow_reader ();
      alarms (0);
    }
  else if (strcmp (how, "interrupted") == 0)
    {
      struct sigaction action = { .sa_handler = nothing };
      sigaction (SIGALRM, &action, NULL);
      slow_reader ();
      alarms (1);
    }
  else if (strcmp (how, "own pipe") == 0)
    own_pipe ();
  else if (strcmp (how, "handler exits") == 0)
    exit_in_handler ();
  else if (strcmp (how, "asynchronous") == 0)
    return cancel_asynchronously ();
  else if (strcmp (how, "timer") == 0)
    wait_for_timer ();
#ifdef __x86_64__
  else if (strcmp (how, "aligned") == 0)
    __builtin_ia32_writeeflags_u64 (__builtin_ia32_readeflags_u64 ()
				    | 0x40000);
#endif
  else if (strcmp (how, "renamed") == 0)
    memset (argv[0], 'x', strlen (argv[0]));
  else if (strcmp (how, "suspended") == 0)
    return die_in_sigsuspend () + (null != NULL);
  return deep (100) + 1;
}
