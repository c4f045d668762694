/* Test backtrace through functions that call on another stack, which may
   lie below or above the one that they came from.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <sys/mman.h>

#include <support/xunistd.h>

#include "tst-sframe-support.h"
#include "tst-sframe-x86.h"

#if HAVE_SFRAME_X86

/* Apart by more than what may pass for one stack.  */
# define STACK_SIZE (2 * 1024 * 1024)

static char *stacks;
static struct trace_pair pair;

/* Call FUNCTION on the stack that ends at TOP.  FP keeps the old one, and
   the CFI says so.  */
extern void call_on_stack (void (*function) (void), void *top);
asm (ASM_TEXT (call_on_stack,
	       "push %rbp\n"
	       ".cfi_adjust_cfa_offset 8\n"
	       ".cfi_offset %rbp, -16\n"
	       "mov %rsp, %rbp\n"
	       ".cfi_def_cfa_register %rbp\n"
	       "mov %rsi, %rsp\n"
	       "call *%rdi\n"
	       "mov %rbp, %rsp\n"
	       ".cfi_def_cfa_register %rsp\n"
	       "pop %rbp\n"
	       ".cfi_adjust_cfa_offset -8\n"
	       ".cfi_restore %rbp\n"
	       "ret\n"));

static void FRAME
leaf (void)
{
  collect (&pair);
  KEEP_FRAME ();
}

/* From the lower of the two stacks to the upper one, where the caller's
   frame lies below its callee's.  */
static void FRAME
upwards (void)
{
  call_on_stack (leaf, stacks + 2 * STACK_SIZE);
  KEEP_FRAME ();
}

static void FRAME
downwards (void)
{
  call_on_stack (leaf, stacks + STACK_SIZE);
  KEEP_FRAME ();
}

static int
do_test (void)
{
  stacks = xmmap (NULL, 2 * STACK_SIZE, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1);

  call_on_stack (upwards, stacks + STACK_SIZE);
  check_no_fallback ();
  check_same_with (&pair, upwards);
  TEST_COMPARE (count_frames (&pair.oracle, call_on_stack), 2);

  call_on_stack (downwards, stacks + 2 * STACK_SIZE);
  check_no_fallback ();
  check_same_with (&pair, downwards);
  TEST_COMPARE (count_frames (&pair.oracle, call_on_stack), 2);
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
