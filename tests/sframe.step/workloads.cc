// Programs to be stepped through: each has one kind of code that unwinders
// must handle.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Usage: workloads NAME [TIMES]
//
// The program is linked with lazy binding, so that each first call runs the
// dynamic linker.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <execinfo.h>
#include <malloc.h>
#include <pthread.h>
#include <regex.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "results.h"

namespace
{

// An answer that does not depend on the tracer; main compares it.
volatile long answer;

void
sort_vector (int n)
{
  std::vector<std::string> words;
  for (int i = 0; i < n; ++i)
    words.push_back (std::to_string (i * 7919L % 1000));
  std::sort (words.begin (), words.end ());
  answer = words.front () <= words.back ();
}

int
compare (const void *left, const void *right)
{
  return *static_cast<const int *> (left) - *static_cast<const int *> (right);
}

void
call_qsort (int n)
{
  std::vector<int> numbers;
  for (int i = 0; i < n; ++i)
    numbers.push_back (i * 7919 % 1000);
  qsort (numbers.data (), numbers.size (), sizeof (int), compare);
  answer = std::is_sorted (numbers.begin (), numbers.end ());
}

void
print (int n)
{
  char text[400];
  int written = 0;
  for (int i = 0; i < n; ++i)
    written = snprintf (text, sizeof text, "%d %s %.3f %-20p %#llx", i,
			"word", i / 3.0, static_cast<void *> (text),
			1ULL << i % 60);
  answer = written > 30;
}

void
allocate (int n)
{
  std::vector<void *> blocks;
  for (int i = 1; i < n; ++i)
    {
      blocks.push_back (malloc (i * 977 % 200000));
      blocks.push_back (calloc (3, i * 13));
      blocks.back () = realloc (blocks.back (), i * 29);
      if (i % 3 == 0)
	{
	  free (blocks.front ());
	  blocks.erase (blocks.begin ());
	}
    }
  for (void *block : blocks)
    free (block);
  malloc_trim (0);
  answer = 1;
}

// libz has constructors of no kind, libstdc++ many.
void
load (int n)
{
  static const char *const names[] = { "libm.so.6", "libdl.so.2",
				       "libanl.so.1", "libutil.so.1" };
  int loaded = 0;
  for (int i = 0; i < n; ++i)
    {
      void *handle = dlopen (names[i % 4], RTLD_NOW);
      loaded += handle != nullptr;
      if (handle != nullptr)
	dlclose (handle);
    }
  answer = loaded == n && dlopen ("libnone.so", RTLD_NOW) == nullptr;
}

struct guard
{
  ~guard () { answer = answer + 1; }
};

void
thrower (int depth)
{
  guard local;
  if (depth == 0)
    throw std::runtime_error ("deep");
  thrower (depth - 1);
}

void
throw_exceptions (int n)
{
  int caught = 0;
  answer = 0;
  for (int i = 0; i < n; ++i)
    try
      {
	try
	  {
	    thrower (i % 5);
	  }
	catch (const std::runtime_error &)
	  {
	    throw;
	  }
      }
    catch (...)
      {
	++caught;
      }
  answer = caught == n && answer >= n;
}

void *
finish (void *)
{
  answer = strtol ("17", nullptr, 10);
  return nullptr;
}

// Who cancels a thread waits for this: the thread is about to be in a system
// call then, for which no symbol has to be bound.  So SIGCANCEL meets it there.
sem_t about_to_wait;
int (*volatile wait_for_signal) () = pause;

void *
wait_for_cancel (void *)
{
  guard local;
  auto wait = wait_for_signal;
  sem_post (&about_to_wait);
  for (;;)
    wait ();
}

void
run_threads (int n)
{
  int cancelled = 0;
  for (int i = 0; i < n; ++i)
    {
      pthread_t first, second;
      void *result;
      pthread_create (&first, nullptr, finish, nullptr);
      pthread_create (&second, nullptr, wait_for_cancel, nullptr);
      pthread_join (first, nullptr);
      sem_wait (&about_to_wait);
      pthread_cancel (second);
      pthread_join (second, &result);
      cancelled += result == PTHREAD_CANCELED;
    }
  answer = cancelled == n;
}

void *
cancel_itself (void *)
{
  guard local;
  pthread_cancel (pthread_self ());
  for (;;)
    pause ();
}

// Threads that end at a system call because they are cancelled, by another
// thread, which is what a short run sees, and by themselves.
void
cancel_threads (int n)
{
  int cancelled = 0;
  for (int i = 0; i < n; ++i)
    for (auto start : { wait_for_cancel, cancel_itself })
      {
	pthread_t thread;
	void *result;
	pthread_create (&thread, nullptr, start, nullptr);
	if (start == wait_for_cancel)
	  {
	    sem_wait (&about_to_wait);
	    pthread_cancel (thread);
	  }
	pthread_join (thread, &result);
	cancelled += result == PTHREAD_CANCELED;
      }
  answer = cancelled == 2 * n;
}

void
match (int n)
{
  regex_t expression;
  int found = 0;
  for (int i = 0; i < n; ++i)
    {
      regcomp (&expression, "^(a|b)*c{2,3}[[:alpha:]]+$", REG_EXTENDED);
      found += regexec (&expression, "ababccxyz", 0, nullptr, 0) == 0;
      regfree (&expression);
    }
  answer = found == n;
}

jmp_buf buffer;
sigjmp_buf signal_buffer;

int __attribute__ ((noinline))
jump (int depth)
{
  if (depth == 0)
    longjmp (buffer, 1);
  return depth > 100 ? depth : jump (depth - 1) + 1;
}

void
jump_back (int n)
{
  volatile int returned = 0;
  for (volatile int i = 0; i < n; i = i + 1)
    if (setjmp (buffer) == 0)
      jump (i % 7);
    else
      returned = returned + 1;
  answer = returned == n;
}

volatile sig_atomic_t signals;

void
count_signal (int, siginfo_t *, void *)
{
  signals = signals + 1;
}

void
nest_signal (int, siginfo_t *, void *)
{
  raise (SIGUSR1);
  signals = signals + 1;
}

void
jump_out (int, siginfo_t *, void *)
{
  siglongjmp (signal_buffer, 1);
}

void
handle (int signo, void (*handler) (int, siginfo_t *, void *))
{
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO;
  sigaction (signo, &action, nullptr);
}

void
take_signals (int n)
{
  volatile int jumped = 0;
  signals = 0;
  handle (SIGUSR1, count_signal);
  handle (SIGUSR2, nest_signal);
  handle (SIGHUP, jump_out);
  for (volatile int i = 0; i < n; i = i + 1)
    {
      raise (SIGUSR2);
      if (sigsetjmp (signal_buffer, 1) == 0)
	raise (SIGHUP);
      else
	jumped = jumped + 1;
    }
  answer = signals == 2 * n && jumped == n;
}

void
ask_time (int n)
{
  struct timespec now;
  struct timeval old;
  int good = 0;
  for (int i = 0; i < n; ++i)
    {
      good += clock_gettime (CLOCK_MONOTONIC, &now) == 0;
      good += clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now) == 0;
      good += gettimeofday (&old, nullptr) == 0;
      good += time (nullptr) > 0;
    }
  answer = good == 4 * n;
}

// Calls that are the first of their kind, one after the other.
void
bind_lazily (int)
{
  char text[100] = "some words";
  answer = (strtod ("1.5", nullptr) > 1 && strspn (text, "some") == 4
	    && strpbrk (text, " ") != nullptr && memchr (text, 'w', 10)
	    && strrchr (text, 's') != nullptr && strcasecmp ("A", "a") == 0
	    && strstr (text, "word") != nullptr && labs (-1) == 1
	    && getpid () > 0 && getenv ("none") == nullptr);
}

// Loaded before anybody looks.
void *const tls_module = dlopen (TLS_MODULE, RTLD_NOW);

void *
count_variables (void *)
{
  auto next = reinterpret_cast<int *(*) ()> (dlsym (tls_module,
						    "next_variable"));
  for (int i = 0; i < 3; ++i)
    ++*next ();
  return next ();
}

// Accesses to thread-local variables, some the first of their thread.
void
access_variables (int n)
{
  int good = 0;
  for (int i = 0; i < n; ++i)
    {
      pthread_t thread;
      void *theirs = nullptr;
      pthread_create (&thread, nullptr, count_variables, nullptr);
      pthread_join (thread, &theirs);
      good += theirs != nullptr && theirs != count_variables (nullptr);
    }
  answer = good == n;
}

// The trace is interrupted at each of its own instructions; what it tells in
// the end must not show that.  From the second frame on: the first is this
// one, at another place each time.
void __attribute__ ((noinline))
trace_itself (int n)
{
  void *first[64], *next[64];
  int same = 0;
  int count = backtrace (first, 64);
  for (int i = 0; i < n; ++i)
    same += (backtrace (next, 64) == count
	     && memcmp (first + 1, next + 1, (count - 1) * sizeof *next) == 0);
  answer = count > 2 && same == n;
}

struct workload
{
  void (*run) (int);
  int times;
};

const std::map<std::string, workload> workloads = {
  { "sort", { sort_vector, 40 } },
  { "qsort", { call_qsort, 60 } },
  { "printf", { print, 6 } },
  { "malloc", { allocate, 40 } },
  { "dlopen", { load, 5 } },
  { "throw", { throw_exceptions, 3 } },
  { "threads", { run_threads, 2 } },
  { "cancel", { cancel_threads, 1 } },
  { "regex", { match, 1 } },
  { "longjmp", { jump_back, 20 } },
  { "signals", { take_signals, 10 } },
  { "vdso", { ask_time, 20 } },
  { "plt", { bind_lazily, 1 } },
  { "tls", { access_variables, 2 } },
  { "backtrace", { trace_itself, 4 } },
};

}

int
main (int argc, char **argv)
{
  auto found = workloads.find (argc > 1 ? argv[1] : "");
  if (found == workloads.end ())
    {
      fputs ("usage: workloads NAME [TIMES]\n", stderr);
      return 2;
    }
  int times = argc > 2 ? atoi (argv[2]) : found->second.times;
  if (getenv (LATER_VARIABLE) != nullptr)
    raise (SIGTRAP);
  found->second.run (times);
  if (answer == 0)
    fprintf (stderr, "%s: wrong answer\n", argv[1]);
  // Those who wait for answers are not to wait for destructors.
  return answer == 0;
}
