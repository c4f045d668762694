/* Test backtrace through functions that keep the CFA in a register other
   than SP and FP: one that calls preserve is found where a callee saved it,
   another is lost and must not be guessed.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tst-sframe-support.h"
#include "tst-sframe-x86.h"

#if HAVE_SFRAME_X86

static struct trace_pair pair;

/* Both call FUNCTION on a stack that is larger than the CFI says.  */
extern void cfa_in_rbx (void (*function) (void));
extern void cfa_in_r11 (void (*function) (void));
asm (ASM_TEXT (cfa_in_rbx,
	       "push %rbx\n"
	       ".cfi_def_cfa_offset 16\n"
	       ".cfi_offset %rbx, -16\n"
	       "mov %rsp, %rbx\n"
	       ".cfi_def_cfa_register %rbx\n"
	       "sub $2048, %rsp\n"
	       "call *%rdi\n"
	       "mov %rbx, %rsp\n"
	       ".cfi_def_cfa_register %rsp\n"
	       "pop %rbx\n"
	       ".cfi_def_cfa_offset 8\n"
	       "ret\n")
     ASM_TEXT (cfa_in_r11,
	       "mov %rsp, %r11\n"
	       ".cfi_def_cfa_register %r11\n"
	       "sub $2056, %rsp\n"
	       "call *%rdi\n"
	       "add $2056, %rsp\n"
	       ".cfi_def_cfa %rsp, 8\n"
	       "ret\n"));

/* Saves RBX and gives it a value that is no CFA.  R11 goes as well.  */
static void FRAME
function (void)
{
  asm volatile ("xor %%ebx, %%ebx\n\txor %%r11d, %%r11d" ::: "rbx", "r11");
  collect (&pair);
  KEEP_FRAME ();
}

/* The same, with backtrace alone: libgcc takes what is left of R11 for the
   CFA, and faults.  */
static void FRAME
function_alone (void)
{
  asm volatile ("xor %%ebx, %%ebx\n\txor %%r11d, %%r11d" ::: "rbx", "r11");
  pair.ours.count = backtrace (pair.ours.pc, TRACE_MAX);
  KEEP_FRAME ();
}

/* The frames of the first function are two times on the stack.  */
static void FRAME
nested (void)
{
  cfa_in_rbx (function);
  KEEP_FRAME ();
}

static int
do_test (void)
{
  cfa_in_rbx (function);
  check_same_with (&pair, cfa_in_rbx);
  TEST_COMPARE (count_frames (&pair.oracle, do_test), 1);
  cfa_in_rbx (nested);
  check_same_with (&pair, nested);
  TEST_COMPARE (count_frames (&pair.oracle, cfa_in_rbx), 2);

  cfa_in_r11 (function_alone);
  /* function_alone and cfa_in_r11.  */
  TEST_COMPARE (pair.ours.count, 2);
  TEST_VERIFY (_Unwind_FindEnclosingFunction (pair.ours.pc[1])
	       == cfa_in_r11);
  check_no_fallback ();
  return 0;
}

#else
static int
do_test (void)
{
  FAIL_UNSUPPORTED ("needs functions in assembler");
}
#endif

#include <support/test-driver.c>
