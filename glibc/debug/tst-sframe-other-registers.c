/* Test backtrace where a signal interrupts a function that keeps FP and RA, or
   the address of its frame, in other registers.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <signal.h>
#include <ucontext.h>

#include <support/xsignal.h>

#include "tst-sframe-support.h"
#include "tst-sframe-asm.h"

#if HAVE_SFRAME_S390X

/* A leaf function as compilers write it: call-saved registers are saved in
   floating-point registers.  With these numbers, a mistake about DWARF's order
   gives wrong values.  */
extern void in_fprs (void);
asm (ASM_TEXT (in_fprs,
	       "ldgr %f9, %r14\n"
	       ".cfi_register %r14, %f9\n"
	       ASM_FAULT
	       "ldgr %f4, %r11\n"
	       ".cfi_register %r11, %f4\n"
	       "lghi %r14, 0\n"
	       "lghi %r11, 0\n"
	       ASM_FAULT
	       "stg %r15, 120(%r15)\n"
	       ".cfi_offset %r15, -40\n"
	       "aghi %r15, -400\n"
	       ".cfi_adjust_cfa_offset 400\n"
	       ASM_FAULT
	       "aghi %r15, 400\n"
	       ".cfi_adjust_cfa_offset -400\n"
	       ".cfi_restore %r15\n"
	       "lgdr %r11, %f4\n"
	       ".cfi_restore %r11\n"
	       ASM_FAULT
	       "lgdr %r14, %f9\n"
	       ".cfi_restore %r14\n"
	       ASM_FAULT
	       "br %r14\n"));

extern void in_gprs (void);
asm (ASM_TEXT (in_gprs,
	       "lgr %r1, %r14\n"
	       ".cfi_register %r14, %r1\n"
	       "lgr %r5, %r11\n"
	       ".cfi_register %r11, %r5\n"
	       "lghi %r14, 0\n"
	       "lghi %r11, 0\n"
	       ASM_FAULT
	       "lgr %r11, %r5\n"
	       ".cfi_restore %r11\n"
	       "lgr %r14, %r1\n"
	       ".cfi_restore %r14\n"
	       "br %r14\n"));

/* One in a register, one on the stack.  */
extern void in_both (void);
asm (ASM_TEXT (in_both,
	       "stg %r11, 88(%r15)\n"
	       ".cfi_offset %r11, -72\n"
	       "ldgr %f0, %r14\n"
	       ".cfi_register %r14, %f0\n"
	       "lghi %r14, 0\n"
	       "lghi %r11, 0\n"
	       ASM_FAULT
	       "lg %r11, 88(%r15)\n"
	       ".cfi_restore %r11\n"
	       "lgdr %r14, %f0\n"
	       ".cfi_restore %r14\n"
	       "br %r14\n"));

/* Neither SP nor FP points to the frame.  */
extern void frame_elsewhere (void);
asm (ASM_TEXT (frame_elsewhere,
	       "stg %r15, 120(%r15)\n"
	       ".cfi_offset %r15, -40\n"
	       "lgr %r3, %r15\n"
	       ".cfi_def_cfa_register %r3\n"
	       "aghi %r15, -4096\n"
	       ASM_FAULT
	       "lgr %r15, %r3\n"
	       ".cfi_def_cfa_register %r15\n"
	       ".cfi_restore %r15\n"
	       "br %r14\n"));

/* The same in a function that calls backtrace.  */
extern int backtrace_elsewhere (void **array, int size);
asm (ASM_TEXT (backtrace_elsewhere,
	       "stmg %r9, %r15, 72(%r15)\n"
	       ".cfi_offset %r9, -88\n"
	       ".cfi_offset %r14, -48\n"
	       ".cfi_offset %r15, -40\n"
	       "lgr %r9, %r15\n"
	       ".cfi_def_cfa_register %r9\n"
	       "aghi %r15, -400\n"
	       "brasl %r14, backtrace@PLT\n"
	       "lgr %r15, %r9\n"
	       ".cfi_def_cfa_register %r15\n"
	       "lmg %r9, %r15, 72(%r15)\n"
	       ".cfi_restore %r15\n"
	       ".cfi_restore %r14\n"
	       ".cfi_restore %r9\n"
	       "br %r14\n"));

static struct trace_pair pair;
static int faults;
static void (*leaf) (void);

/* Volatile, so that the compiler does not know the value.  */
static volatile int buffer_size = 100;

/* Variable in size, so that its CFA comes from FP.  */
static void FRAME
caller (void)
{
  char buffer[buffer_size];
  asm volatile ("" : : "r" (buffer) : "memory");
  leaf ();
  KEEP_FRAME ();
}

static void
fault_handler (int signo, siginfo_t *info, void *context)
{
  collect (&pair);
  check_same_with (&pair, caller);
  TEST_COMPARE (count_frames (&pair.oracle, leaf), 1);
  ++faults;
  ucontext_t *uc = context;
  CONTEXT_PC (uc) += FAULT_SIZE;
}

static void
check (void (*function) (void), int expected)
{
  leaf = function;
  faults = 0;
  caller ();
  TEST_COMPARE (faults, expected);
}

static int
do_test (void)
{
  struct sigaction sa = { .sa_sigaction = fault_handler,
			  .sa_flags = SA_SIGINFO };
  xsigaction (FAULT_SIGNAL, &sa, NULL);
  check (in_fprs, 5);
  check (in_gprs, 1);
  check (in_both, 1);
  check (frame_elsewhere, 1);

  struct trace trace;
  trace.count = backtrace_elsewhere (trace.pc, TRACE_MAX);
  collect (&pair);
  TEST_VERIFY (trace.count > 2);
  /* From the caller of this function on.  */
  TEST_COMPARE_BLOB (trace.pc + 2, (trace.count - 2) * sizeof (void *),
		     pair.ours.pc + 2,
		     (pair.ours.count - 2) * sizeof (void *));
  check_no_fallback ();
  return 0;
}

#else
static int
do_test (void)
{
  FAIL_UNSUPPORTED ("needs a machine whose leaves save registers in others");
}
#endif

#include <support/test-driver.c>
