/* Print a backtrace when a fatal signal ends the process; to be preloaded.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: the handler is async-signal-safe and calls nothing that is not, on
   the libc built here, whose backtrace () neither allocates nor locks nor
   loads anything.  Elsewhere the first backtrace () of a process loads
   libgcc_s; a call at start-up would do that in advance, but no program that
   does not crash should pay for one that does.

   A signal is caught only while its action is the default one: a handler that
   the program installs, before or after, stays in charge.  After the trace
   the process dies of the signal, core dump included, whatever became of the
   trace.

   The main thread gets an alternate stack, and its stack overflow a trace.
   Other threads crash on the stack they have; if that is used up, the process
   ends without a trace, as it would without this library.

   Environment, read at start-up:
   SFRAME_CRASH_FILE=FILE  append the trace to FILE, not to standard error
   SFRAME_CRASH_STATS=1    tell how long backtrace () took  */

#define _GNU_SOURCE
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static const struct { int number; const char *name; } fatal[] =
  {
    { SIGSEGV, "SIGSEGV" }, { SIGBUS, "SIGBUS" }, { SIGILL, "SIGILL" },
    { SIGFPE, "SIGFPE" }, { SIGABRT, "SIGABRT" }
  };

#define NFATAL (sizeof fatal / sizeof fatal[0])

/* What a write can raise: nobody reads the pipe, the file has reached its
   limit, the terminal belongs to another job.  These must not end or stop the
   process in the place of the signal that it is to die of.  */
static const int writing[] = { SIGPIPE, SIGXFSZ, SIGTTOU };

#define NWRITING (sizeof writing / sizeof writing[0])

/* Room for an overflow of the usual 8 MiB of stack by frames of 32 bytes.
   Pages that no trace reaches cost nothing.  */
static void *frames[1 << 18];

/* How many frames of a long trace are printed at its two ends.  */
enum { SHOW_FIRST = 96, SHOW_LAST = 32 };

/* The thread whose trace is being made: it alone uses FRAMES.  */
static atomic_int owner;

/* Written by the constructor only.  */
static char file[PATH_MAX];
static bool stats;

/* One line on its way out, in one write so that no other output splits it.  */
struct line
{
  size_t used;
  char text[512];
};

static void
put (struct line *line, const char *s)
{
  while (*s != '\0' && line->used < sizeof line->text)
    line->text[line->used++] = *s++;
}

static void
put_number (struct line *line, uintmax_t n, unsigned int base)
{
  char digits[24];
  char *p = digits + sizeof digits;
  *--p = '\0';
  do
    *--p = "0123456789abcdef"[n % base];
  while ((n /= base) != 0);
  put (line, base == 16 ? "0x" : "");
  put (line, p);
}

/* False if FD takes nothing.  */
static bool
put_out (struct line *line, int fd)
{
  bool written = write (fd, line->text, line->used) >= 0;
  line->used = 0;
  return written;
}

/* The name of the program without what a terminal would obey.  */
static void
put_program (struct line *line)
{
  for (const char *p = program_invocation_short_name; *p != '\0'; ++p)
    {
      bool control = (unsigned char) *p < ' ' || *p == 0x7f;
      put (line, (char[]) { control ? '?' : *p, '\0' });
    }
}

/* Where the signal hit, as backtrace () reports it.  */
static void *
interrupted_pc (const ucontext_t *context)
{
#if defined __x86_64__
  return (void *) context->uc_mcontext.gregs[REG_RIP];
#elif defined __s390x__
  return (void *) context->uc_mcontext.psw.addr;
#elif defined __aarch64__
  return (void *) context->uc_mcontext.pc;
#else
  return NULL;
#endif
}

/* Faults have a positive code, signals that somebody sent have not.  */
static void
put_cause (struct line *line, const siginfo_t *info)
{
  if (info->si_code == SI_KERNEL)
    /* Linux leaves si_addr 0 where the processor does not tell the address: of
       a non-canonical or misaligned one, or of a privileged instruction.  */
    put (line, " at unknown address (non-canonical?)");
  else if (info->si_code > 0)
    {
      put (line, " at address ");
      put_number (line, (uintptr_t) info->si_addr, 16);
    }
  else
    {
      put (line, " sent by process ");
      put_number (line, info->si_pid, 10);
    }
}

static bool
print_signal (int fd, int signo, const siginfo_t *info)
{
  struct line line = { 0 };
  put (&line, "*** ");
  for (size_t i = 0; i < NFATAL; ++i)
    if (fatal[i].number == signo)
      put (&line, fatal[i].name);
  put_cause (&line, info);
  put (&line, " in ");
  put_program (&line);
  put (&line, ", process ");
  put_number (&line, getpid (), 10);
  put (&line, ", thread ");
  put_number (&line, gettid (), 10);
  put (&line, "\n");
  return put_out (&line, fd);
}

static void
print_stats (int fd, int count, const struct timespec *t0,
	     const struct timespec *t1)
{
  struct line line = { 0 };
  put (&line, "*** backtrace: ");
  put_number (&line, count, 10);
  put (&line, " frames in ");
  put_number (&line, ((t1->tv_sec - t0->tv_sec) * 1000000000
		      + t1->tv_nsec - t0->tv_nsec + 500) / 1000, 10);
  put (&line, " us\n");
  put_out (&line, fd);
}

static void
print_frames (int fd, void *const *array, int count)
{
  int left_out = count - SHOW_FIRST - SHOW_LAST;
  if (left_out <= 1)
    {
      backtrace_symbols_fd (array, count, fd);
      return;
    }
  struct line line = { 0 };
  backtrace_symbols_fd (array, SHOW_FIRST, fd);
  put (&line, "... ");
  put_number (&line, left_out, 10);
  put (&line, " frames not shown ...\n");
  put_out (&line, fd);
  backtrace_symbols_fd (array + count - SHOW_LAST, SHOW_LAST, fd);
}

static void
print_trace (int fd, const ucontext_t *context)
{
  struct timespec t0, t1;
  clock_gettime (CLOCK_MONOTONIC, &t0);
  int count = backtrace (frames, sizeof frames / sizeof frames[0]);
  clock_gettime (CLOCK_MONOTONIC, &t1);

  /* The frames of the handler itself are of no interest; but if the walk did
     not get beyond them, they are all there is.  */
  int first = 0;
  while (first < count && frames[first] != interrupted_pc (context))
    ++first;
  if (first == count)
    first = 0;
  if (stats)
    print_stats (fd, count - first, &t0, &t1);
  print_frames (fd, frames + first, count - first);
}

/* The file for traces, or -1.  To open a FIFO that nobody reads would wait.  */
static int
open_file (void)
{
  if (file[0] == '\0')
    return -1;
  int fd = open (file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY
		 | O_NONBLOCK, 0600);
  if (fd >= 0)
    fcntl (fd, F_SETFL, O_APPEND);
  return fd;
}

static void
print_crash (int signo, const siginfo_t *info, const ucontext_t *context)
{
  int fd = open_file ();
  if (fd < 0 || !print_signal (fd, signo, info))
    {
      fd = STDERR_FILENO;
      print_signal (fd, signo, info);
    }
  print_trace (fd, context);
}

/* Take back the signal SIGNO if writing has raised it: where the last lines of
   the handler are forbidden, it would come first.  */
static void
forget (int signo)
{
  sigset_t set;
  sigemptyset (&set);
  sigaddset (&set, signo);
  sigtimedwait (&set, NULL, &(struct timespec) { 0 });
}

/* FATAL's signals and those of WRITING are blocked while this runs.  A fault in
   here thus ends the process at once.  abort () of some libcs unblocks its signal first and gets
   here again; then there is no second trace, but the end.  */
static void
handler (int signo, siginfo_t *info, void *context)
{
  int nobody = 0;
  int self = gettid ();
  if (atomic_compare_exchange_strong (&owner, &nobody, self))
    {
      print_crash (signo, info, context);
      for (size_t i = 0; i < NWRITING; ++i)
	forget (writing[i]);
    }
  else if (nobody != self)
    /* Threads often crash together.  The first one's trace shall not be cut
       short by another's death.  */
    while (true)
      pause ();

  /* The signal, with all it knew, waits until the handler has returned; a
     core dump then shows the place of the crash.  Where that call is
     forbidden the faulting instruction or abort () repeats itself.  */
  signal (signo, SIG_DFL);
  syscall (SYS_rt_tgsigqueueinfo, getpid (), self, signo, info);
}

/* Give the thread a stack for its handlers, with a page below that nobody
   may touch.  A failure leaves things as they were.  */
static void
make_alternate_stack (void)
{
  stack_t stack;
  if (sigaltstack (NULL, &stack) != 0 || !(stack.ss_flags & SS_DISABLE))
    return;
  size_t page = sysconf (_SC_PAGESIZE);
  /* 64 KiB besides the kernel's own need: a libc that loads libgcc_s in the
     handler runs ld.so on this stack.  */
  size_t size = ((sysconf (_SC_MINSIGSTKSZ) + page - 1) & -page) + 65536;
  char *start = mmap (NULL, page + size, PROT_NONE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED
      || mprotect (start + page, size, PROT_READ | PROT_WRITE) != 0)
    return;
  stack = (stack_t) { .ss_sp = start + page, .ss_size = size };
  sigaltstack (&stack, NULL);
}

static void __attribute__ ((constructor))
install (void)
{
  const char *value = secure_getenv ("SFRAME_CRASH_FILE");
  /* A copy, for programs that write over their environment.  */
  if (value != NULL && strlen (value) < sizeof file)
    strcpy (file, value);
  value = secure_getenv ("SFRAME_CRASH_STATS");
  stats = value != NULL && strcmp (value, "1") == 0;

  struct sigaction action = { .sa_sigaction = handler,
			      .sa_flags = SA_SIGINFO | SA_ONSTACK };
  for (size_t i = 0; i < NFATAL; ++i)
    sigaddset (&action.sa_mask, fatal[i].number);
  for (size_t i = 0; i < NWRITING; ++i)
    sigaddset (&action.sa_mask, writing[i]);
  make_alternate_stack ();
  for (size_t i = 0; i < NFATAL; ++i)
    {
      struct sigaction old;
      if (sigaction (fatal[i].number, NULL, &old) == 0
	  && old.sa_handler == SIG_DFL)
	sigaction (fatal[i].number, &action, NULL);
    }
}
