/* Crash in the way that the first argument names, below three functions of our own.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Not static, so that backtrace_symbols_fd knows their names.  */
int crash_here (const char *how);
int middle (const char *how);
int outer (const char *how);
int overflow (int depth);

static volatile int zero;
static int *volatile null;
static pthread_barrier_t barrier;

/* A page of a file that has none.  */
static int
bus_error (void)
{
  int fd = memfd_create ("empty", 0);
  volatile int *p = mmap (NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
  return *p;
}

int __attribute__ ((noipa))
overflow (int depth)
{
  volatile char frame[64];
  frame[depth % 64] = depth;
  return overflow (depth + 1) + frame[depth % 64];
}

static void *
crash_in_thread (void *closure)
{
  pthread_barrier_wait (&barrier);
  return (void *) (long) crash_here (closure);
}

/* COUNT threads besides this one crash together.  */
static int
crash_in_threads (unsigned int count)
{
  pthread_t thread;
  pthread_barrier_init (&barrier, NULL, count);
  while (count-- > 0)
    pthread_create (&thread, NULL, crash_in_thread, (void *) "segv");
  return pthread_join (thread, NULL);
}

/* A child that shares the memory of this process crashes before it does.  */
static void
crash_in_child (void)
{
  if (vfork () == 0)
    _exit (crash_here ("segv"));
  wait (NULL);
}

/* Fill the pipe TO up to one line: who writes a trace there waits for the
   reader, when the trace was taken and nothing of it is printed.  */
static void
fill_pipe (int to)
{
  char dots[4096 - 90];
  memset (dots, '.', sizeof dots);
  dots[sizeof dots - 1] = '\n';
  fcntl (to, F_SETPIPE_SZ, 4096);
  write (to, dots, sizeof dots);
}

/* While this process prints its trace, a child that shares its memory crashes
   and prints its own, elsewhere.  */
static void *
crash_in_other_child (void *closure)
{
  usleep (500000);
  if (vfork () == 0)
    {
      dup2 (open ("/dev/null", O_WRONLY), STDERR_FILENO);
      _exit (crash_here ("segv"));
    }
  return closure;
}

static void
crash_beside_child (void)
{
  pthread_t thread;
  int ends[2];
  char text[4096];
  ssize_t size;

  pipe (ends);
  fill_pipe (ends[1]);
  if (fork () == 0)
    {
      close (ends[1]);
      sleep (2);
      while ((size = read (ends[0], text, sizeof text)) > 0)
	write (STDERR_FILENO, text, size);
      _exit (0);
    }
  dup2 (ends[1], STDERR_FILENO);
  pthread_create (&thread, NULL, crash_in_other_child, NULL);
}

/* Two children in turn that share the memory of this process, each with number
   1 in a PID namespace of its own.  */
static int
crash_again (void *closure)
{
  return crash_here ("segv") + (closure != NULL);
}

static int
crash_with_same_number (void)
{
  static char stack[1 << 18] __attribute__ ((aligned (16)));
  int flags = CLONE_VM | CLONE_VFORK | CLONE_NEWPID | SIGCHLD;
  for (int i = 0; i < 2; ++i)
    {
      /* Without privileges a process makes one in a new user namespace.  */
      if (clone (crash_again, stack + sizeof stack, flags, NULL) < 0
	  && clone (crash_again, stack + sizeof stack, flags | CLONE_NEWUSER,
		    NULL) < 0)
	return 77;
      wait (NULL);
    }
  return 0;
}

/* A child that shares the memory of this process waits in the first write of
   its trace, until this process ends.  */
static void *
wait_in_trace (void *closure)
{
  int *ends = closure;
  if (vfork () == 0)
    {
      prctl (PR_SET_PDEATHSIG, SIGKILL);
      dup2 (ends[1], STDERR_FILENO);
      _exit (crash_here ("segv"));
    }
  return closure;
}

/* Four of them: no trace is left for this process.  */
static void
wait_in_traces (void)
{
  static int ends[2];
  char dots[90];
  pthread_t thread;
  pipe (ends);
  fill_pipe (ends[1]);
  memset (dots, '.', sizeof dots);
  write (ends[1], dots, sizeof dots);
  for (int i = 0; i < 4; ++i)
    pthread_create (&thread, NULL, wait_in_trace, ends);
  sleep (1);
}

/* Have the COUNT system calls CALLS fail.  */
static void
forbid (const int *calls, int count)
{
  struct sock_filter code[4 + 2 * count];
  struct sock_fprog filter = { .filter = code };
#define ADD(...) code[filter.len++] = (struct sock_filter) __VA_ARGS__
  ADD (BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)));
  for (int i = 0; i < count; ++i)
    {
      ADD (BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, calls[i], 0, 1));
      ADD (BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1));
    }
  ADD (BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
#undef ADD
  prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0);
}

/* The constructor of the module, which runs under ld.so's lock, waits for a
   thread that crashes.  */
static int
crash_in_module (void)
{
  return dlopen ("./crash-module.so", RTLD_NOW) != NULL;
}

static int __attribute__ ((noinline))
crash_by_filter (int count)
{
  const int calls[] = { SYS_rt_tgsigqueueinfo, SYS_tgkill };
  forbid (calls, count);
  return kill (getpid (), SIGBUS) + 1;
}

int __attribute__ ((noipa))
crash_here (const char *how)
{
  if (strcmp (how, "cancelled") == 0)
    {
      pthread_cancel (pthread_self ());
      return *null;
    }
  if (strcmp (how, "module") == 0)
    return crash_in_module () + 1;
  if (strcmp (how, "number") == 0)
    return crash_with_same_number () + zero;
  if (strcmp (how, "fifth") == 0)
    {
      wait_in_traces ();
      return *null;
    }
  if (strcmp (how, "filtered") == 0)
    return crash_by_filter (1) + 1;
  if (strcmp (how, "filtered twice") == 0)
    return crash_by_filter (2) + 1;
  if (strcmp (how, "beside") == 0)
    {
      crash_beside_child ();
      return *null;
    }
  if (strcmp (how, "vfork") == 0)
    {
      crash_in_child ();
      return *null;
    }
  if (strcmp (how, "segv") == 0)
    return *null;
  if (strcmp (how, "wild") == 0)
    return *(volatile int *) 0x1234567890abcdef;
  if (strcmp (how, "fpe") == 0)
    return (zero + 100) / zero;
  if (strcmp (how, "ill") == 0)
    __builtin_trap ();
  if (strcmp (how, "bus") == 0)
    return bus_error () + 1;
  if (strcmp (how, "abrt") == 0)
    abort ();
  if (strcmp (how, "kill") == 0)
    return kill (getpid (), SIGBUS) + 1;
  if (strcmp (how, "overflow") == 0)
    return overflow (0) + 1;
  if (strcmp (how, "thread") == 0)
    return crash_in_threads (1) + 1;
  if (strcmp (how, "threads") == 0)
    return crash_in_threads (16) + 1;
  return 7;
}

int __attribute__ ((noipa))
middle (const char *how)
{
  return crash_here (how) + zero;
}

int __attribute__ ((noipa))
outer (const char *how)
{
  return middle (how) + zero;
}

static void
own_handler (int signo)
{
  static const char text[] = "the program's own handler\n";
  _exit (write (STDOUT_FILENO, text, sizeof text - 1) < 0 ? 1 : signo);
}

int
main (int argc, char **argv)
{
  if (argc > 2 && strcmp (argv[2], "own") == 0)
    signal (SIGSEGV, own_handler);
  return outer (argv[1]) + zero;
}
