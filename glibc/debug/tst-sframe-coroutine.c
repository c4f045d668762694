/* Test backtrace on stacks of coroutines, which the C library does not know:
   in the heap, in the program's data and above a guard page.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <signal.h>
#include <sys/mman.h>

#include <support/support.h>
#include <support/xunistd.h>

#include "tst-sframe-support.h"
#include "tst-sframe-asm.h"

#if HAVE_SFRAME_ASM

enum { STACK_SIZE = 256 * 1024, DEPTH = 20 };

static struct trace_pair pair;
static void *old_stack;

/* Save the context in *OLD and run FUNCTION, which has no caller, on the stack
   that ends at TOP.  */
extern void start (void *top, void (*function) (void), void **old);
/* Return from the call of start that has saved *OLD.  */
extern void finish (void **old);
# if HAVE_SFRAME_X86
asm (ASM_TEXT (start,
	       "push %rbx\n"
	       "push %rbp\n"
	       "push %r12\n"
	       "push %r13\n"
	       "push %r14\n"
	       "push %r15\n"
	       "mov %rsp, (%rdx)\n"
	       "mov %rdi, %rsp\n"
	       "push $0\n"
	       "jmp *%rsi\n")
     ASM_TEXT (finish,
	       "mov (%rdi), %rsp\n"
	       "pop %r15\n"
	       "pop %r14\n"
	       "pop %r13\n"
	       "pop %r12\n"
	       "pop %rbp\n"
	       "pop %rbx\n"
	       "ret\n"));
# elif HAVE_SFRAME_AARCH64
asm (ASM_TEXT (start,
	       "stp x29, x30, [sp, #-96]!\n"
	       "stp x19, x20, [sp, #16]\n"
	       "stp x21, x22, [sp, #32]\n"
	       "stp x23, x24, [sp, #48]\n"
	       "stp x25, x26, [sp, #64]\n"
	       "stp x27, x28, [sp, #80]\n"
	       "mov x9, sp\n"
	       "str x9, [x2]\n"
	       "mov sp, x0\n"
	       "mov x30, #0\n"
	       "br x1\n")
     ASM_TEXT (finish,
	       "ldr x9, [x0]\n"
	       "mov sp, x9\n"
	       "ldp x19, x20, [sp, #16]\n"
	       "ldp x21, x22, [sp, #32]\n"
	       "ldp x23, x24, [sp, #48]\n"
	       "ldp x25, x26, [sp, #64]\n"
	       "ldp x27, x28, [sp, #80]\n"
	       "ldp x29, x30, [sp], #96\n"
	       "ret\n"));
# else
asm (ASM_TEXT (start,
	       "stmg %r6, %r15, 48(%r15)\n"
	       "stg %r15, 0(%r4)\n"
	       "lay %r15, -160(%r2)\n"
	       "lghi %r14, 0\n"
	       "br %r3\n")
     ASM_TEXT (finish,
	       "lg %r15, 0(%r2)\n"
	       "lmg %r6, %r15, 48(%r15)\n"
	       "br %r14\n"));
# endif

static void
handler (int signo)
{
  collect (&pair);
}

/* Trace with frames on many pages.  */
static void FRAME
recurse (int depth)
{
  char buffer[2000];
  USE (buffer);
  if (depth > 0)
    recurse (depth - 1);
  else
    {
      collect (&pair);
      check_same (&pair);
      raise (SIGUSR1);
    }
  KEEP_FRAME ();
}

static void FRAME
coroutine (void)
{
  recurse (DEPTH);
  check_same_with (&pair, coroutine);
  TEST_COMPARE (pair.oracle.signal_frames, 1);
  TEST_VERIFY (function_of_frame (&pair.oracle, pair.oracle.count - 1)
	       == coroutine);
  finish (&old_stack);
}

static int
do_test (void)
{
  static char data[STACK_SIZE] __attribute__ ((aligned (16)));
  size_t page = sysconf (_SC_PAGESIZE);
  handle_signal (SIGUSR1, handler);

  char *heap = xmalloc (STACK_SIZE);
  start (heap + STACK_SIZE, coroutine, &old_stack);
  free (heap);
  start (data + sizeof (data), coroutine, &old_stack);
  char *guarded = xmmap (NULL, page + STACK_SIZE + page,
			 PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1);
  xmprotect (guarded, page, PROT_NONE);
  xmprotect (guarded + page + STACK_SIZE, page, PROT_NONE);
  start (guarded + page + STACK_SIZE, coroutine, &old_stack);
  check_no_fallback ();
  return 0;
}

#else
# include "tst-sframe-no-asm.h"
#endif

#include <support/test-driver.c>
