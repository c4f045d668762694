/* Crash in the way that the first argument names, below three functions of our own.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

int __attribute__ ((noipa))
crash_here (const char *how)
{
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
