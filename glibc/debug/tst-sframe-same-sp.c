/* Test backtrace in functions that have the same SP as their caller: a leaf
   that traps, and one that has saved its return address in its caller's
   frame.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <setjmp.h>
#include <signal.h>

#include <support/xsignal.h>

#include "tst-sframe-support.h"
#include "tst-sframe-asm.h"

#if HAVE_SFRAME_ASM

extern void leaf (void);
asm (ASM_TEXT (leaf, ASM_ILLEGAL ASM_RETURN));

static struct trace_pair pair;
static sigjmp_buf escape;

static void
handler (int signo)
{
  collect (&pair);
  siglongjmp (escape, 1);
}

/* Not a tail call, and with a frame of its own.  */
static void FRAME
call (void (*function) (void))
{
  function ();
  KEEP_FRAME ();
}

/* Compare the trace that FUNCTION has led to with libgcc's.  */
static void FRAME
check (void (*function) (void))
{
  pair.ours.count = 0;
  if (sigsetjmp (escape, 1) == 0)
    call (function);
  check_no_fallback ();
  check_same_with (&pair, call);
  TEST_COMPARE (count_frames (&pair.ours, call), 1);
}

# if HAVE_SFRAME_S390X
void
collect_callers (void)
{
  collect (&pair);
  KEEP_FRAME ();
}

/* As gcc -pg begins a leaf.  */
extern void save_area (void);
asm (ASM_TEXT (save_area,
	       "stg %r14, 8(%r15)\n"
	       ".cfi_offset %r14, -152\n"
	       "brasl %r14, collect_callers\n"
	       "lg %r14, 8(%r15)\n"
	       ".cfi_restore %r14\n"
	       "br %r14\n"));
# endif

static int
do_test (void)
{
  struct sigaction sa = { .sa_handler = handler };

  xsigaction (SIGILL, &sa, NULL);
  check (leaf);
  /* On s390x the kernel makes another frame then.  */
  sa.sa_flags = SA_SIGINFO;
  xsigaction (SIGILL, &sa, NULL);
  check (leaf);
# if HAVE_SFRAME_S390X
  check (save_area);
# endif
  return 0;
}

#else
static int
do_test (void)
{
  FAIL_UNSUPPORTED ("needs a function in assembler");
}
#endif

#include <support/test-driver.c>
