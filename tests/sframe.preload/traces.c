/* Stacks of a C program, traced by the preloaded backtrace and by libgcc.

   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: traces LIBRARY MODULE1 MODULE2

   LIBRARY is the preloaded one.  MODULE1 and MODULE2 have a function call_back
   with frames of different sizes at the same addresses.  The first trace is
   taken in a signal handler, in which malloc, dlopen and the like must not be
   called.  */

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "traces.h"

/* Functions that must not be called during a trace.  */
static volatile bool forbidden;

static void
forbid (const char *what)
{
  if (forbidden)
    {
      write (STDOUT_FILENO, what, strlen (what));
      _exit (9);
    }
}

void *__libc_malloc (size_t);

void *
malloc (size_t size)
{
  forbid ("FAIL: malloc is called\n");
  return __libc_malloc (size);
}

int
dl_iterate_phdr (int (*callback) (struct dl_phdr_info *, size_t, void *),
		 void *closure)
{
  static __typeof (dl_iterate_phdr) *real;

  forbid ("FAIL: dl_iterate_phdr is called\n");
  if (real == NULL)
    real = dlsym (RTLD_NEXT, "dl_iterate_phdr");
  return real (callback, closure);
}

void *
dlopen (const char *name, int flags)
{
  static __typeof (dlopen) *real;

  forbid ("FAIL: dlopen is called\n");
  if (real == NULL)
    real = dlsym (RTLD_NEXT, "dlopen");
  return real (name, flags);
}

/* The first trace.  */

static void *first[TRACE_MAX];
static int first_count;
static bool good;

static void
first_handler (int number)
{
  forbidden = true;
  first_count = backtrace (first, TRACE_MAX);
  forbidden = false;
}

static bool
first_is (void (*function) (void))
{
  for (int i = 0; i < first_count; ++i)
    if ((uintptr_t) first[i] - (uintptr_t) function < 256)
      return true;
  return false;
}

static void FRAME
raise_first (void)
{
  raise (SIGUSR1);
  KEEP_FRAME ();
}

extern void _start (void);

static void
test_first (void)
{
  signal (SIGUSR1, first_handler);
  raise_first ();
  result (first_is (raise_first) && first_is (_start),
	  "first trace, in a handler, without malloc and dlopen");
}

/* Recursion, qsort, handlers: each twice and more, so that rules are
   remembered.  */

static int FRAME
recurse (int depth)
{
  int value = depth > 0 ? recurse (depth - 1) : traces_agree (50);
  KEEP_FRAME ();
  return value;
}

static void
second_handler (int number)
{
  good &= traces_agree (5);
}

static int
compare (const void *a, const void *b)
{
  raise (SIGUSR2);
  good &= traces_agree (4);
  return *(const int *) a - *(const int *) b;
}

static void
test_walks (void)
{
  int numbers[] = { 3, 2, 1 };

  good = true;
  for (int i = 0; i < 4; ++i)
    good &= recurse (50);
  result (good, "recursion");
  good = true;
  signal (SIGUSR2, second_handler);
  for (int i = 0; i < 4; ++i)
    qsort (numbers, 3, sizeof numbers[0], compare);
  result (good, "qsort, and a handler in it");
}

static void *
thread (void *closure)
{
  for (int i = 0; i < 200; ++i)
    if (!recurse (60))
      return NULL;
  return closure;
}

static void
test_threads (void)
{
  pthread_t threads[4];
  void *value;
  bool all = true;

  for (int i = 0; i < 4; ++i)
    if (pthread_create (&threads[i], NULL, thread, threads) != 0)
      abort ();
  for (int i = 0; i < 4; ++i)
    all &= pthread_join (threads[i], &value) == 0 && value != NULL;
  result (all, "threads");
}

/* Two modules at the same place, one after the other.  */

static void
from_module (void)
{
  good &= traces_agree (4);
}

/* Trace from the function of MODULE, close it, and return where it was.  */
static void * FRAME
visit (void *module)
{
  int (*call_back) (void (*) (void));

  if (module == NULL)
    {
      printf ("FAIL: %s\n", dlerror ());
      exit (1);
    }
  call_back = (__typeof (call_back)) dlsym (module, "call_back");
  for (int i = 0; i < 4; ++i)
    call_back (from_module);
  dlclose (module);
  return (void *) call_back;
}

static void
test_modules (char **names)
{
  bool same = false;
  void *place[2];

  good = true;
  for (int i = 0; i < 16; ++i)
    {
      place[i % 2] = visit (dlopen (names[i % 2], RTLD_NOW));
      same |= i > 0 && place[0] == place[1];
    }
  result (same, "dlopen maps another module at the same addresses");
  result (good, "another module at the same addresses");
}

/* A module that a constructor has loaded, before that of the program: it came
   with dlopen, and is unloaded.  */

extern void *early_module;

static void
test_early (char **names)
{
  void *place;

  /* The first trace of a process remembers nothing.  */
  good = traces_agree (2);
  place = visit (early_module);
  result (place == visit (dlopen (names[1], RTLD_NOW)) && good,
	  "another module at the addresses of one that a constructor has loaded");
}

/* Stacks with anything on them.  */

static void
fault_handler (int number)
{
  static void *array[TRACE_MAX];
  int count = backtrace (array, TRACE_MAX);

  _exit (count >= 2 ? 0 : 1);
}

static uintptr_t
anything (unsigned int *seed, uintptr_t here)
{
  switch (rand_r (seed) % 5)
    {
    case 0: return 0;
    case 1: return here + rand_r (seed) % 4096 * 8;
    case 2: return (uintptr_t) rand_r (seed) << 33 | rand_r (seed);
    case 3: return (uintptr_t) recurse + rand_r (seed) % 64;
    default: return here - (uintptr_t) rand_r (seed) * 8;
    }
}

static volatile int *volatile nowhere = (volatile int *) 8;

static void FRAME
smash (unsigned int seed)
{
  volatile uintptr_t *frame = __builtin_frame_address (0);

  for (int i = 0; i < 48; ++i)
    frame[i] = anything (&seed, (uintptr_t) frame);
  *nowhere = 0;
}

static void
test_smashed (void)
{
  static char stack[64 * 1024];
  stack_t alternate = { .ss_sp = stack, .ss_size = sizeof stack };
  struct sigaction action = { .sa_handler = fault_handler,
			      .sa_flags = SA_ONSTACK };
  int bad = 0;

  sigaltstack (&alternate, NULL);
  fflush (stdout);
  for (unsigned int seed = 1; seed <= 400; ++seed)
    {
      int status;
      pid_t child = fork ();
      if (child == 0)
	{
	  sigaction (SIGSEGV, &action, NULL);
	  smash (seed);
	}
      waitpid (child, &status, 0);
      bad += status != 0;
    }
  if (bad != 0)
    printf ("%d of 400 children died in the trace\n", bad);
  result (bad == 0, "400 overwritten stacks");
}

int
main (int argc, char **argv)
{
  Dl_info info;

  if (argc != 4)
    return 1;
  test_first ();
  result (dladdr ((void *) backtrace, &info) != 0
	  && strstr (info.dli_fname, "libsframe-backtrace") != NULL,
	  "backtrace is that of the library");
  result (dlmopen (LM_ID_NEWLM, argv[1], RTLD_NOW) == NULL,
	  "dlmopen does not load the library");
  test_early (argv + 2);
  test_walks ();
  test_threads ();
  test_modules (argv + 2);
  test_smashed ();
  return 0;
}
