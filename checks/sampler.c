/* Compare backtrace with libgcc's unwinder in any program; to be preloaded.

   SPDX-License-Identifier: LGPL-2.1-or-later

   A timer interrupts each thread of the program.  The handler takes a trace of
   the interrupted stack by backtrace and one by _Unwind_Backtrace, and counts
   how they differ.  With SAMPLER_STEPS the processor then traps after each of
   the next instructions, and each is a sample as well: so prologues, epilogues
   and stubs, in which a program spends little time, are sampled, too.

   libgcc is not always right: each kind of difference is recorded once, with
   what is needed to judge it, and counted.

   Environment, read at start-up:
   SAMPLER_FILES=DIR  where to make a file for each process; not sampled without
   SAMPLER_PERIOD=N   microseconds from one sample to the next, on average (500)
   SAMPLER_STEPS=N    how many instructions to step after each (0); x86-64 only
   SAMPLER_STACK=1    take the samples on an alternate stack
   SAMPLER_SPOIL=N    drop the last frame of one in N traces of backtrace, so
		     that a test can see that this is detected
   SAMPLER_EXTRA=N    the same: add a frame to one in N
   SAMPLER_CRASH=N    the same: let one in N traces of backtrace fault
   SAMPLER_HANG=N     the same: let one in N never end

   The file is mapped, so that its content survives exec, _exit and a crash.
   checks/check-samples reads it.  A thread that sleeps is interrupted less and
   less often.  Threads are known by pthread_create.  A child of vfork is
   sampled only by the steps that lead into it.

   Safety: the handler allocates nothing and takes no lock.  */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

/* Ignored by default: a program that resets all handlers goes on, without
   samples.  */
#define SAMPLE_SIGNAL SIGURG
#define WATCH_SIGNAL SIGWINCH

enum
{
  FRAMES_MAX = 2048,
  BUFFERS = 16,
  RECORDS = 128,
  TEXT_SIZE = 2048,
  ALTERNATE_SIZE = 128 * 1024,
  /* Seconds of a thread's time: no trace takes as long.  */
  WATCH_PERIOD = 1
};

/* What a sample can be.  checks/check-samples knows this order.  */
enum kind
{
  EQUAL,
  LONGER,			/* libgcc's trace is the start of ours, which goes
				   on in code.  */
  SHORTER,			/* Ours is the start of libgcc's.  */
  OTHER,			/* They have different callers.  */
  LOST,				/* Ours has not the interrupted frame.  */
  FAULT,			/* libgcc faulted.  */
  DROPPED,			/* All buffers were in use.  */
  CRASHED,			/* backtrace faulted.  */
  HUNG,				/* backtrace did not end.  */
  KINDS
};

static const char *const kind_names[KINDS]
  = { "EQUAL", "LONGER", "SHORTER", "OTHER", "LOST", "FAULT", "DROPPED",
      "CRASHED", "HUNG" };

/* The mapped file of a process.  */
struct samples
{
  _Atomic uint64_t counts[KINDS];
  _Atomic uint64_t keys[RECORDS];
  _Atomic uint64_t record_counts[RECORDS];
  char texts[RECORDS][TEXT_SIZE];
};

struct trace
{
  void *pc[FRAMES_MAX];
  int count;
};

struct buffer
{
  atomic_flag used;
  struct trace ours, oracle;
};

/* Written by the constructor.  */
static const char *directory;
static long int period = 500, steps, spoil, extra, crash, hang;
static bool on_stack;

static struct samples *samples;
static struct buffer buffers[BUFFERS];

/* Of a thread; the library is preloaded, so that these are no dynamic TLS.  */
static __thread int timer = -1, watch = -1;
static __thread int steps_left;
static __thread long int delay;
static __thread struct timespec worked;
static __thread unsigned int seed;

/* One line of text.  */
struct text
{
  size_t used;
  char *at;
};

static void
put (struct text *text, const char *s)
{
  while (*s != '\0' && text->used < TEXT_SIZE - 1)
    text->at[text->used++] = *s++;
}

static void
put_number (struct text *text, uint64_t n, unsigned int base)
{
  char digits[24];
  char *p = digits + sizeof digits;

  *--p = '\0';
  do
    *--p = "0123456789abcdef"[n % base];
  while ((n /= base) != 0);
  put (text, p);
}

static void
put_place (struct text *text, void *pc)
{
  struct dl_find_object object;

  put (text, "    ");
  if (_dl_find_object (pc - 1, &object) == 0)
    {
      const char *name = object.dlfo_link_map->l_name;
      put (text, *name == '\0' ? "program" : name);
      put (text, "+0x");
      pc -= object.dlfo_link_map->l_addr;
    }
  put_number (text, (uintptr_t) pc, 16);
  put (text, "\n");
}

static void
put_frames (struct text *text, const char *title, const struct trace *trace,
	    int from, int to)
{
  put (text, title);
  for (int i = from > 0 ? from : 0; i < to && i < trace->count; ++i)
    put_place (text, trace->pc[i]);
}

static uintptr_t
interrupted_pc (const ucontext_t *context)
{
#if defined __x86_64__
  return context->uc_mcontext.gregs[REG_RIP];
#elif defined __s390x__
  return context->uc_mcontext.psw.addr;
#endif
}

static uintptr_t
interrupted_sp (const ucontext_t *context)
{
#if defined __x86_64__
  return context->uc_mcontext.gregs[REG_RSP];
#elif defined __s390x__
  return context->uc_mcontext.gregs[15];
#endif
}

/* The words at SP, which the program has, unless it has none.  */
static void
put_stack (struct text *text, const ucontext_t *context)
{
  const uintptr_t *sp = (const uintptr_t *) interrupted_sp (context);

  put (text, "  stack:");
  for (int i = 0; i < 16 && (uintptr_t) (sp + i) / 4096
			    == (uintptr_t) sp / 4096; ++i)
    {
      put (text, " ");
      put_number (text, sp[i], 16);
    }
  put (text, "\n");
}

/* Return the number of the record with KEY, a new one or one that there is, or
   -1 if there is no room.  *NEW says which.  */
static int
find_record (uint64_t key, bool *new)
{
  for (int i = 0; i < RECORDS; ++i)
    {
      uint64_t old = 0;
      *new = atomic_compare_exchange_strong (&samples->keys[i], &old, key);
      if (*new || old == key)
	return i;
    }
  return -1;
}

/* Record a difference between OURS and ORACLE, which have COMMON frames in
   common.  */
static void
record (enum kind kind, const struct trace *ours, const struct trace *oracle,
	int common, const ucontext_t *context)
{
  uint64_t key = kind + 1;
  bool new;

  if (common > 0)
    key += (uintptr_t) ours->pc[common - 1] * 16;
  if (common < ours->count)
    key = (key << 19 | key >> 45) ^ (uintptr_t) ours->pc[common];
  int number = find_record (key, &new);
  if (number < 0)
    return;
  atomic_fetch_add (&samples->record_counts[number], 1);
  if (!new)
    return;

  struct text text = { 0, samples->texts[number] };
  put (&text, "#");
  put_number (&text, number, 10);
  put (&text, " ");
  put (&text, kind_names[kind]);
  put (&text, " frames: ");
  put_number (&text, ours->count, 10);
  put (&text, ", libgcc ");
  put_number (&text, oracle->count, 10);
  put (&text, ", common ");
  put_number (&text, common, 10);
  put (&text, "\n");
  put_frames (&text, "  common:\n", ours, common - 3, common);
  put_frames (&text, "  ours:\n", ours, common, common + 4);
  put_frames (&text, "  libgcc:\n", oracle, common, common + 4);
  put_stack (&text, context);
}

static _Unwind_Reason_Code
add_frame (struct _Unwind_Context *context, void *closure)
{
  struct trace *trace = closure;

  if (trace->count == FRAMES_MAX)
    return _URC_END_OF_STACK;
  trace->pc[trace->count++] = (void *) _Unwind_GetIP (context);
  return _URC_NO_REASON;
}

/* Take the frames below that of PC from TRACE.  Return whether it has one.  */
static bool
skip_handler (struct trace *trace, uintptr_t pc)
{
  int first = 0;

  while (first < trace->count && (uintptr_t) trace->pc[first] != pc)
    ++first;
  if (first == trace->count)
    return false;
  trace->count -= first;
  memmove (trace->pc, trace->pc + first, trace->count * sizeof *trace->pc);
  return true;
}

/* Whether all frames of TRACE from FIRST on are in loaded objects.  */
static bool
is_in_code (const struct trace *trace, int first)
{
  struct dl_find_object object;

  for (int i = first; i < trace->count; ++i)
    if (_dl_find_object (trace->pc[i] - 1, &object) != 0)
      return false;
  return true;
}

/* Compare the traces of the stack that a signal has interrupted.  FAULT says
   that libgcc's ended by a fault.  */
static enum kind
judge (struct trace *ours, struct trace *oracle, bool fault,
       const ucontext_t *context)
{
  bool full = ours->count == FRAMES_MAX || oracle->count == FRAMES_MAX;
  int common = 0;

  /* libgcc tells of the end by a zero.  */
  if (oracle->count > 0 && oracle->pc[oracle->count - 1] == NULL)
    --oracle->count;
  bool found = skip_handler (ours, interrupted_pc (context));
  if (fault || !skip_handler (oracle, interrupted_pc (context)))
    oracle->count = 0;
  while (common < ours->count && common < oracle->count
	 && ours->pc[common] == oracle->pc[common])
    ++common;
  bool ours_ends = common == ours->count;
  bool oracle_ends = common == oracle->count;
  if (found && ((ours_ends && oracle_ends)
		|| (full && (ours_ends || oracle_ends))))
    return EQUAL;
  enum kind kind = (!found ? LOST : fault ? FAULT : ours_ends ? SHORTER
		    : oracle_ends && is_in_code (ours, common) ? LONGER
		    : OTHER);
  record (kind, ours, oracle, common, context);
  return kind;
}

/* While libgcc throws an exception it rewrites its own frames, and cannot read
   them.  Where to continue if its trace faults; else null.  */
static __thread sigjmp_buf *volatile on_fault;

/* Whether backtrace runs, which may not fault; and how often it has run.  */
static __thread volatile bool in_ours;
static __thread volatile unsigned long int calls;

static void
handle_fault (int number, siginfo_t *info, void *context)
{
  if (on_fault != NULL)
    siglongjmp (*on_fault, 1);
  if (in_ours)
    atomic_fetch_add (&samples->counts[CRASHED], 1);
  /* The program's own; it comes again.  */
  signal (number, SIG_DFL);
}

/* Each second of a thread's time: end the process if backtrace still does what
   it did a second ago.  */
static void
handle_watch (int number, siginfo_t *info, void *context)
{
  static __thread unsigned long int last;

  if (info->si_code != SI_TIMER || samples == NULL)
    return;
  if (in_ours && calls == last)
    {
      atomic_fetch_add (&samples->counts[HUNG], 1);
      _exit (125);
    }
  last = calls;
}

/* One in N.  */
static bool
chance (long int n)
{
  return n != 0 && rand_r (&seed) % n == 0;
}

/* Store the trace of backtrace in *TRACE.  */
static void
ask_ours (struct trace *trace)
{
  in_ours = true;
  ++calls;
  while (chance (hang))
    hang = 1;
  if (chance (crash))
    backtrace ((void **) sizeof (void *), 1);
  trace->count = backtrace (trace->pc, FRAMES_MAX);
  in_ours = false;
  if (chance (spoil))
    --trace->count;
  if (chance (extra) && trace->count < FRAMES_MAX)
    trace->pc[trace->count++] = skip_handler;
}

/* Store libgcc's trace in *TRACE.  Return false if it faulted.  */
static bool
ask_oracle (struct trace *trace)
{
  sigjmp_buf back;
  bool good = sigsetjmp (back, 0) == 0;

  trace->count = 0;
  if (good)
    {
      on_fault = &back;
      _Unwind_Backtrace (add_frame, trace);
    }
  on_fault = NULL;
  return good;
}

static void
take_sample (const ucontext_t *context)
{
  for (int i = 0; i < BUFFERS; ++i)
    if (!atomic_flag_test_and_set (&buffers[i].used))
      {
	struct trace *ours = &buffers[i].ours, *oracle = &buffers[i].oracle;
	ask_ours (ours);
	bool fault = !ask_oracle (oracle);
	enum kind kind = judge (ours, oracle, fault, context);
	atomic_fetch_add (&samples->counts[kind], 1);
	atomic_flag_clear (&buffers[i].used);
	return;
      }
  atomic_fetch_add (&samples->counts[DROPPED], 1);
}

/* Traps after each instruction.  */

#if defined __x86_64__
/* System calls that could block the trap: it would end the program then.  */
static const short int blocking[] =
  {
    SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigsuspend, SYS_rt_sigaction,
    SYS_ppoll, SYS_pselect6, SYS_epoll_pwait, SYS_epoll_pwait2, SYS_execve,
    SYS_execveat, SYS_clone, SYS_clone3
  };

static bool
may_block (const ucontext_t *context)
{
  const unsigned char *code = (const void *) interrupted_pc (context);

  if (code[0] != 0x0f || code[1] != 0x05)
    return false;
  for (size_t i = 0; i < sizeof blocking / sizeof *blocking; ++i)
    if (context->uc_mcontext.gregs[REG_RAX] == blocking[i])
      return true;
  return false;
}

/* Trap after the next instruction, as long as there are steps to do.  */
static void
step (ucontext_t *context)
{
  const greg_t trap_flag = 0x100;
  greg_t *flags = &context->uc_mcontext.gregs[REG_EFL];

  if (steps_left > 0 && !may_block (context))
    {
      *flags |= trap_flag;
      --steps_left;
    }
  else
    {
      *flags &= ~trap_flag;
      steps_left = 0;
    }
}
#else
static void
step (ucontext_t *context)
{
}
#endif

static void
handle_trap (int number, siginfo_t *info, void *context)
{
  int saved = errno;

  if (steps_left > 0)
    take_sample (context);
  step (context);
  errno = saved;
}

/* The timer of a thread.  */

static long int
microseconds_since (const struct timespec *past, const struct timespec *now)
{
  return ((now->tv_sec - past->tv_sec) * 1000000
	  + (now->tv_nsec - past->tv_nsec) / 1000);
}

/* Let the timer expire once, after a random time.  A thread that has done
   little since is left alone for longer: system calls of a program may not
   like to be interrupted.  */
static void
set_timer (void)
{
  struct timespec now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  if (microseconds_since (&worked, &now) < delay / 8 && delay < 200000)
    delay *= 2;
  else
    delay = period;
  worked = now;
  long int wait = delay / 2 + rand_r (&seed) % delay;
  struct itimerspec when
    = { .it_value = { wait / 1000000, wait % 1000000 * 1000 + 1 } };
  syscall (SYS_timer_settime, timer, 0, &when, NULL);
}

static void
handle_sample (int number, siginfo_t *info, void *context)
{
  int saved = errno;

  if (info->si_code == SI_TIMER && samples != NULL)
    {
      take_sample (context);
      steps_left = (sigismember (&((ucontext_t *) context)->uc_sigmask,
				 SIGTRAP) ? 0 : steps);
      step (context);
      set_timer ();
    }
  errno = saved;
}

static void
make_alternate_stack (void)
{
  stack_t stack = { .ss_size = ALTERNATE_SIZE };

  stack.ss_sp = mmap (NULL, stack.ss_size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack.ss_sp != MAP_FAILED)
    sigaltstack (&stack, NULL);
}

/* Make a timer of CLOCK that sends this thread the signal NUMBER.  Return -1
   if there is none.  */
static int
make_timer (clockid_t clock, int number)
{
  struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID,
			    .sigev_signo = number };
  int made;

  event._sigev_un._tid = gettid ();
  return syscall (SYS_timer_create, clock, &event, &made) == 0 ? made : -1;
}

static void
start_thread (void)
{
  const struct itimerspec each = { { WATCH_PERIOD, 0 }, { WATCH_PERIOD, 0 } };
  sigset_t set;

  if (on_stack)
    make_alternate_stack ();
  seed = gettid ();
  delay = period;
  timer = make_timer (CLOCK_MONOTONIC, SAMPLE_SIGNAL);
  watch = make_timer (CLOCK_THREAD_CPUTIME_ID, WATCH_SIGNAL);
  if (timer < 0 || watch < 0)
    return;
  syscall (SYS_timer_settime, watch, 0, &each, NULL);
  sigemptyset (&set);
  sigaddset (&set, SAMPLE_SIGNAL);
  sigaddset (&set, WATCH_SIGNAL);
  pthread_sigmask (SIG_UNBLOCK, &set, NULL);
  set_timer ();
}

static void
end_thread (void *closure)
{
  syscall (SYS_timer_delete, timer);
  syscall (SYS_timer_delete, watch);
}

static pthread_key_t at_end;

/* What a new thread is to call.  */
struct start
{
  void *(*function) (void *);
  void *closure;
};

static void *
run_thread (void *closure)
{
  struct start start = *(struct start *) closure;

  free (closure);
  start_thread ();
  pthread_setspecific (at_end, &at_end);
  return start.function (start.closure);
}

int
pthread_create (pthread_t *thread, const pthread_attr_t *attributes,
		void *(*function) (void *), void *closure)
{
  static __typeof (pthread_create) *real;

  if (real == NULL)
    real = dlsym (RTLD_NEXT, "pthread_create");
  struct start *start = samples == NULL ? NULL : malloc (sizeof *start);
  if (start == NULL)
    return real (thread, attributes, function, closure);
  *start = (struct start) { function, closure };
  int error = real (thread, attributes, run_thread, start);
  if (error != 0)
    free (start);
  return error;
}

/* Processes.  */

/* Make the file of this process and map it.  There can be several, since the
   PID stays the same at exec.  */
static void
make_file (void)
{
  char name[4096];
  int fd = -1;

  for (int i = 0; fd < 0 && i < 1000; ++i)
    {
      snprintf (name, sizeof name, "%s/%s.%d.%d", directory,
		program_invocation_short_name, getpid (), i);
      fd = open (name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (fd < 0 && errno != EEXIST)
	return;
    }
  if (fd < 0)
    return;
  if (ftruncate (fd, sizeof *samples) == 0)
    samples = mmap (NULL, sizeof *samples, PROT_READ | PROT_WRITE, MAP_SHARED,
		    fd, 0);
  if (samples == MAP_FAILED)
    samples = NULL;
  close (fd);
}

static void
start_process (void)
{
  samples = NULL;
  make_file ();
  if (samples != NULL)
    start_thread ();
}

/* A child of fork has no timer, and shares the file of its parent.  */
static void
start_child (void)
{
  munmap (samples, sizeof *samples);
  for (int i = 0; i < BUFFERS; ++i)
    atomic_flag_clear (&buffers[i].used);
  start_process ();
}

static void
set_handler (int number, void (*handler) (int, siginfo_t *, void *))
{
  struct sigaction action
    = { .sa_sigaction = handler,
	.sa_flags = (SA_SIGINFO | SA_RESTART | (on_stack ? SA_ONSTACK : 0)
		     | (handler == handle_fault ? SA_NODEFER : 0)) };

  if (handler != handle_fault && handler != handle_watch)
    sigaddset (&action.sa_mask, SAMPLE_SIGNAL);
  sigaction (number, &action, NULL);
}

static long int
read_number (const char *name, long int otherwise)
{
  const char *value = getenv (name);

  return value == NULL ? otherwise : atol (value);
}

static void __attribute__ ((constructor))
start (void)
{
  struct trace *trace = &buffers[0].oracle;

  directory = getenv ("SAMPLER_FILES");
  if (directory == NULL)
    return;
  directory = strdup (directory);
  period = read_number ("SAMPLER_PERIOD", period);
  steps = read_number ("SAMPLER_STEPS", steps);
  on_stack = read_number ("SAMPLER_STACK", 0) != 0;
  spoil = read_number ("SAMPLER_SPOIL", 0);
  extra = read_number ("SAMPLER_EXTRA", 0);
  crash = read_number ("SAMPLER_CRASH", 0);
  hang = read_number ("SAMPLER_HANG", 0);
  /* The first call of libgcc's unwinder takes a lock.  */
  _Unwind_Backtrace (add_frame, trace);
  set_handler (SIGSEGV, handle_fault);
  set_handler (SIGBUS, handle_fault);
  set_handler (SAMPLE_SIGNAL, handle_sample);
  set_handler (WATCH_SIGNAL, handle_watch);
  if (steps > 0)
    set_handler (SIGTRAP, handle_trap);
  pthread_key_create (&at_end, end_thread);
  pthread_atfork (NULL, NULL, start_child);
  start_process ();
}
