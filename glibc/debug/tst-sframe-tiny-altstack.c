/* Test that a handler can call backtrace on an alternate stack of the minimal
   size, plus the stack that backtrace promises to use at most and that of the
   handler.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>

#include <support/xunistd.h>

#include "tst-sframe-support.h"
#include "tst-sframe-asm.h"

#if HAVE_SFRAME_ASM

/* See tst-sframe-guard-page.c: .eh_frame is not needed.  Then a frame for each
   of take and handler.  */
enum
{
  STACK_USE_MAX = (HAVE_SFRAME_S390X ? 2048 : HAVE_SFRAME_AARCH64 ? 1280
		   : 1024),
  OWN_FRAMES = HAVE_SFRAME_S390X ? 512 : 128,
};

static struct trace good, bad;

static void FRAME
take (struct trace *trace)
{
  trace->count = backtrace (trace->pc, TRACE_MAX);
  KEEP_FRAME ();
}

static void
handler (int signo, siginfo_t *info, void *context)
{
  take (&bad);
  CONTEXT_PC ((ucontext_t *) context) += FAULT_SIZE;
}

static void FRAME
fault (bool really)
{
  if (really)
    asm volatile (ASM_FAULT);
  else
    take (&good);
  KEEP_FRAME ();
}

/* One call, so that both traces have the same return addresses.  */
static void FRAME
run (void)
{
  for (volatile int i = 0; i < 2; ++i)
    fault (i == 1);
  KEEP_FRAME ();
}

static int
do_test (void)
{
  size_t page = sysconf (_SC_PAGESIZE);
  size_t size = sysconf (_SC_MINSIGSTKSZ) + STACK_USE_MAX + OWN_FRAMES;
  char *memory = xmmap (NULL, size + page, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1);
  /* The stack begins right above an inaccessible page.  */
  xmprotect (memory, page, PROT_NONE);
  stack_t ss = { .ss_sp = memory + page, .ss_size = size };
  TEST_COMPARE (sigaltstack (&ss, NULL), 0);
  struct sigaction sa = { .sa_sigaction = handler,
			  .sa_flags = SA_SIGINFO | SA_ONSTACK };
  xsigaction (FAULT_SIGNAL, &sa, NULL);

  run ();
  check_no_fallback ();
  /* Compare the common frames: skip take and fault in one trace, and take,
     handler, the trampoline and fault in the other.  */
  int tail = good.count - 2;
  TEST_VERIFY (tail > 2);
  TEST_COMPARE (bad.count, tail + 4);
  TEST_COMPARE_BLOB (bad.pc + 4, tail * sizeof (void *),
		     good.pc + 2, tail * sizeof (void *));
  return 0;
}

#else
static int
do_test (void)
{
  FAIL_UNSUPPORTED ("needs an instruction that faults");
}
#endif

#include <support/test-driver.c>
