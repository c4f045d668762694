/* Test that backtrace survives a return address into an object that another
   thread is unloading, that it changes no link map, and that unloaded objects
   are unmapped in the end.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <array_length.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include <gnu/lib-names.h>

#include <support/check.h>
#include <support/support.h>
#include <support/xdlfcn.h>
#include <support/xthread.h>
#include <support/xunistd.h>

#include "tst-sframe-overwrite.h"

#if HAVE_SFRAME_ASM

enum
{
  THREADS = 3,
  ROUNDS = 8000,
  /* An emulator makes fewer rounds in that time, but not less than these.  */
  SECONDS = 5,
  ROUNDS_LEAST = 20,
};

/* The address at which a module with the function was last loaded.  */
static _Atomic uintptr_t stale;
static atomic_bool finished;
static atomic_int traces, looked;

/* Use return addresses from all of the module's code, so that most have no
   cached rule.  */
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

/* A return address into data makes backtrace look for libgcc in the list of
   objects.  */
static void FRAME
trace_data (unsigned int seed)
{
  static char data[64];
  static __thread struct trace trace;
  void *ra = data + sizeof data / 2;
  smash_ra (&ra, &trace);
  TEST_COMPARE (trace.count, 3);
  atomic_fetch_add (&traces, 1);
  /* dlclose unmaps an object at once only while there is no trace.  */
  for (volatile unsigned int i = seed % 400; i > 0; --i)
    ;
}

/* Store a return address where a module's function would have its own: zero
   would end the trace.  */
static void *
tracing_thread (void *closure)
{
  void (*const *trace) (unsigned int) = closure;
  uintptr_t words[256];
  for (int i = 0; i < array_length (words); ++i)
    words[i] = 1;
  USE (words);
  for (unsigned int i = 0; !atomic_load (&finished); ++i)
    (*trace) (i * 7);
  return NULL;
}

static void
load_and_unload (const char *module)
{
  void *handle = xdlopen (module, RTLD_NOW);
  atomic_store (&stale, (uintptr_t) dlsym (handle, "call_back"));
  xdlclose (handle);
}

/* Load and unload the two modules in turn; return the number of rounds.  A
   trace or more must have found a module that was LOOKED_FOR; where that takes
   too long the test does.  */
static int
reload (const char *const *modules, bool looked_for)
{
  time_t end = time (NULL) + SECONDS;
  int rounds = 0;
  while ((rounds < ROUNDS && time (NULL) < end)
	 || rounds < ROUNDS_LEAST
	 || atomic_load (&traces) < rounds / 10
	 || (looked_for && atomic_load (&looked) == 0))
    load_and_unload (modules[rounds++ % 2]);
  return rounds;
}

/* Do that while COUNT threads call TRACE in a loop.  */
static void
run (void (*trace) (unsigned int), int count, const char *const *modules,
     bool looked_for)
{
  pthread_t threads[THREADS];
  atomic_store (&finished, false);
  atomic_store (&traces, 0);
  atomic_store (&looked, 0);
  for (int i = 0; i < count; ++i)
    threads[i] = xpthread_create (NULL, tracing_thread, &trace);
  int rounds = reload (modules, looked_for);
  atomic_store (&finished, true);
  for (int i = 0; i < count; ++i)
    xpthread_join (threads[i]);
  printf ("info: %d rounds, %d traces, %d found the object\n", rounds,
	  atomic_load (&traces), atomic_load (&looked));
}

/* Call trace_stale for 256 places, where a module's function would have its
   own return address.  */
static void FRAME
trace_module (void)
{
  uintptr_t words[256];
  for (int i = 0; i < array_length (words); ++i)
    words[i] = 1;
  USE (words);
  for (unsigned int i = 0; i < 256; ++i)
    trace_stale (i);
}

/* Traces through MODULE change no byte of its link map.  */
static void
check_link_map (const char *module)
{
  struct link_map *map = xdlopen (module, RTLD_NOW);
  atomic_store (&stale, (uintptr_t) xdlsym (map, "call_back"));
  atomic_store (&looked, 0);

  size_t size = malloc_usable_size (map);
  TEST_VERIFY (size > sizeof *map);
  void *copy = xmalloc (size);
  memcpy (copy, map, size);
  trace_module ();
  /* Elsewhere few traces go on: the words are no return addresses.  */
  TEST_VERIFY (!HAVE_SFRAME_X86 || atomic_load (&looked) > 0);
  TEST_COMPARE_BLOB (map, size, copy, size);
  free (copy);
  xdlclose (map);
}

static int
do_test (void)
{
  static const char *const modules[] =
    {
      "tst-sframe-cache-unload-mod1.so",
      "tst-sframe-cache-unload-stripped1.so"
    };
  check_link_map (modules[0]);
  check_link_map (modules[1]);
  run (trace_stale, THREADS, modules, true);

  /* Libraries with a DT_SONAME, by which backtrace recognizes libgcc; the test
     modules have none.  */
  static const char *const named[] = { LIBM_SO, LIBM_SO };
  run (trace_data, 1, named, false);

  /* Without a running trace, the next call releases all kept objects.  */
  load_and_unload (modules[0]);
  TEST_COMPARE (count_mappings ("tst-sframe-cache-unload"), 0);
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
