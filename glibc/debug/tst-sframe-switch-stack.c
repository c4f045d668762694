/* Test backtrace through functions that make a call on another stack, which
   may lie below or above the current one.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <array_length.h>
#include <sys/mman.h>

#include <support/xunistd.h>

#include "tst-sframe-support.h"
#include "tst-sframe-asm.h"

#if HAVE_SFRAME_ASM

/* Sizes of adjacent stacks of fibers, and of stacks farther apart.  */
static const size_t stack_sizes[] = { 16 * 1024, 128 * 1024, 2 * 1024 * 1024 };

static size_t stack_size;
static char *stacks;
static struct trace_pair pair;

/* Call FUNCTION on the stack that ends at TOP.  FP keeps the old SP, and the
   CFI says so.  */
extern void call_on_stack (void (*function) (void), void *top);
# if HAVE_SFRAME_X86
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
# elif HAVE_SFRAME_AARCH64
asm (ASM_TEXT (call_on_stack,
	       "stp x29, x30, [sp, #-16]!\n"
	       ".cfi_adjust_cfa_offset 16\n"
	       ".cfi_offset x29, -16\n"
	       ".cfi_offset x30, -8\n"
	       "mov x29, sp\n"
	       ".cfi_def_cfa_register x29\n"
	       "mov sp, x1\n"
	       "blr x0\n"
	       "mov sp, x29\n"
	       ".cfi_def_cfa_register sp\n"
	       "ldp x29, x30, [sp], #16\n"
	       ".cfi_adjust_cfa_offset -16\n"
	       ".cfi_restore x29\n"
	       ".cfi_restore x30\n"
	       "ret\n"));
# else
asm (ASM_TEXT (call_on_stack,
	       "stmg %r11, %r15, 88(%r15)\n"
	       ".cfi_offset %r11, -72\n"
	       ".cfi_offset %r14, -48\n"
	       ".cfi_offset %r15, -40\n"
	       "lgr %r11, %r15\n"
	       ".cfi_def_cfa_register %r11\n"
	       "lay %r15, -160(%r3)\n"
	       "basr %r14, %r2\n"
	       "lgr %r15, %r11\n"
	       ".cfi_def_cfa_register %r15\n"
	       "lmg %r11, %r15, 88(%r15)\n"
	       ".cfi_restore %r15\n"
	       ".cfi_restore %r14\n"
	       ".cfi_restore %r11\n"
	       "br %r14\n"));
# endif

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
  call_on_stack (leaf, stacks + 2 * stack_size);
  KEEP_FRAME ();
}

static void FRAME
downwards (void)
{
  call_on_stack (leaf, stacks + stack_size);
  KEEP_FRAME ();
}

static void
check_stacks (void)
{
  stacks = xmmap (NULL, 2 * stack_size, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1);

  call_on_stack (upwards, stacks + stack_size);
  check_no_fallback ();
  check_same_with (&pair, upwards);
  TEST_COMPARE (count_frames (&pair.oracle, call_on_stack), 2);

  call_on_stack (downwards, stacks + 2 * stack_size);
  check_no_fallback ();
  check_same_with (&pair, downwards);
  TEST_COMPARE (count_frames (&pair.oracle, call_on_stack), 2);
  xmunmap (stacks, 2 * stack_size);
}

static int
do_test (void)
{
  for (size_t i = 0; i < array_length (stack_sizes); ++i)
    {
      stack_size = stack_sizes[i];
      check_stacks ();
    }
  return 0;
}

#else
# include "tst-sframe-no-asm.h"
#endif

#include <support/test-driver.c>
