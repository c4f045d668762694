/* Print a backtrace when a fatal signal ends the process; to be preloaded.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: the handler calls only async-signal-safe functions, and no
   cancellation points: write and the like are called by syscall ().
   backtrace () is async-signal-safe in the libc built here: it calls no
   malloc, takes no lock and loads nothing, but may call mmap; crash-names.h
   finds the names without a lock.  In another libc the first backtrace () of a
   process loads libgcc_s.  Calling it at startup would avoid that, but programs
   that do not crash should not pay for it.

   A signal is caught only while its action is the default one: a handler that
   the program installs, before or after, takes precedence.  After the trace,
   complete or not, the process dies of the signal, with a core dump.

   The main thread gets an alternate stack, so a stack overflow there gives a
   trace.  Other threads run the handler on their own stack; after an overflow
   the process ends without a trace, as it would without this library.

   Environment, read at start-up:
   SFRAME_CRASH_FILE=FILE  append the trace to FILE, not to standard error
   SFRAME_CRASH_STATS=1    print how long backtrace () took  */

#define _GNU_SOURCE
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "crash-names.h"

static const struct { int number; const char *name; } fatal[] =
  {
    { SIGSEGV, "SIGSEGV" }, { SIGBUS, "SIGBUS" }, { SIGILL, "SIGILL" },
    { SIGFPE, "SIGFPE" }, { SIGABRT, "SIGABRT" }
  };

#define NFATAL (sizeof fatal / sizeof fatal[0])

/* Signals that a write can raise: the pipe has no reader, the file has reached
   its limit, the terminal belongs to another job.  They must not end the
   process instead of the fatal signal when the handler returns.  */
static const int writing[] = { SIGPIPE, SIGXFSZ, SIGTTOU };

#define NWRITING (sizeof writing / sizeof writing[0])

/* Signals by which a user ends a process that hangs.  All others are blocked
   in the handler: their handlers or default actions must not come between.  */
static const int ending[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };

#define NENDING (sizeof ending / sizeof ending[0])

/* The signal with which libc cancels threads; sigaction does not block it.  */
#define CANCEL 32

/* Enough for an overflow of the usual 8 MiB stack by frames of 32 bytes.
   Pages that no trace reaches take no memory.  */
static void *frames[1 << 18];

/* A process takes one trace.  But a child of vfork, which shares the memory of
   this process, can crash while this process prints its own.  */
static void *other_frames[3][1 << 12];

static struct trace
{
  /* The thread that takes it, and above its number that of its process; 0 if
     there was none yet.  */
  _Atomic uint64_t owner;
  void **frames;
  int size;
} traces[] =
  {
    { .frames = frames, .size = sizeof frames / sizeof frames[0] },
#define OTHER(n) { .frames = other_frames[n], .size = 1 << 12 }
    OTHER (0), OTHER (1), OTHER (2)
#undef OTHER
  };

#define NTRACES (sizeof traces / sizeof traces[0])

/* In OWNER: the trace was printed.  No thread has a number that high.  */
#define PRINTED (UINT64_C (1) << 31)

/* How many frames of a long trace are printed at each end.  */
enum { SHOW_FIRST = 96, SHOW_LAST = 32 };

/* How long to wait for a reader that takes nothing, and for another thread of
   the process that prints its trace.  */
enum { WRITE_SECONDS = 10, TRACE_SECONDS = 60 };

/* Written only by the constructor.  The program may change its own copy of its
   name.  */
static char file[PATH_MAX], program[PATH_MAX];
static bool stats;

/* Where the trace goes.  */
struct output
{
  int fd;
  bool failed;			/* Nothing more can be written.  */
};

/* A line of output, written by one write so that other output cannot split
   it, if it is not longer than TEXT.  */
struct line
{
  struct output *output;
  size_t used;
  char text[512];
};

/* Wait until FD can be written to.  Return false if its reader, which may be a
   thread of this process, takes nothing for WRITE_SECONDS.  */
static bool
wait_for_reader (int fd)
{
  struct pollfd poll = { .fd = fd, .events = POLLOUT };
  struct timespec left = { .tv_sec = WRITE_SECONDS };
  long int result;
  /* ppoll stores the time that is left.  */
  do
    result = syscall (SYS_ppoll, &poll, 1, &left, NULL, 0);
  while (result < 0 && errno == EINTR);
  return result != 0;
}

/* Write LINE and empty it.  Return false if it cannot be written.  */
static bool
put_out (struct line *line)
{
  struct output *output = line->output;
  size_t done = 0;

  while (done < line->used && !output->failed)
    {
      long int result = -1;
      output->failed = !wait_for_reader (output->fd);
      if (!output->failed)
	result = syscall (SYS_write, output->fd, line->text + done,
			  line->used - done);
      if (result >= 0)
	done += result;
      else
	output->failed |= errno != EINTR && errno != EAGAIN;
    }
  line->used = 0;
  return !output->failed;
}

static void
put (struct line *line, const char *s)
{
  for (; *s != '\0'; ++s)
    {
      if (line->used == sizeof line->text)
	put_out (line);
      line->text[line->used++] = *s;
    }
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

/* Put a name, with ? for characters that control a terminal: those of ASCII,
   and U+0080 to U+009F, as one byte or in UTF-8.  */
static void
put_name (struct line *line, const char *name)
{
  for (unsigned char before = 0; *name != '\0'; before = *name++)
    {
      unsigned char c = *name;
      bool control = (c < ' ' || c == 0x7f
		      || (c >= 0x80 && c < 0xa0
			  && (before < 0x80 || before == 0xc2)));
      put (line, (char[]) { control ? '?' : c, '\0' });
    }
}

/* The PC at which the signal came, in the form that backtrace () returns.  */
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

/* Faults have a positive si_code, signals sent by a process do not.  */
static void
put_cause (struct line *line, const siginfo_t *info)
{
  if (info->si_code == SI_KERNEL)
    /* Linux sets si_addr to 0 if the processor does not report the address:
       a non-canonical or misaligned one, or a privileged instruction.  */
    put (line, " at unknown address (non-canonical?)");
  else if (info->si_code > 0)
    {
      put (line, " at address ");
      put_number (line, (uintptr_t) info->si_addr, 16);
    }
  else if (info->si_code == SI_USER || info->si_code == SI_TKILL
	   || info->si_code == SI_QUEUE)
    {
      put (line, " sent by process ");
      put_number (line, info->si_pid, 10);
    }
  else
    put (line, info->si_code == SI_TIMER ? " sent by a timer"
	 : " sent by the kernel");
}

static bool
print_signal (struct output *output, int signo, const siginfo_t *info)
{
  const char *slash = strrchr (program, '/');
  struct line line = { .output = output };
  put (&line, "*** ");
  for (size_t i = 0; i < NFATAL; ++i)
    if (fatal[i].number == signo)
      put (&line, fatal[i].name);
  put_cause (&line, info);
  put (&line, " in ");
  put_name (&line, slash != NULL ? slash + 1 : program);
  put (&line, ", process ");
  put_number (&line, getpid (), 10);
  put (&line, ", thread ");
  put_number (&line, gettid (), 10);
  put (&line, "\n");
  return put_out (&line);
}

static void
print_stats (struct output *output, int count, const struct timespec *t0,
	     const struct timespec *t1)
{
  struct line line = { .output = output };
  put (&line, "*** backtrace: ");
  put_number (&line, count, 10);
  put (&line, " frames in ");
  put_number (&line, ((t1->tv_sec - t0->tv_sec) * 1000000000
		      + t1->tv_nsec - t0->tv_nsec + 500) / 1000, 10);
  put (&line, " us\n");
  put_out (&line);
}

/* Print a frame as backtrace_symbols_fd does.  A frame that was not
   INTERRUPTED has made a call, which may be the last instruction of its
   function.  */
static void
print_frame (struct output *output, const void *address, bool interrupted)
{
  struct line line = { .output = output };
  uintptr_t pc = (uintptr_t) address;
  struct pc_name name = name_pc (interrupted ? pc : pc - 1, program);
  if (name.file != NULL)
    {
      put_name (&line, name.file);
      put (&line, "(");
      put_name (&line, name.function != NULL ? name.function : "");
      put (&line, "+");
      put_number (&line, pc - name.start, 16);
      put (&line, ") ");
    }
  put (&line, "[");
  put_number (&line, pc, 16);
  put (&line, "]\n");
  put_out (&line);
}

/* Print "... COUNT WHAT ...".  */
static void
print_gap (struct output *output, int count, const char *what)
{
  struct line line = { .output = output };
  put (&line, "... ");
  put_number (&line, count, 10);
  put (&line, what);
  put (&line, " ...\n");
  put_out (&line);
}

/* Print COUNT frames from the FIRST one of ARRAY on, but of a long trace only
   both ends.  The frame before the first is the signal trampoline, if there is
   one: the caller of any trampoline was interrupted.  */
static void
print_frames (struct output *output, void *const *array, int first, int count)
{
  int left_out = count - SHOW_FIRST - SHOW_LAST;
  for (int i = first; i < first + count; ++i)
    {
      if (left_out > 1 && i == first + SHOW_FIRST)
	{
	  print_gap (output, left_out, " frames not shown");
	  i += left_out;
	}
      bool interrupted = first > 0 && array[i - 1] == array[first - 1];
      print_frame (output, array[i], interrupted);
    }
}

/* Take a trace into ARRAY of SIZE frames, and print it.  */
static void
print_trace (struct output *output, void **array, int size,
	     const ucontext_t *context)
{
  struct timespec t0, t1;
  clock_gettime (CLOCK_MONOTONIC, &t0);
  int count = backtrace (array, size);
  clock_gettime (CLOCK_MONOTONIC, &t1);

  /* Skip the frames of the handler itself, unless the trace ends in them.  */
  int first = 0;
  while (first < count && array[first] != interrupted_pc (context))
    ++first;
  if (first == count)
    first = 0;
  if (stats)
    print_stats (output, count - first, &t0, &t1);
  print_frames (output, array, first, count - first);
  if (count == size)
    print_gap (output, count, " frames at most are traced");
}

/* The same in a few frames on this stack, which may be small.  */
static void __attribute__ ((noinline))
print_short_trace (struct output *output, const ucontext_t *context)
{
  void *array[SHOW_FIRST];
  print_trace (output, array, SHOW_FIRST, context);
}

/* Open the file for traces; -1 on failure.  O_NONBLOCK: opening a FIFO without
   a reader would wait.  */
static int
open_file (void)
{
  if (file[0] == '\0')
    return -1;
  int fd = syscall (SYS_openat, AT_FDCWD, file,
		    O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY
		    | O_NONBLOCK, 0600);
  if (fd >= 0)
    syscall (SYS_fcntl, fd, F_SETFL, O_APPEND);
  return fd;
}

/* Whether FD may be what the program calls standard error.  After the program
   has closed that, a data file may have its number: it reads and writes such a
   file, and does not append to it.  */
static bool
is_for_messages (int fd)
{
  struct stat status;
  long int flags = syscall (SYS_fcntl, fd, F_GETFL);

  return ((flags & O_ACCMODE) != O_RDWR || (flags & O_APPEND) != 0
	  || syscall (SYS_fstat, fd, &status) != 0
	  || !(S_ISREG (status.st_mode) || S_ISBLK (status.st_mode)));
}

/* Print the signal, and the trace; a short one if TRACE is null.  */
static void
print_crash (int signo, const siginfo_t *info, const struct trace *trace,
	     const ucontext_t *context)
{
  struct output output = { .fd = open_file () };
  if (output.fd < 0 || !print_signal (&output, signo, info))
    {
      if (!is_for_messages (STDERR_FILENO))
	return;
      output = (struct output) { .fd = STDERR_FILENO };
      print_signal (&output, signo, info);
    }
  if (trace != NULL)
    print_trace (&output, trace->frames, trace->size, context);
  else
    print_short_trace (&output, context);
}

/* Remove a pending SIGNO, which a write may have raised.  If a seccomp filter
   forbids the last call of the handler, SIGNO would end the process first.  */
static void
forget (int signo)
{
  uint64_t set = UINT64_C (1) << (signo - 1);
  syscall (SYS_rt_sigtimedwait, &set, NULL, &(struct timespec) { 0 },
	   sizeof set);
}

/* Whether this process is about to end: a thread has printed its trace, and
   SIGNO is no longer caught.  */
static bool
is_ending (int signo)
{
  struct sigaction action;
  return sigaction (signo, NULL, &action) == 0 && action.sa_handler == SIG_DFL;
}

/* Whether OWNER needs its trace no more.  A child of vfork that has crashed is
   gone without having given it back.  After a fork this process has a copy of
   all traces; the number of an owner may since have become that of this
   process, or be the same in another PID namespace.  */
static bool
is_over (uint64_t owner, pid_t process, int signo)
{
  pid_t other = owner >> 32;
  int thread = owner & (PRINTED - 1);

  if (other != process)
    return (owner & PRINTED) || (kill (other, 0) != 0 && errno == ESRCH);
  if (owner & PRINTED)
    return !is_ending (signo);
  return (syscall (SYS_tgkill, process, thread, 0) != 0 && errno == ESRCH);
}

/* Return the thread of PROCESS that has a trace; 0 if none has.  */
static int
find_thread (pid_t process, int signo)
{
  for (size_t i = 0; i < NTRACES; ++i)
    {
      uint64_t owner = traces[i].owner;
      if ((pid_t) (owner >> 32) == process && !is_over (owner, process, signo))
	return owner & (PRINTED - 1);
    }
  return 0;
}

/* Make OWNER the owner of TRACE.  Return 0, or the owner that it has.  */
static uint64_t
claim (struct trace *trace, uint64_t owner, int signo)
{
  uint64_t old = 0;

  while (!atomic_compare_exchange_weak (&trace->owner, &old, owner))
    if (old != 0 && !is_over (old, owner >> 32, signo))
      return old;
  return 0;
}

/* Make thread SELF the owner of a trace, and store it in *TRACE; null if other
   processes have all of them.  Return 0, or the thread of this process that
   has one.  All threads of a process ask for the traces in the same order, so
   that no two get one.  */
static int
take_trace (int self, int signo, struct trace **trace)
{
  pid_t process = getpid ();
  uint64_t owner = (uint64_t) process << 32 | self;
  int thread = find_thread (process, signo);

  for (size_t i = 0; i < NTRACES && thread == 0; ++i)
    {
      uint64_t old = claim (&traces[i], owner, signo);
      *trace = &traces[i];
      if (old == 0)
	return 0;
      if ((pid_t) (old >> 32) == process)
	thread = old & (PRINTED - 1);
    }
  *trace = NULL;
  return thread;
}

static void
sleep_a_moment (void)
{
  syscall (SYS_nanosleep, &(struct timespec) { .tv_nsec = 50000000 }, NULL);
}

/* The time in seconds.  */
static time_t
now (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec;
}

/* The same, but wait while another thread has a trace: threads often crash
   together, and the first one ends the process.  If it does not do so within
   TRACE_SECONDS, return 0 without a trace.  */
static int
wait_for_trace (int self, int signo, struct trace **trace)
{
  for (time_t end = now () + TRACE_SECONDS; now () <= end; sleep_a_moment ())
    {
      int other = take_trace (self, signo, trace);
      if (other == 0 || other == self)
	return other;
    }
  return 0;
}

/* The program exits.  If another thread prints its trace, wait for the end
   that it makes: the exit status would hide the crash.  A thread that has left
   its own trace, by a handler that exits, does not go on with it.  */
static void __attribute__ ((destructor))
wait_for_end (void)
{
  pid_t process = getpid (), self = gettid (), other;
  for (time_t end = now () + TRACE_SECONDS;
       (other = find_thread (process, SIGABRT)) != 0 && other != self
       && now () <= end; )
    sleep_a_moment ();
}

static void handler (int signo, siginfo_t *info, void *context);

/* Restore the default action of the signals that HANDLER catches.  */
static void
stop_catching (void)
{
  for (size_t i = 0; i < NFATAL; ++i)
    {
      struct sigaction action;
      if (sigaction (fatal[i].number, NULL, &action) == 0
	  && action.sa_sigaction == handler)
	signal (fatal[i].number, SIG_DFL);
    }
}

/* Queue the signal again with its siginfo.  It is delivered when the handler
   returns to CONTEXT, so the core dump shows the place of the crash; even if
   it came in sigsuspend, with another mask than that of CONTEXT.  If a seccomp
   filter forbids the call, send it without siginfo; if that is forbidden, too,
   a faulting instruction raises it again.  But if the signal is still caught,
   the handler would run again, without end.  */
static void
end_process (int signo, siginfo_t *info, ucontext_t *context, int self)
{
  if (signal (signo, SIG_DFL) == SIG_ERR)
    _exit (128 + signo);
  sigdelset (&context->uc_sigmask, signo);
  if (syscall (SYS_rt_tgsigqueueinfo, getpid (), self, signo, info) != 0
      && syscall (SYS_tgkill, getpid (), self, signo) != 0
      && info->si_code <= 0)
    _exit (128 + signo);
}

/* Whether the kernel would ignore SIGNO, described by INFO, if it were not
   caught: it protects the first process of a PID namespace from signals that
   processes send, itself included.  abort ends such a process by a fault.  */
static bool
is_harmless (int signo, const siginfo_t *info)
{
  return (getpid () == 1 && info->si_code <= 0
	  && (signo != SIGABRT || info->si_pid != 1));
}

/* On x86, PROGRAM may have asked for a fault at each access that is not
   aligned; the kernel leaves that on in a handler.  */
static void
allow_unaligned (void)
{
#ifdef __x86_64__
  __builtin_ia32_writeeflags_u64 (__builtin_ia32_readeflags_u64 ()
				  & ~UINT64_C (0x40000));
#endif
}

/* The signals of FATAL are blocked here, so a fault in the handler ends the
   process at once.  abort () of some libcs unblocks SIGABRT and calls the
   handler again; then the process ends without a second trace.  */
static void
handler (int signo, siginfo_t *info, void *context)
{
  struct trace *trace;
  int self = gettid ();

  allow_unaligned ();
  if (is_harmless (signo, info))
    return;

  /* An asynchronous cancellation would end this thread.  The mask is that of
     this thread only, also in a child of vfork.  */
  uint64_t cancel = UINT64_C (1) << (CANCEL - 1);
  syscall (SYS_rt_sigprocmask, SIG_BLOCK, &cancel, NULL, sizeof cancel);

  if (wait_for_trace (self, signo, &trace) == 0)
    {
      print_crash (signo, info, trace, context);
      /* First, so that a thread that finds PRINTED knows its own process by
	 it; see is_over.  */
      stop_catching ();
      if (trace != NULL)
	atomic_fetch_or (&trace->owner, PRINTED);
      for (size_t i = 0; i < NWRITING; ++i)
	forget (writing[i]);
    }
  end_process (signo, info, context, self);
}

/* Give the thread an alternate signal stack with a guard page, unless it has
   one.  On failure nothing changes.  */
static void
make_alternate_stack (void)
{
  stack_t stack;
  if (sigaltstack (NULL, &stack) != 0 || !(stack.ss_flags & SS_DISABLE))
    return;
  size_t page = sysconf (_SC_PAGESIZE);
  /* 64 KiB in addition to what the kernel needs: a libc that loads libgcc_s in
     the handler runs ld.so on this stack.  */
  size_t size = ((sysconf (_SC_MINSIGSTKSZ) + page - 1) & -page) + 65536;
  char *start = mmap (NULL, page + size, PROT_NONE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED)
    return;
  stack = (stack_t) { .ss_sp = start + page, .ss_size = size };
  if (mprotect (start + page, size, PROT_READ | PROT_WRITE) != 0
      || sigaltstack (&stack, NULL) != 0)
    munmap (start, page + size);
}

static void __attribute__ ((constructor))
install (void)
{
  const char *value = secure_getenv ("SFRAME_CRASH_FILE");
  /* A copy, for programs that write over their environment.  */
  if (value != NULL && strlen (value) < sizeof file)
    strcpy (file, value);
  strncpy (program, program_invocation_name, sizeof program - 1);
  value = secure_getenv ("SFRAME_CRASH_STATS");
  stats = value != NULL && strcmp (value, "1") == 0;

  struct sigaction action = { .sa_sigaction = handler,
			      .sa_flags = SA_SIGINFO | SA_ONSTACK };
  sigfillset (&action.sa_mask);
  for (size_t i = 0; i < NENDING; ++i)
    sigdelset (&action.sa_mask, ending[i]);
  make_alternate_stack ();
  for (size_t i = 0; i < NFATAL; ++i)
    {
      struct sigaction old;
      if (sigaction (fatal[i].number, NULL, &old) == 0
	  && old.sa_handler == SIG_DFL)
	sigaction (fatal[i].number, &action, NULL);
    }
}
