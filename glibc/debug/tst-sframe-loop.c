/* Test that a trace ends if the stack was overwritten so that its frames lead
   to one another for ever.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

#include <support/check.h>
#include <support/support.h>
#include <support/xsignal.h>

#include "tst-sframe-support.h"
#include "tst-sframe-asm.h"

#if HAVE_SFRAME_X86 || HAVE_SFRAME_S390X

enum
{
  SIZE = 5000,
  /* More than the frames that are there, and some rounds of a loop.  */
  ENOUGH = 40,
  STACK_SIZE = 64 * 1024
};

static void *array[SIZE];

static void
check_end (const char *what, int count)
{
  printf ("info: %s: %d frames\n", what, count);
  TEST_VERIFY (count > 1);
  TEST_VERIFY (count < ENOUGH);
}

/* A signal frame that interrupted a signal trampoline, and that another one
   did, as the handlers below write them.  */
static ucontext_t *outer, *inner;

/* SP of the frame at which the kernel puts a context.  */
static uintptr_t
context_sp (ucontext_t *context)
{
# if HAVE_SFRAME_X86
  return (uintptr_t) context;
# else
  return (uintptr_t) context - sizeof (siginfo_t) - 8 - 160;
# endif
}

/* Make CONTEXT that of the trampoline at PC with the frame of CALLER.  */
static void
point_at (ucontext_t *context, void *pc, ucontext_t *caller)
{
# if HAVE_SFRAME_X86
  context->uc_mcontext.gregs[REG_RIP] = (uintptr_t) pc;
  context->uc_mcontext.gregs[REG_RSP] = context_sp (caller);
# else
  context->uc_mcontext.psw.addr = (uintptr_t) pc;
  context->uc_mcontext.gregs[15] = context_sp (caller);
# endif
}

static void
inner_handler (int signo, siginfo_t *info, void *context)
{
  inner = context;
  ucontext_t old_outer = *outer, old_inner = *inner;
  void *trampoline = __builtin_return_address (0);

  point_at (inner, trampoline, outer);
  point_at (outer, trampoline, inner);
  check_end ("two contexts", backtrace (array, SIZE));
  *outer = old_outer;
  *inner = old_inner;
}

static void
outer_handler (int signo, siginfo_t *info, void *context)
{
  outer = context;
  raise (SIGUSR2);
  KEEP_FRAME ();
}

# if HAVE_SFRAME_X86
/* The caller's frame pointer leads to this frame again.  */
static void FRAME
loop (void)
{
  void **frame = __builtin_frame_address (0);
  void **caller = frame[0];
  void *saved = caller[0];

  caller[0] = frame;
  check_end ("frame pointers", backtrace (array, SIZE));
  caller[0] = saved;
  KEEP_FRAME ();
}

static void FRAME
call_loop (void)
{
  loop ();
  KEEP_FRAME ();
}

/* By its CFI, SP may be anywhere in the caller.  */
static void FRAME
call_loop_as_signal (void)
{
  asm volatile (".cfi_signal_frame");
  call_loop ();
  KEEP_FRAME ();
}

static void
loops_of_this_machine (void)
{
  call_loop ();
  call_loop_as_signal ();
}

# else
/* Its return address in the save area of its caller's frame, which is CFA -
   160, is that of its own call.  */
void
loop (void)
{
  void **save_area = (void **) __builtin_dwarf_cfa () - 20;
  void *saved = save_area[1];

  save_area[1] = save_area[2];
  check_end ("save area", backtrace (array, SIZE));
  save_area[1] = saved;
  KEEP_FRAME ();
}

#  define LOOP_TEXT(mark)						\
	       mark							\
	       "stg %r14, 8(%r15)\n"					\
	       ".cfi_offset %r14, -152\n"				\
	       "larl %r1, 0f\n"						\
	       "stg %r1, 16(%r15)\n"					\
	       "brasl %r14, loop\n"					\
	       "0: lg %r14, 8(%r15)\n"					\
	       ".cfi_restore %r14\n"					\
	       "br %r14\n"
extern void call_loop (void);
extern void call_loop_as_signal (void);
asm (ASM_TEXT (call_loop, LOOP_TEXT ("")));
asm (ASM_TEXT (call_loop_as_signal, LOOP_TEXT (".cfi_signal_frame\n")));

static void FRAME
loops_of_this_machine (void)
{
  call_loop ();
  call_loop_as_signal ();
  KEEP_FRAME ();
}
# endif

static void
run_loops (int signo)
{
  loops_of_this_machine ();
  KEEP_FRAME ();
}

/* On the stack of a coroutine, of which libc does not know the end.  */
static ucontext_t back;

static void
coroutine (void)
{
  run_loops (0);
}

static void
run_in_coroutine (void)
{
  ucontext_t context;
  TEST_COMPARE (getcontext (&context), 0);
  context.uc_stack.ss_sp = xmalloc (STACK_SIZE);
  context.uc_stack.ss_size = STACK_SIZE;
  context.uc_link = &back;
  makecontext (&context, coroutine, 0);
  TEST_COMPARE (swapcontext (&back, &context), 0);
  free (context.uc_stack.ss_sp);
}

static void
run_on_alternate_stack (void)
{
  stack_t stack = { .ss_sp = xmalloc (STACK_SIZE), .ss_size = STACK_SIZE };
  struct sigaction action
    = { .sa_handler = run_loops, .sa_flags = SA_ONSTACK };

  TEST_COMPARE (sigaltstack (&stack, NULL), 0);
  xsigaction (SIGUSR1, &action, NULL);
  raise (SIGUSR1);
}

static void
run_with_contexts (void)
{
  struct sigaction action
    = { .sa_sigaction = inner_handler, .sa_flags = SA_SIGINFO };

  xsigaction (SIGUSR2, &action, NULL);
  action.sa_sigaction = outer_handler;
  xsigaction (SIGUSR1, &action, NULL);
  raise (SIGUSR1);
}

static int
do_test (void)
{
  run_loops (0);
  run_in_coroutine ();
  run_on_alternate_stack ();
  run_with_contexts ();
  /* Again, with cached rules.  */
  run_loops (0);
  return 0;
}

#else
static int
do_test (void)
{
  FAIL_UNSUPPORTED ("needs to know where FP is saved");
}
#endif

#include <support/test-driver.c>
