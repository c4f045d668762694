/* Test that backtrace survives a return address into an object that another
   thread is unloading, and that what is unloaded does go away.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <stdatomic.h>
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>

#include <support/xdlfcn.h>
#include <support/xthread.h>
#include <support/xunistd.h>

#include "tst-sframe-overwrite.h"

#if HAVE_SFRAME_ASM

enum
{
  THREADS = 3,
  ROUNDS = 8000,
  /* An emulated machine does fewer.  */
  SECONDS = 5,
};

static const char *const modules[] =
  { "tst-sframe-cache-unload-mod1.so", "tst-sframe-cache-unload-stripped1.so" };

/* Where a module was last.  */
static _Atomic uintptr_t stale;
static atomic_bool finished;
static atomic_int traces, looked;

/* Return addresses in all of the module's code, so that most have no rule that
   is remembered.  */
static void FRAME
trace_stale (unsigned int seed)
{
  static __thread struct trace trace;
  uintptr_t base = atomic_load (&stale);
  if (base == 0)
    return;
  void *ra = (void *) (base + seed % 256);
  smash_ra (&ra, &trace);
  TEST_VERIFY (trace.count >= 2);
  atomic_fetch_add (&traces, 1);
  if (trace.count > 3)
    atomic_fetch_add (&looked, 1);
}

static void *
tracing_thread (void *closure)
{
  for (unsigned int i = 0; !atomic_load (&finished); ++i)
    trace_stale (i * 7);
  return closure;
}

static bool
is_mapped (const char *name)
{
  FILE *fp = xfopen ("/proc/self/maps", "r");
  char line[4096];
  bool found = false;
  while (!found && fgets (line, sizeof line, fp) != NULL)
    found = strstr (line, name) != NULL;
  xfclose (fp);
  return found;
}

static void
load_and_unload (const char *module)
{
  void *handle = xdlopen (module, RTLD_NOW);
  atomic_store (&stale, (uintptr_t) xdlsym (handle, "call_back"));
  xdlclose (handle);
}

/* Load and unload the modules in turn; return how many times.  */
static int
reload (void)
{
  time_t end = time (NULL) + SECONDS;
  int rounds = 0;
  while (rounds < ROUNDS && time (NULL) < end)
    load_and_unload (modules[rounds++ % 2]);
  return rounds;
}

static int
do_test (void)
{
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i)
    threads[i] = xpthread_create (NULL, tracing_thread, NULL);
  int rounds = reload ();
  atomic_store (&finished, true);
  for (int i = 0; i < THREADS; ++i)
    xpthread_join (threads[i]);
  printf ("info: %d rounds, %d traces, %d found the object\n", rounds,
	  atomic_load (&traces), atomic_load (&looked));
  TEST_VERIFY (rounds > 100);
  TEST_VERIFY (atomic_load (&traces) > rounds / 10);

  /* With no trace at work, what was kept goes with the next call.  */
  load_and_unload (modules[0]);
  TEST_VERIFY (!is_mapped ("tst-sframe-cache-unload"));
  return 0;
}

#else
static int
do_test (void)
{
  FAIL_UNSUPPORTED ("not written for this machine");
}
#endif

#include <support/test-driver.c>
