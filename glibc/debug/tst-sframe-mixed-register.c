/* Test backtrace through functions that keep the CFA in a register other than
   SP and FP: a call-saved one is found where a callee has saved it; a
   call-clobbered one is lost, and its value must not be guessed.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tst-sframe-asm.h"
#include "tst-sframe-support.h"

#if HAVE_SFRAME_ASM

static struct trace_pair pair;

extern void cfa_in_saved (void (*function) (void));
extern void cfa_in_unsaved (void (*function) (void));
asm (ASM_TEXT (cfa_in_saved, ASM_CFA_IN_SAVED)
     ASM_TEXT (cfa_in_unsaved, ASM_CFA_IN_UNSAVED));

/* Saves the call-saved register and changes both, so that neither holds the
   CFA.  */
static void FRAME
function (void)
{
  CHANGE_CFA_REGISTERS ();
  collect (&pair);
  KEEP_FRAME ();
}

/* The same with backtrace alone: libgcc takes the changed register for the
   CFA, and faults.  */
static void FRAME
function_alone (void)
{
  CHANGE_CFA_REGISTERS ();
  pair.ours.count = backtrace (pair.ours.pc, TRACE_MAX);
  KEEP_FRAME ();
}

/* Puts a second frame of cfa_in_saved on the stack.  */
static void FRAME
nested (void)
{
  cfa_in_saved (function);
  KEEP_FRAME ();
}

static int
do_test (void)
{
  cfa_in_saved (function);
  check_same_with (&pair, cfa_in_saved);
  TEST_COMPARE (count_frames (&pair.oracle, do_test), 1);
  cfa_in_saved (nested);
  check_same_with (&pair, nested);
  TEST_COMPARE (count_frames (&pair.oracle, cfa_in_saved), 2);

  cfa_in_unsaved (function_alone);
  /* function_alone and cfa_in_unsaved.  */
  TEST_COMPARE (pair.ours.count, 2);
  TEST_VERIFY (_Unwind_FindEnclosingFunction (pair.ours.pc[1])
	       == cfa_in_unsaved);
  check_no_fallback ();
  return 0;
}

#else
# include "tst-sframe-no-asm.h"
#endif

#include <support/test-driver.c>
