/* Test backtrace from a function that has saved SP in a floating-point
   register, at an instruction where its table already says that SP is
   restored.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <ucontext.h>

#include <support/xdlfcn.h>

#include "tst-sframe-saved-sp.h"
#include "tst-sframe-support.h"

#if HAVE_SFRAME_S390X

extern void keep_sp_0 (void);
extern void keep_sp_9 (void);
asm (ASM_KEEP_SP (keep_sp_0, f0)
     ASM_KEEP_SP (keep_sp_9, f9));

static struct trace_pair pair;
static int faults;

static void
handler (int signo, siginfo_t *info, void *context)
{
  collect (&pair);
  ++faults;
  CONTEXT_PC ((ucontext_t *) context) += FAULT_SIZE;
}

/* Words that a trace with a wrong SP would read.  */
static void FRAME
call (void (*function) (void))
{
  volatile void *words[64];
  for (int i = 0; i < 64; ++i)
    words[i] = NULL;
  function ();
  USE (words);
}

static int
do_test (void)
{
  struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
  xsigaction (FAULT_SIGNAL, &sa, NULL);

  call (keep_sp_0);
  check_same_with (&pair, keep_sp_0);
  check_same_with (&pair, call);
  call (keep_sp_9);
  check_same_with (&pair, keep_sp_9);
  check_same_with (&pair, call);
  struct trace known = pair.ours;

  /* The oracle has no table for the module's function.  The first frames are
     two of the handler, the trampoline and the function; then comes this
     function, at another address.  */
  void *module = xdlopen ("tst-sframe-saved-sp-mod.so", RTLD_NOW);
  call (xdlsym (module, "keep_sp_alone"));
  TEST_COMPARE (pair.ours.count, known.count);
  int common = 6;
  TEST_VERIFY (pair.ours.pc[4] == known.pc[4]);
  TEST_COMPARE_BLOB (pair.ours.pc + common,
		     (known.count - common) * sizeof (void *),
		     known.pc + common,
		     (known.count - common) * sizeof (void *));
  TEST_COMPARE (faults, 3);
  check_no_fallback ();
  return 0;
}

#else
static int
do_test (void)
{
  FAIL_UNSUPPORTED ("SP is not kept in other registers on this machine");
}
#endif

#include <support/test-driver.c>
