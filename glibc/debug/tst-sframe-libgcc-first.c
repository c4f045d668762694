/* Test that a signal handler which interrupts libgcc's first trace can call
   backtrace at code that was registered with libgcc: that trace computes
   something under pthread_once.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Single-steps the trace.  In each of some processes a signal is sent at
   another instruction after the call of pthread_once.  */

#include <execinfo.h>
#include <gnu/lib-names.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

#include <support/namespace.h>
#include <support/support.h>
#include <support/xsignal.h>

#include "tst-sframe-jit-code.h"

#if HAVE_SFRAME_X86

#define TIMEOUT 100

enum
{
  TRACE_MAX = 100,
  TRAP_FLAG = 0x100,
  /* More than pthread_once and what it calls have.  */
  INSTRUCTIONS = 250,
  /* Some of these are within what must not be interrupted, which has tens.  */
  DISTANCE = 5,
};

static void (*code) (void (*) (void));
/* How many instructions were executed; and at which one pthread_once was
   called, in memory that all processes share.  */
static int steps, *once;
/* The instruction at which to send a signal.  */
static int send_at;
static bool stepping;
static volatile int handled;
static int count, in_handler;

static void __attribute_optimization_barrier__
trace_in_handler (void)
{
  void *pc[TRACE_MAX];

  in_handler = backtrace (pc, TRACE_MAX);
  asm volatile ("" ::: "memory");
}

static void
take_trace (void)
{
  void *pc[TRACE_MAX];

  stepping = true;
  raise (SIGTRAP);
  count = backtrace (pc, TRACE_MAX);
  stepping = false;
  raise (SIGTRAP);
}

static void
usr1_handler (int signo)
{
  ++handled;
  code (trace_in_handler);
}

static void
trap_handler (int signo, siginfo_t *info, void *closure)
{
  greg_t *registers = ((ucontext_t *) closure)->uc_mcontext.gregs;

  if (stepping)
    registers[REG_EFL] |= TRAP_FLAG;
  else
    registers[REG_EFL] &= ~TRAP_FLAG;
  ++steps;
  if (*once == 0 && registers[REG_RIP] == (greg_t) pthread_once)
    *once = steps;
  if (steps == send_at)
    raise (SIGUSR1);
}

/* A process whose handler, if it is called, finds more frames than the trace
   that it has interrupted.  */
static void
trace_and_send (void *closure)
{
  static struct frame_table table;
  struct sigaction sa
    = { .sa_sigaction = trap_handler, .sa_flags = SA_SIGINFO };
  int *at = closure;

  void *handle = xdlopen (LIBGCC_S_SO, RTLD_NOW);
  code = make_code (&table);
  register_table (handle, &table);
  xsignal (SIGUSR1, usr1_handler);
  xsigaction (SIGTRAP, &sa, NULL);
  send_at = *at;
  /* A process that waits for itself ends.  */
  alarm (10);
  code (take_trace);
  TEST_VERIFY (count > 2);
  TEST_COMPARE (handled, send_at != 0);
  TEST_VERIFY (send_at == 0 || in_handler > count);
}

static int
do_test (void)
{
  int at = 0;

  once = support_shared_allocate (sizeof (*once));
  support_isolate_in_subprocess (trace_and_send, &at);
  printf ("info: pthread_once is called at instruction %d\n", *once);
  if (*once == 0)
    FAIL_EXIT1 ("libgcc has not called pthread_once");
  for (at = *once; at < *once + INSTRUCTIONS; at += DISTANCE)
    support_isolate_in_subprocess (trace_and_send, &at);
  support_shared_free (once);
  return 0;
}

#else
# include "tst-sframe-no-asm.h"
#endif

#include <support/test-driver.c>
