/* Test backtrace in and through a module in a namespace of its own, with
   a libc of its own.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <support/xdlfcn.h>
#include <support/xthread.h>

#include <debug/tst-sframe-support.h>

static struct trace_pair pair;
static int (*collect_in_module) (void **, int, void (*) (struct trace *),
				 struct trace *);
static int (*call_back) (void (*) (void));

static void FRAME
callback_to_module (void)
{
  pair.ours.count = collect_in_module (pair.ours.pc, TRACE_MAX,
				       collect_oracle, &pair.oracle);
}

static void FRAME
callback (void)
{
  collect (&pair);
  KEEP_FRAME ();
}

static void
check (const void *function)
{
  check_no_fallback ();
  check_same_with (&pair, function);
}

/* Trace by each libc alone, then with frames of the other libc's namespace on
   the stack.  */
static void * FRAME
run (void *closure)
{
  callback_to_module ();
  check (collect_in_module);

  call_back (callback);
  check (callback);
  TEST_COMPARE (count_frames (&pair.oracle, call_back), 1);

  call_back (callback_to_module);
  check (collect_in_module);
  TEST_COMPARE (count_frames (&pair.oracle, callback_to_module), 1);
  TEST_COMPARE (count_frames (&pair.oracle, run), 1);
  return closure;
}

static int
do_test (void)
{
  void *handle = xdlmopen (LM_ID_NEWLM, "tst-sframe-dlmopen-mod.so",
			   RTLD_NOW);
  collect_in_module = xdlsym (handle, "collect_in_module");
  call_back = xdlsym (handle, "call_back");
  const void *(*address) (void) = xdlsym (handle, "address_of_backtrace");
  TEST_VERIFY (address () != backtrace);

  run (NULL);
  /* A thread made by the main libc, which the other one does not know.  */
  xpthread_join (xpthread_create (NULL, run, NULL));
  xdlclose (handle);
  return 0;
}

#include <support/test-driver.c>
