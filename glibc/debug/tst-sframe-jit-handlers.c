/* Test backtrace in signal handlers above code that the program has registered
   with libgcc (__register_frame): which of them are those of a fault, and
   which memory is read to find out.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <gnu/lib-names.h>
#include <poll.h>
#include <ucontext.h>

#include <support/namespace.h>

#include "tst-sframe-jit-code.h"
#include "tst-sframe-support.h"

#if HAVE_SFRAME_ASM

/* More than libc searches on a stack that it does not know.  */
enum { DEEP = 100 * 1024, STACK = 1024 * 1024 };

extern void __register_frame (void *);

static struct trace_pair pair;

/* The registered code, which calls its argument.  */
static void (*code) (void (*) (void));

static sigset_t nothing;

static void FRAME
trace (void)
{
  collect (&pair);
  KEEP_FRAME ();
}

static void
on_usr1 (int signo, siginfo_t *info, void *context)
{
  trace ();
}

static void
on_usr1_deep (int signo, siginfo_t *info, void *context)
{
  char array[DEEP];

  memset (array, 1, sizeof array);
  USE (array);
  trace ();
  USE (array);
}

static void
ignore (int signo)
{
}

static void
send_usr1 (void)
{
  raise (SIGUSR1);
}

/* Whether the oracle has found callers of the code.  */
static bool
passed_code (void)
{
  for (int i = 0; i < pair.oracle.count - 1; i++)
    if ((uintptr_t) pair.oracle.pc[i] - (uintptr_t) code
	< code_call_end - code_call)
      return true;
  return false;
}

/* Call back from the code, with HANDLER for SIGUSR1.  The trace must be
   whole.  */
static void
run (void (*handler) (int, siginfo_t *, void *), int flags,
     const sigset_t *mask, void (*body) (void))
{
  struct sigaction sa = { .sa_sigaction = handler,
			  .sa_flags = SA_SIGINFO | flags, .sa_mask = *mask };

  xsigaction (SIGUSR1, &sa, NULL);
  pair.ours.count = 0;
  code (body);
  TEST_VERIFY (pair.ours.count > 0 && pair.oracle.signal_frames == 1
	       && passed_code () && first_difference (&pair) < 0);
}

static void
use_alternate_stack (void)
{
  stack_t ss = { .ss_sp = xmmap (NULL, STACK, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1),
		 .ss_size = STACK };

  TEST_COMPARE (sigaltstack (&ss, NULL), 0);
}

static void
run_deep (void)
{
  use_alternate_stack ();
  run (on_usr1_deep, SA_ONSTACK, &nothing, send_usr1);
}

# if HAVE_SFRAME_X86
static void
change_mask (int signo, siginfo_t *info, void *context)
{
  sigaddset (&((ucontext_t *) context)->uc_sigmask, SIGCHLD);
  trace ();
}

/* The memory that this function does not initialize has the signal frame of
   SIGUSR2.  */
static void FRAME
trace_above_remains (void)
{
  char remains[8192];

  USE (remains);
  trace ();
  USE (remains);
}

static void
on_usr1_after_usr2 (int signo, siginfo_t *info, void *context)
{
  raise (SIGUSR2);
  trace_above_remains ();
}

static void
wait_in_sigsuspend (void)
{
  raise (SIGUSR1);
  sigsuspend (&nothing);
}

static void
wait_in_ppoll (void)
{
  raise (SIGUSR1);
  ppoll (NULL, 0, NULL, &nothing);
}

/* FAULTS is whether a fault signal has a handler.  */
static void
run_others (bool faults)
{
  sigset_t all;

  sigfillset (&all);
  run (on_usr1, 0, &all, send_usr1);
  run (change_mask, 0, &nothing, send_usr1);
  handle_signal (SIGUSR2, ignore);
  if (!faults)
    run (on_usr1_after_usr2, 0, &nothing, send_usr1);
  sigprocmask (SIG_BLOCK, &all, NULL);
  run (on_usr1, 0, &nothing, wait_in_sigsuspend);
  run (on_usr1, 0, &nothing, wait_in_ppoll);
}
# else
/* Here the signal mask decides.  */
static void
run_others (bool faults)
{
}
# endif

static void
run_all (void *closure)
{
  bool *faults = closure;

  if (*faults)
    handle_signal (SIGSEGV, ignore);
  run (on_usr1, 0, &nothing, send_usr1);
  run_deep ();
  run_others (*faults);
}

/* Exit; the trace must have ended at the code.  */
static void
exit_after_fault (void)
{
  TEST_VERIFY (passed_code ());
  TEST_VERIFY (pair.ours.count > 1 && pair.ours.count < pair.oracle.count);
  _exit (0);
}

static void
deep_in_fault (int signo, siginfo_t *info, void *context)
{
  char array[DEEP];

  USE (array);
  code (trace);
  USE (array);
  exit_after_fault ();
}

static void
replaced_in_fault (int signo)
{
  handle_signal (SIGSEGV, ignore);
  trace ();
  exit_after_fault ();
}

/* Not a constant, so that the compiler does not see the fault.  */
static void *volatile invalid;

static void
read_null (void)
{
  *(volatile int *) invalid;
}

/* The handler is that of a fault, although it does not block the signal.  */
static void
run_deep_in_fault (void *closure)
{
  struct sigaction sa
    = { .sa_sigaction = deep_in_fault,
	.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };

  use_alternate_stack ();
  xsigaction (SIGSEGV, &sa, NULL);
  read_null ();
  FAIL_EXIT1 ("no fault");
}

/* The same; where its siginfo_t would be is that of SIGUSR1, and the next
   handler of faults has one.  */
static void
run_replaced_in_fault (void *closure)
{
  struct sigaction sa = { .sa_handler = replaced_in_fault,
			  .sa_flags = SA_ONSTACK | SA_NODEFER };

  use_alternate_stack ();
  run (on_usr1, SA_ONSTACK, &nothing, send_usr1);
  xsigaction (SIGSEGV, &sa, NULL);
  code (read_null);
  FAIL_EXIT1 ("no fault");
}

/* Memory of which the program uses the lower half as a stack, and nothing of
   the upper one.  Another thread might have unmapped the upper half.  */
static char *
map_halves (void)
{
  char *memory = xmmap (NULL, 2 * STACK, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1);

  /* Fails where there are no huge pages.  */
  madvise (memory, 2 * STACK, MADV_NOHUGEPAGE);
  return memory;
}

/* How many pages of the upper half at MEMORY were touched.  */
static int
touched (char *memory)
{
  size_t page = sysconf (_SC_PAGESIZE);
  unsigned char there[STACK / 4096];
  int count = 0;

  TEST_COMPARE (mincore (memory + STACK, STACK, there), 0);
  for (size_t i = 0; i < STACK / page; i++)
    count += there[i] & 1;
  return count;
}

static void
stay_on_alternate_stack (void *closure)
{
  char *memory = map_halves ();
  stack_t ss = { .ss_sp = memory, .ss_size = STACK };

  handle_signal (SIGSEGV, ignore);
  TEST_COMPARE (sigaltstack (&ss, NULL), 0);
  run (on_usr1, SA_ONSTACK, &nothing, send_usr1);
  TEST_COMPARE (touched (memory), 0);
}

static ucontext_t main_context, coroutine;

static void
coroutine_start (void)
{
  code (trace);
  run (on_usr1, 0, &nothing, send_usr1);
}

/* Without, and with a signal frame on the coroutine's stack.  */
static void
stay_on_coroutine (void *closure)
{
  char *memory = map_halves ();

  handle_signal (SIGSEGV, ignore);
  TEST_COMPARE (getcontext (&coroutine), 0);
  coroutine.uc_stack.ss_sp = memory;
  /* Where a signal frame may be, some hundred bytes are looked at.  */
  coroutine.uc_stack.ss_size = STACK - 1024;
  coroutine.uc_link = &main_context;
  makecontext (&coroutine, coroutine_start, 0);
  TEST_COMPARE (swapcontext (&main_context, &coroutine), 0);
  TEST_COMPARE (touched (memory), 0);
}

static int
do_test (void)
{
  static struct frame_table table;

  code = make_code (&table);
  register_table (xdlopen (LIBGCC_S_SO, RTLD_NOW), &table);
  /* And with the oracle.  */
  static struct frame_table copy;
  copy = table;
  __register_frame (&copy);
  support_isolate_in_subprocess (run_all, &(bool) { false });
  support_isolate_in_subprocess (run_all, &(bool) { true });
  support_isolate_in_subprocess (run_deep_in_fault, NULL);
  support_isolate_in_subprocess (run_replaced_in_fault, NULL);
  support_isolate_in_subprocess (stay_on_alternate_stack, NULL);
  support_isolate_in_subprocess (stay_on_coroutine, NULL);
  return 0;
}

#else
# include "tst-sframe-no-asm.h"
#endif

#include <support/test-driver.c>
