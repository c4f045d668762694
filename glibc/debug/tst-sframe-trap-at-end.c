/* Test backtrace where the last instruction of a function traps: the PC
   that is reported may already belong to the next function.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <setjmp.h>
#include <signal.h>

#include <support/xsignal.h>

#include "tst-sframe-support.h"
#include "tst-sframe-asm.h"

#if HAVE_SFRAME_ASM

# if HAVE_SFRAME_X86
#  define ASM_DIVIDE "xor %ecx, %ecx\n" "idivl %ecx\n"
#  define ASM_TRAP "int3\n"
# elif HAVE_SFRAME_AARCH64
/* No division traps.  */
#  define ASM_DIVIDE "brk #0\n"
#  define DIVIDE_SIGNAL SIGTRAP
# else
#  define ASM_DIVIDE "lghi %r1, 0\n" "dsgr %r2, %r1\n"
# endif
# ifndef DIVIDE_SIGNAL
#  define DIVIDE_SIGNAL SIGFPE
# endif
/* A neighbor for NAME, right after it, with another CFA rule.  */
# define ASM_NEXT(name) \
  ASM_TEXT (name, ASM_GROW ASM_FAULT)

extern void end_illegal (void);
extern void end_divide (void);
asm (ASM_TEXT (end_illegal, ASM_FRAME ASM_ILLEGAL)
     ASM_NEXT (after_illegal)
     ASM_TEXT (end_divide, ASM_FRAME ASM_DIVIDE)
     ASM_NEXT (after_divide));
# ifdef ASM_TRAP
/* The second one has no neighbor.  */
extern void end_trap (void);
extern void end_trap_padded (void);
asm (ASM_TEXT (end_trap, ASM_FRAME ASM_TRAP)
     ASM_NEXT (after_trap)
     ASM_TEXT (end_trap_padded, ASM_FRAME ASM_TRAP)
     ".skip 64, 0x90\n");
# endif

static struct trace_pair pair;
static sigjmp_buf escape;

static void
handler (int signo)
{
  collect (&pair);
  siglongjmp (escape, 1);
}

/* Not a tail call, and with a frame of its own.  */
static void FRAME
call (void (*function) (void))
{
  function ();
  KEEP_FRAME ();
}

static void
run (int signo, int flags, void (*function) (void))
{
  struct sigaction sa = { .sa_handler = handler, .sa_flags = flags };
  xsigaction (signo, &sa, NULL);
  pair.ours.count = 0;
  if (sigsetjmp (escape, 1) == 0)
    call (function);
  check_no_fallback ();
}

/* With and without SA_SIGINFO, which may give another signal frame (see
   handle_signal); the traces must have the same length, COUNT unless that is
   0.  Then libgcc, which does not know that the PC is that of the next
   function, is not asked.  Return the length.  */
static int FRAME
check (int signo, void (*function) (void), int count)
{
  run (signo, SA_SIGINFO, function);
  if (count == 0)
    {
      check_same_with (&pair, call);
      count = pair.ours.count;
    }
  TEST_COMPARE (pair.ours.count, count);
  TEST_COMPARE (count_frames (&pair.ours, call), 1);
  run (signo, 0, function);
  TEST_COMPARE (pair.ours.count, count);
  TEST_COMPARE (count_frames (&pair.ours, call), 1);
  return count;
}

static int
do_test (void)
{
  int count = check (SIGILL, end_illegal, 0);
  TEST_COMPARE (check (DIVIDE_SIGNAL, end_divide, 0), count);
# ifdef ASM_TRAP
  check (SIGTRAP, end_trap, count);
  check (SIGTRAP, end_trap_padded, count);
# endif
  return 0;
}

#else
# include "tst-sframe-no-asm.h"
#endif

#include <support/test-driver.c>
