/* Test that backtrace ends where a frame would extend past the end of its
   stack into a guard page, and how much stack backtrace itself uses.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <sys/mman.h>

#include <support/xunistd.h>

#include "tst-sframe-support.h"
#include "tst-sframe-asm.h"

#if HAVE_SFRAME_ASM

enum
{
  STACK_SIZE = 64 * 1024,
  /* take, function and run_at_top.  */
  GOOD_FRAMES = 3,
  PATTERN = 0xa5,
  /* What backtrace may use by SFrame alone, its return address included.  The
     limits in sframe-backtrace.h are those with .eh_frame.  */
  STACK_USE_MAX = (HAVE_SFRAME_S390X ? 2048 : HAVE_SFRAME_AARCH64 ? 1280
		   : 1024),
};

/* Call FUNCTION on the stack that ends at TOP.  The CFI puts the return
   address beyond that end, at TOP + 8.  */
extern void run_at_top (void *top, void (*function) (void));
# if HAVE_SFRAME_X86
asm (ASM_TEXT (run_at_top,
	       "push %rbx\n"
	       ".cfi_adjust_cfa_offset 8\n"
	       "mov %rsp, %rbx\n"
	       "lea -16(%rdi), %rsp\n"
	       ".cfi_def_cfa_offset 32\n"
	       "call *%rsi\n"
	       "mov %rbx, %rsp\n"
	       ".cfi_def_cfa_offset 16\n"
	       "pop %rbx\n"
	       ".cfi_adjust_cfa_offset -8\n"
	       "ret\n"));
# elif HAVE_SFRAME_AARCH64
asm (ASM_TEXT (run_at_top,
	       "stp x19, x30, [sp, #-16]!\n"
	       "mov x19, sp\n"
	       "mov sp, x0\n"
	       ".cfi_def_cfa_offset 32\n"
	       ".cfi_offset x30, -24\n"
	       "blr x1\n"
	       "mov sp, x19\n"
	       "ldp x19, x30, [sp], #16\n"
	       ".cfi_def_cfa_offset 0\n"
	       ".cfi_restore x30\n"
	       "ret\n"));
# else
asm (ASM_TEXT (run_at_top,
	       "stmg %r10, %r15, 80(%r15)\n"
	       "lgr %r10, %r15\n"
	       "lay %r15, -160(%r2)\n"
	       ".cfi_def_cfa_offset 216\n"
	       ".cfi_offset %r14, -48\n"
	       "basr %r14, %r3\n"
	       "lgr %r15, %r10\n"
	       ".cfi_def_cfa_offset 160\n"
	       "lmg %r10, %r15, 80(%r15)\n"
	       ".cfi_restore %r14\n"
	       "br %r14\n"));
# endif

# if !HAVE_SFRAME_S390X
/* Call backtrace with SP at TOP.  The CFI puts the return address beyond, at
   TOP + 8 or TOP + 16.  On s390x backtrace saves registers above SP.  */
extern int backtrace_at_top (void **array, int size, void *top);
#  if HAVE_SFRAME_X86
asm (ASM_TEXT (backtrace_at_top,
	       "push %rbx\n"
	       ".cfi_adjust_cfa_offset 8\n"
	       "mov %rsp, %rbx\n"
	       "mov %rdx, %rsp\n"
	       ".cfi_def_cfa_offset 24\n"
	       "call backtrace@PLT\n"
	       "mov %rbx, %rsp\n"
	       ".cfi_def_cfa_offset 16\n"
	       "pop %rbx\n"
	       ".cfi_adjust_cfa_offset -8\n"
	       "ret\n"));
#  else
asm (ASM_TEXT (backtrace_at_top,
	       "stp x19, x30, [sp, #-16]!\n"
	       "mov x19, sp\n"
	       "mov sp, x2\n"
	       ".cfi_def_cfa_offset 32\n"
	       ".cfi_offset x30, -24\n"
	       "bl backtrace\n"
	       "mov sp, x19\n"
	       "ldp x19, x30, [sp], #16\n"
	       ".cfi_def_cfa_offset 0\n"
	       ".cfi_restore x30\n"
	       "ret\n"));
#  endif

static void
test_at_top (void *top)
{
  struct trace at_top;
  at_top.count = backtrace_at_top (at_top.pc, TRACE_MAX, top);
  TEST_COMPARE (at_top.count, 1);
  TEST_VERIFY (_Unwind_FindEnclosingFunction (at_top.pc[0])
	       == backtrace_at_top);
}
# else
static void
test_at_top (void *top)
{
}
# endif

static char *stack;
static struct trace trace;
static char *sp_of_caller;

static void FRAME
take (void)
{
  sp_of_caller = __builtin_frame_address (0);
  trace.count = backtrace (trace.pc, TRACE_MAX);
  KEEP_FRAME ();
}

static void FRAME
function (void)
{
  take ();
  KEEP_FRAME ();
}

static size_t
stack_use (void)
{
  size_t unused = 0;
  while (unused < STACK_SIZE && (unsigned char) stack[unused] == PATTERN)
    ++unused;
  return sp_of_caller - (stack + unused);
}

static int
do_test (void)
{
  size_t page = sysconf (_SC_PAGESIZE);
  stack = xmmap (NULL, STACK_SIZE + page, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1);
  xmprotect (stack + STACK_SIZE, page, PROT_NONE);
  memset (stack, PATTERN, STACK_SIZE);

  run_at_top (stack + STACK_SIZE, function);
  check_no_fallback ();
  TEST_COMPARE (trace.count, GOOD_FRAMES);
  TEST_VERIFY (_Unwind_FindEnclosingFunction (trace.pc[0]) == take);
  TEST_VERIFY (_Unwind_FindEnclosingFunction (trace.pc[1]) == function);
  TEST_VERIFY (_Unwind_FindEnclosingFunction (trace.pc[2]) == run_at_top);

  printf ("info: %zu bytes of stack\n", stack_use ());
  TEST_VERIFY (stack_use () > 0);
  TEST_VERIFY (stack_use () <= STACK_USE_MAX);

  test_at_top (stack + STACK_SIZE);
  check_no_fallback ();
  return 0;
}

#else
static int
do_test (void)
{
  FAIL_UNSUPPORTED ("needs to change SP");
}
#endif

#include <support/test-driver.c>
