/* Test that backtrace does not fault if SP or FP of an interrupted frame is
   not a stack address, or makes address computations wrap; with a cached rule
   for the frame and without.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Hand-written code may use SP for other purposes, and without frame pointers
   FP holds any value.  The signal is not one of a fault, so that nothing gives
   reason for doubt.  */

#include <array_length.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include <support/support.h>

#include "tst-sframe-asm.h"
#include "tst-sframe-support.h"

#if HAVE_SFRAME_ASM

# if HAVE_SFRAME_X86
#  define CONTEXT_SP(context) ((context)->uc_mcontext.gregs[REG_RSP])
#  define CONTEXT_FP(context) ((context)->uc_mcontext.gregs[REG_RBP])
# elif HAVE_SFRAME_AARCH64
#  define CONTEXT_SP(context) ((context)->uc_mcontext.sp)
#  define CONTEXT_FP(context) ((context)->uc_mcontext.regs[29])
# else
#  define CONTEXT_SP(context) ((context)->uc_mcontext.gregs[15])
#  define CONTEXT_FP(context) ((context)->uc_mcontext.gregs[11])
# endif

enum
{
  /* Traces with each value: the first one looks up the rule, the others use
     the cached one.  */
  ROUNDS = 5,
  /* handler and the trampoline.  */
  BEFORE_INTERRUPTED = 2,
};

static struct trace good, bad;
static int cases;

/* Send the thread a signal by a system call instruction in the function that
   this is inlined into.  */
static inline void __attribute__ ((always_inline))
signal_here (int signo)
{
  long int pid = getpid (), tid = gettid ();
# if HAVE_SFRAME_X86
  long int result = SYS_tgkill;
  asm volatile ("syscall"
		: "+a" (result)
		: "D" (pid), "S" (tid), "d" ((long int) signo)
		: "rcx", "r11", "memory");
# elif HAVE_SFRAME_AARCH64
  register long int number asm ("x8") = SYS_tgkill;
  register long int first asm ("x0") = pid;
  register long int second asm ("x1") = tid;
  register long int third asm ("x2") = signo;
  asm volatile ("svc #0"
		: "+r" (first)
		: "r" (number), "r" (second), "r" (third)
		: "memory");
# else
  register long int number asm ("1") = SYS_tgkill;
  register long int first asm ("2") = pid;
  register long int second asm ("3") = tid;
  register long int third asm ("4") = signo;
  asm volatile ("svc 0"
		: "+d" (first)
		: "d" (number), "d" (second), "d" (third)
		: "memory");
# endif
}

/* Check traces while *REGISTER is VALUE.  */
static void FRAME
check_value (volatile unsigned long long int *reg, uintptr_t value)
{
  unsigned long long int saved = *reg;

  *reg = value;
  for (int i = 0; i < ROUNDS; ++i)
    bad.count = backtrace (bad.pc, TRACE_MAX);
  *reg = saved;

  /* Frames 0 and 1 are check_value and its caller, or the latter alone.  */
  TEST_VERIFY (bad.count > BEFORE_INTERRUPTED);
  bool found = false;
  for (int i = 0; i < bad.count && i <= BEFORE_INTERRUPTED + 2; ++i)
    found |= bad.pc[i] == good.pc[0];
  TEST_VERIFY (found);
  ++cases;
}

static void FRAME
check_register (volatile unsigned long long int *reg)
{
  uintptr_t old = *reg;

  for (int offset = -512; offset <= 512; offset += 8)
    {
      check_value (reg, offset);
      check_value (reg, (UINT64_C (1) << 63) + offset);
      check_value (reg, (UINT64_C (1) << 47) + offset);
    }
  for (int offset = 1; offset < 8; ++offset)
    {
      check_value (reg, -offset);
      check_value (reg, old + offset);
    }
  for (int shift = 12; shift < 64; ++shift)
    {
      check_value (reg, UINT64_C (1) << shift);
      check_value (reg, -(UINT64_C (1) << shift));
      check_value (reg, old + (UINT64_C (1) << shift));
      check_value (reg, old - (UINT64_C (1) << shift));
    }
  KEEP_FRAME ();
}

static void
handler (int signo, siginfo_t *info, void *closure)
{
  ucontext_t *context = closure;

  good.pc[0] = (void *) (uintptr_t) CONTEXT_PC (context);
  check_register ((void *) &CONTEXT_SP (context));
  check_register ((void *) &CONTEXT_FP (context));
}

/* A function with its CFA from SP.  */
static void FRAME
interrupted_by_sp (void)
{
  signal_here (SIGUSR1);
  KEEP_FRAME ();
}

/* Variable in size, so that its CFA comes from FP.  */
static void FRAME
interrupted_by_fp (size_t size)
{
  char buffer[size];
  USE (buffer);
  signal_here (SIGUSR1);
  KEEP_FRAME ();
}

static void
run (int flags)
{
  struct sigaction sa = { .sa_sigaction = handler,
			  .sa_flags = SA_SIGINFO | flags };
  xsigaction (SIGUSR1, &sa, NULL);
  for (int i = 0; i < 3; ++i)
    {
      interrupted_by_sp ();
      interrupted_by_fp (100);
    }
}

static int
do_test (void)
{
  void *stack = xalloc_sigstack (64 * 1024);
  run (0);
  run (SA_ONSTACK);
  xfree_sigstack (stack);
  check_no_fallback ();
  printf ("info: %d cases\n", cases);
  TEST_VERIFY (cases > 10000);
  return 0;
}

#else
static int
do_test (void)
{
  FAIL_UNSUPPORTED ("needs to know where SP and FP are saved");
}
#endif

#include <support/test-driver.c>
