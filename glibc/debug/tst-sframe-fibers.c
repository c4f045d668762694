/* Test backtrace through a chain of stacks, in all orders of their addresses,
   with functions between them that keep the old stack pointer in different
   ways.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <array_length.h>
#include <sys/mman.h>

#include <support/xthread.h>
#include <support/xunistd.h>

#include "tst-sframe-support.h"
#include "tst-sframe-asm.h"

#if HAVE_SFRAME_X86

enum
{
  STACKS = 4,
  STACK_SIZE = 64 * 1024,
};

/* Call FUNCTION (LEVEL) on the stack that ends at TOP.  The old SP is kept in
   FP, in another call-saved register, or in the first word of the new
   stack.  */
typedef void switch_function (void (*function) (int), void *top, int level);
extern switch_function switch_fp, switch_rbx, switch_word;

# define SWITCH(name, register)					\
  ASM_TEXT (name,							\
	    "push %" #register "\n"					\
	    ".cfi_def_cfa_offset 16\n"					\
	    ".cfi_offset %" #register ", -16\n"				\
	    "mov %rsp, %" #register "\n"				\
	    ".cfi_def_cfa_register %" #register "\n"			\
	    "mov %rsi, %rsp\n"						\
	    "mov %rdi, %rax\n"						\
	    "mov %edx, %edi\n"						\
	    "call *%rax\n"						\
	    "mov %" #register ", %rsp\n"				\
	    ".cfi_def_cfa_register %rsp\n"				\
	    "pop %" #register "\n"					\
	    ".cfi_restore %" #register "\n"				\
	    ".cfi_def_cfa_offset 8\n"					\
	    "ret\n")

/* DW_CFA_def_cfa_expression: *(rsp + N) + 8.  */
# define CFA_IN_WORD(n) ".cfi_escape 0x0f, 5, 0x77, " #n ", 0x06, 0x23, 8\n"

asm (SWITCH (switch_fp, rbp)
     SWITCH (switch_rbx, rbx)
     ASM_TEXT (switch_word,
	       "mov %rsp, %rax\n"
	       ".cfi_def_cfa_register %rax\n"
	       "mov %rsi, %rsp\n"
	       "push %rax\n"
	       CFA_IN_WORD (0)
	       "sub $8, %rsp\n"
	       CFA_IN_WORD (8)
	       "mov %rdi, %rax\n"
	       "mov %edx, %edi\n"
	       "call *%rax\n"
	       "add $8, %rsp\n"
	       CFA_IN_WORD (0)
	       "pop %rsp\n"
	       ".cfi_def_cfa %rsp, 8\n"
	       "ret\n"));

static switch_function *const switches[]
  = { switch_fp, switch_rbx, switch_word };

static char *stacks;
/* The stack of each level, and the index of the first switch function.  */
static int order[STACKS];
static unsigned int first;

static struct trace_pair called, interrupted;

static void
handler (int signo)
{
  collect (&interrupted);
}

/* Switch to LEVEL more stacks, then trace.  */
static void FRAME
descend (int level)
{
  if (level > 0)
    {
      char *top = stacks + (order[level - 1] + 1) * STACK_SIZE;
      switches[(level + first) % array_length (switches)] (descend, top,
							   level - 1);
    }
  else
    {
      collect (&called);
      raise (SIGUSR1);
    }
  KEEP_FRAME ();
}

static void
check_order (void)
{
  for (first = 0; first < array_length (switches); ++first)
    {
      descend (STACKS);
      check_same (&called);
      TEST_COMPARE (count_frames (&called.oracle, descend), STACKS + 1);
      check_same (&interrupted);
      TEST_COMPARE (count_frames (&interrupted.oracle, descend), STACKS + 1);
    }
}

/* Test all orders that begin with the first COUNT stacks of ORDER.  */
static void
check_orders (int count)
{
  if (count == STACKS)
    check_order ();
  for (int i = 0; i < STACKS && count < STACKS; ++i)
    {
      bool used = false;
      for (int j = 0; j < count; ++j)
	used |= order[j] == i;
      if (used)
	continue;
      order[count] = i;
      check_orders (count + 1);
    }
}

static void *
thread_function (void *closure)
{
  check_orders (0);
  return closure;
}

static void
check_stacks (void)
{
  thread_function (NULL);
  xpthread_join (xpthread_create (NULL, thread_function, NULL));
}

static int
do_test (void)
{
  static char in_program[STACKS * STACK_SIZE] __attribute__ ((aligned (64)));
  handle_signal (SIGUSR1, handler);

  stacks = in_program;
  check_stacks ();
  stacks = xmmap (NULL, STACKS * STACK_SIZE, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1);
  check_stacks ();
  xmunmap (stacks, STACKS * STACK_SIZE);
  check_no_fallback ();
  return 0;
}

#else
# include "tst-sframe-no-asm.h"
#endif

#include <support/test-driver.c>
