/* Test how much stack backtrace uses: by SFrame, by .eh_frame and by cached
   rules, below many frames and beyond a fault.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <setjmp.h>

#include <support/xdlfcn.h>

#include "tst-sframe-paint.h"

/* The size of the checked area.  */
enum { AREA = 16 * 1024 };

static struct trace trace;
static size_t stack_use;
static int (*call) (void (*) (void), int);

static void FRAME
take (void)
{
  char *sp = __builtin_frame_address (0);
  paint (sp, AREA);
  trace.count = backtrace (trace.pc, TRACE_MAX);
  stack_use = look (sp, AREA);
  KEEP_FRAME ();
}

static void
check_use (const char *what)
{
  printf ("info: %s: %zu bytes of stack\n", what, stack_use);
  TEST_VERIFY (trace.count > 4);
  TEST_VERIFY (stack_use > OWN_USE);
  TEST_VERIFY (stack_use <= STACK_USE_MAX);
}

static void
call_take (void)
{
  call (take, 100);
}

/* Call FUNCTION while a register that SFrame does not track has the CFA.  */
#if HAVE_SFRAME_ASM
extern void cfa_in_saved (void (*function) (void));
asm (ASM_TEXT (cfa_in_saved, ASM_CFA_IN_SAVED));
#else
# define cfa_in_saved(function) function ()
#endif

/* Call FUNCTION on the stack that ends at TOP.  The CFA comes from a
   call-saved register by an expression that also reads a word of the old
   stack.  */
#if HAVE_SFRAME_ASM
extern void cfa_by_deref (void (*function) (void), void *top);
# if HAVE_SFRAME_X86
asm (ASM_TEXT (cfa_by_deref,
	       "push %rbx\n"
	       ".cfi_def_cfa_offset 16\n"
	       ".cfi_offset %rbx, -16\n"
	       "lea 16(%rsp), %rbx\n"
	       /* breg3 0, dup, lit16, minus, deref, drop.  */
	       ".cfi_escape 0x0f, 7, 0x73, 0, 0x12, 0x40, 0x1c, 6, 0x13\n"
	       "mov %rsi, %rsp\n"
	       "call *%rdi\n"
	       "lea -16(%rbx), %rsp\n"
	       ".cfi_def_cfa %rsp, 16\n"
	       "pop %rbx\n"
	       ".cfi_restore %rbx\n"
	       ".cfi_def_cfa_offset 8\n"
	       "ret\n"));
# elif HAVE_SFRAME_AARCH64
asm (ASM_TEXT (cfa_by_deref,
	       "stp x19, x30, [sp, #-16]!\n"
	       ".cfi_def_cfa_offset 16\n"
	       ".cfi_offset x19, -16\n"
	       ".cfi_offset x30, -8\n"
	       "add x19, sp, #16\n"
	       /* breg19 0, dup, lit16, minus, deref, drop.  */
	       ".cfi_escape 0x0f, 7, 0x83, 0, 0x12, 0x40, 0x1c, 6, 0x13\n"
	       "mov sp, x1\n"
	       "blr x0\n"
	       "sub sp, x19, #16\n"
	       ".cfi_def_cfa sp, 16\n"
	       "ldp x19, x30, [sp], #16\n"
	       ".cfi_restore x19\n"
	       ".cfi_restore x30\n"
	       ".cfi_def_cfa_offset 0\n"
	       "ret\n"));
# else
asm (ASM_TEXT (cfa_by_deref,
	       "stmg %r10, %r15, 80(%r15)\n"
	       ".cfi_offset %r10, -80\n"
	       ".cfi_offset %r14, -48\n"
	       ".cfi_offset %r15, -40\n"
	       "lgr %r10, %r15\n"
	       /* breg10 160, dup, const1u 48, minus, deref, drop.  */
	       ".cfi_escape 0x0f, 9, 0x7a, 0xa0, 1, 0x12, 8, 48, 0x1c, 6, "
	       "0x13\n"
	       "lay %r15, -160(%r3)\n"
	       "basr %r14, %r2\n"
	       "lmg %r10, %r15, 80(%r10)\n"
	       ".cfi_def_cfa %r15, 160\n"
	       ".cfi_restore %r10\n"
	       ".cfi_restore %r14\n"
	       ".cfi_restore %r15\n"
	       "br %r14\n"));
# endif
#else
# define cfa_by_deref(function, top) function ()
#endif

enum { DEPTH = 50 };

static void FRAME
recurse (int depth)
{
  if (depth > 0)
    recurse (depth - 1);
  else
    take ();
  KEEP_FRAME ();
}

/* The deepest calls: a trap in a function that its CFI takes for a signal
   trampoline.  */
#if HAVE_SFRAME_ASM
extern void as_signal (void);
asm (ASM_TEXT (as_signal, ".cfi_signal_frame\n" ASM_ILLEGAL ASM_RETURN));
#endif

static sigjmp_buf recover;
static volatile int *volatile no_memory;

static void
handler (int signo)
{
  take ();
  siglongjmp (recover, 1);
}

/* The kernel is asked whether the frames below the fault can be read.  */
static void FRAME
fault (void)
{
  if (sigsetjmp (recover, 1) == 0)
    *no_memory = 0;
  KEEP_FRAME ();
}

#if HAVE_SFRAME_ASM
static void FRAME
trap_as_signal (void)
{
  if (sigsetjmp (recover, 1) == 0)
    as_signal ();
  KEEP_FRAME ();
}
#endif

static void
test_by_sframe (void)
{
  take ();
  check_use ("SFrame");
  take ();
  check_use ("SFrame, rules cached once");
  take ();
  check_use ("SFrame, rules cached");
  for (int i = 0; i < 3; ++i)
    {
      recurse (DEPTH);
      check_use ("SFrame, many frames");
      TEST_VERIFY (trace.count > DEPTH);
    }
  handle_signal (SIGSEGV, handler);
  for (int i = 0; i < 3; ++i)
    {
      fault ();
      check_use ("SFrame, beyond a fault");
    }
#if HAVE_SFRAME_ASM
  handle_signal (SIGILL, handler);
  trap_as_signal ();
  check_use ("a trap in what looks like a signal trampoline");
#endif
}

static int
do_test (void)
{
  void *handle = xdlopen ("tst-sframe-stripped-mod.so", RTLD_NOW);

  test_by_sframe ();
  call = xdlsym (handle, "call_without_sframe");
  call_take ();
  check_use ("SFrame and .eh_frame");
  call = xdlsym (handle, "call_without_sframe_aligned");
  call_take ();
  check_use ("SFrame and .eh_frame with an expression");
  cfa_in_saved (call_take);
  check_use (".eh_frame from the start");
  static char other_stack[2 * AREA] __attribute__ ((aligned (16)));
  cfa_by_deref (take, other_stack + sizeof other_stack);
  check_use (".eh_frame with an expression that reads another stack");
  check_no_fallback ();
  xdlclose (handle);
  return 0;
}

#include <support/test-driver.c>
