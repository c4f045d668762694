// Call backtrace in a handler of SIGPROF, while threads throw, load objects,
// fork and end.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Usage: storm TRACES HERTZ
//
// Timers send HERTZ signals for each second of wall-clock time and for each
// second of processor time, until TRACES traces are taken and enough of the
// other operations are done, however long that takes.  Nearly all traces must
// end where a trace of main or of a thread ends; those from start-up code
// without tables do not.  Prints counts; the exit status is 0 if all results
// are right.  The caller must have a time limit.

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

#include <dirent.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <malloc.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace
{

constexpr int FRAMES = 128;

std::atomic<long> traces, frames, short_traces, thrown, loaded, forked, ended;
std::atomic<int> errors;
std::atomic<bool> stop;

// Of each other deed there is one for so many traces, or more.
constexpr long TRACES_PER_DEED = 150;

// Where the traces of main and of threads end, and how many did; how many others
// end in an object that is always loaded.
std::atomic<void *> ends[2];
std::atomic<long> usual_ends, wrong_ends, stray_ends;

// The objects that are loaded before the storm.
struct range
{
  uintptr_t start, end;
};
std::vector<range> always_loaded;

// Note where a trace from here ends, as number WHICH.
void
learn_end (int which)
{
  void *pc[FRAMES];
  ends[which] = pc[backtrace (pc, FRAMES) - 1];
}

int
note_object (struct dl_phdr_info *info, size_t, void *)
{
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_LOAD
	&& (info->dlpi_phdr[i].p_flags & PF_X))
      {
	uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
	always_loaded.push_back ({ start, start + info->dlpi_phdr[i].p_memsz });
      }
  return 0;
}

// Whether END is in no object, and the frame that was INTERRUPTED is not in libgcc,
// which rewrites its own frames to throw an exception.  The objects of the thread's
// frames cannot be unloaded meanwhile.
bool
is_stray (void *end, void *interrupted)
{
  struct dl_find_object object;

  if (_dl_find_object (static_cast<char *> (end) - 1, &object) == 0)
    return false;
  return (_dl_find_object (interrupted, &object) != 0
	  || strstr (object.dlfo_link_map->l_name, "/libgcc_s.") == nullptr);
}

void
judge_end (void *end)
{
  uintptr_t pc = reinterpret_cast<uintptr_t> (end);

  if (end == ends[0] || end == ends[1])
    ++usual_ends;
  else
    for (const range &object : always_loaded)
      if (object.start <= pc && pc < object.end)
	++wrong_ends;
}

void
fail (const char *what)
{
  fprintf (stderr, "storm: %s\n", what);
  ++errors;
}

// Note what backtrace says.  Less than the handler, its frame and what was
// interrupted is a trace that was given up.
void
take_trace (int)
{
  void *pc[FRAMES];
  int saved_errno = errno = ENOTTY;
  int count = backtrace (pc, FRAMES);
  ++traces;
  frames += count;
  if (count < 3)
    ++short_traces;
  else
    {
      stray_ends += is_stray (pc[count - 1], pc[2]);
      judge_end (pc[count - 1]);
    }
  if (errno != saved_errno)
    ++errors;
}

struct resource
{
  std::vector<int> *memory = new std::vector<int> (20);
  ~resource () { delete memory; }
};

void __attribute__ ((noinline))
throw_from (int depth)
{
  resource local;
  if (depth == 0)
    throw std::runtime_error ("storm");
  throw_from (depth - 1);
}

void
throw_always ()
{
  for (int i = 0; !stop; ++i)
    try
      {
	throw_from (i % 20);
      }
    catch (const std::exception &)
      {
	++thrown;
      }
}

void
load_always (const char *name)
{
  while (!stop)
    {
      void *handle = dlopen (name, RTLD_NOW);
      if (handle == nullptr || dlclose (handle) != 0)
	fail (dlerror ());
      ++loaded;
    }
}

// A child that traces its own stack at once, and ends.
void
fork_always ()
{
  while (!stop)
    {
      pid_t child = fork ();
      if (child == 0)
	{
	  void *pc[FRAMES];
	  _exit (backtrace (pc, FRAMES) < 2);
	}
      int status;
      pid_t waited;
      do
	waited = waitpid (child, &status, 0);
      while (waited < 0 && errno == EINTR);
      if (waited != child || status != 0)
	fail ("a child did not end well");
      ++forked;
    }
}

void
start_always ()
{
  while (!stop)
    {
      std::thread ([] { ++ended; }).join ();
    }
}

// What must not grow.
struct usage
{
  long mappings, descriptors, memory;
};

long
count_lines (const char *name)
{
  long lines = 0;
  FILE *stream = fopen (name, "r");
  for (int c; stream != nullptr && (c = getc (stream)) != EOF;)
    lines += c == '\n';
  if (stream != nullptr)
    fclose (stream);
  return lines;
}

// dlclose keeps what a trace may read until a later dlopen finds that no trace
// runs.  None does after a round.
void
release_objects ()
{
  void *handle = dlopen ("libanl.so.1", RTLD_NOW);
  if (handle == nullptr || dlclose (handle) != 0)
    fail (dlerror ());
}

usage
measure ()
{
  usage now = {};
  release_objects ();
  DIR *dir = opendir ("/proc/self/fd");
  while (dir != nullptr && readdir (dir) != nullptr)
    ++now.descriptors;
  if (dir != nullptr)
    closedir (dir);
  now.mappings = count_lines ("/proc/self/maps");
  now.memory = mallinfo2 ().uordblks;
  return now;
}

timer_t
start_timer (long hertz)
{
  timer_t timer;
  struct sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGPROF;
  struct itimerspec wall = {};
  wall.it_interval.tv_nsec = wall.it_value.tv_nsec = 1000000000 / hertz;
  struct itimerval busy = {};
  busy.it_interval.tv_usec = busy.it_value.tv_usec = 1000000 / hertz;
  if (timer_create (CLOCK_MONOTONIC, &event, &timer) != 0
      || timer_settime (timer, 0, &wall, nullptr) != 0
      || setitimer (ITIMER_PROF, &busy, nullptr) != 0)
    fail ("timer");
  return timer;
}

void
stop_timer (timer_t timer)
{
  struct itimerval none = {};
  setitimer (ITIMER_PROF, &none, nullptr);
  timer_delete (timer);
}

bool
is_done (long wanted)
{
  return traces >= wanted
	 && std::min ({ thrown.load (), loaded.load (), forked.load (),
			ended.load () }) >= wanted / TRACES_PER_DEED;
}

// One round of the storm, until WANTED traces were taken since the start.
void
rage (long wanted, long hertz)
{
  stop = false;
  timer_t timer = start_timer (hertz);
  {
    std::vector<std::jthread> threads;
    threads.emplace_back (throw_always);
    threads.emplace_back (throw_always);
    threads.emplace_back (load_always, "libBrokenLocale.so.1");
    threads.emplace_back (load_always, "libanl.so.1");
    threads.emplace_back (fork_always);
    threads.emplace_back (start_always);
    // Signals interrupt sleep; only how often this looks depends on it.
    while (!is_done (wanted))
      usleep (10000);
    stop = true;
  }
  stop_timer (timer);
}

void
print_counts (const usage &before, const usage &after)
{
  printf ("traces %ld frames %ld short %ld thrown %ld loaded %ld forked %ld"
	  " threads %ld\n", traces.load (), frames.load (),
	  short_traces.load (), thrown.load (), loaded.load (),
	  forked.load (), ended.load ());
  printf ("usual ends %ld, wrong %ld, in no object %ld\n", usual_ends.load (),
	  wrong_ends.load (), stray_ends.load ());
  printf ("mappings %ld then %ld, descriptors %ld then %ld, memory %ld then"
	  " %ld\n", before.mappings, after.mappings, before.descriptors,
	  after.descriptors, before.memory, after.memory);
}

void
check_results (const usage &before, const usage &after)
{
  if (short_traces != 0)
    fail ("traces that end too early");
  // Code without a table: in libraries that are being loaded or unloaded _init,
  // _fini and their callees, which wait for fork's lock, in two to twelve of 1,000
  // traces; otherwise a few instructions of libgcc and of landing pads, in two of
  // 10,000.
  if (ends[0] == ends[1] || usual_ends < traces / 100 * 97)
    fail ("traces that end elsewhere");
  if (wrong_ends > traces / 2000)
    fail ("traces that end in an object that is always loaded");
  if (stray_ends != 0)
    fail ("traces that end in no object");
  if (after.descriptors != before.descriptors)
    fail ("descriptors leak");
  // The number of arenas varies a little; a leak at each trace exceeds that.
  if (after.mappings > before.mappings + 32)
    fail ("mappings leak");
  if (after.memory > before.memory + (1 << 20))
    fail ("memory leaks");
}

}

int
main (int argc, char **argv)
{
  if (argc != 3)
    {
      fputs ("usage: storm TRACES HERTZ\n", stderr);
      return 2;
    }
  long wanted = atol (argv[1]);
  long hertz = atol (argv[2]);
  struct sigaction action = {};
  action.sa_handler = take_trace;
  action.sa_flags = SA_RESTART;
  sigaction (SIGPROF, &action, nullptr);

  dl_iterate_phdr (note_object, nullptr);
  learn_end (0);
  std::thread (learn_end, 1).join ();

  // The first round allocates what stays allocated: arenas, stacks, caches.
  rage (wanted / 4, hertz);
  usage before = measure ();
  rage (wanted, hertz);
  usage after = measure ();

  print_counts (before, after);
  check_results (before, after);
  return errors != 0;
}
