/* Test backtrace in functions that have the same SP as their caller: a leaf
   that traps, and one that has saved its return address in its caller's
   frame.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <setjmp.h>
#include <signal.h>

#include <support/xsignal.h>

#include "tst-sframe-support.h"
#include "tst-sframe-asm.h"

#if HAVE_SFRAME_ASM

extern void leaf (void);
asm (ASM_TEXT (leaf, ASM_ILLEGAL ASM_RETURN));

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

/* Compare the trace that FUNCTION has led to with libgcc's.  */
static void FRAME
check (void (*function) (void))
{
  pair.ours.count = 0;
  if (sigsetjmp (escape, 1) == 0)
    call (function);
  check_no_fallback ();
  check_same_with (&pair, call);
  TEST_COMPARE (count_frames (&pair.ours, call), 1);
}

# if HAVE_SFRAME_S390X
void
collect_callers (void)
{
  collect (&pair);
  KEEP_FRAME ();
}

/* A function that calls CALLEE as a leaf that gcc -pg has compiled calls
   _mcount.  */
#  define SAVE_AREA(name, callee)					\
extern void name (void);						\
asm (ASM_TEXT (name,							\
	       "stg %r14, 8(%r15)\n"					\
	       ".cfi_offset %r14, -152\n"				\
	       "brasl %r14, " #callee "\n"				\
	       "lg %r14, 8(%r15)\n"					\
	       ".cfi_restore %r14\n"					\
	       "br %r14\n"))
SAVE_AREA (save_area, collect_callers);

/* The callee has saved its own return address there, too, and traps before it
   has a frame.  */
asm (ASM_TEXT (begin,
	       "stmg %r14, %r15, 112(%r15)\n"
	       ".cfi_offset %r14, -48\n"
	       ".cfi_offset %r15, -40\n"
	       ASM_ILLEGAL
	       "br %r14\n"));
SAVE_AREA (save_area_begin, begin);

/* In two frames.  */
asm (ASM_TEXT (other_save_area,
	       "stg %r14, 16(%r15)\n"
	       ".cfi_offset %r14, -144\n"
	       "brasl %r14, collect_callers\n"
	       "lg %r14, 16(%r15)\n"
	       ".cfi_restore %r14\n"
	       "br %r14\n"));
SAVE_AREA (two_save_areas, other_save_area);

/* The thunks of gcc -mindirect-branch=thunk have such a mark.  */
extern void marked (void);
asm (ASM_TEXT (marked, ".cfi_signal_frame\n" ASM_ILLEGAL ASM_RETURN));
# endif

# if HAVE_SFRAME_X86
/* Return addresses in two registers, where a call pushes nothing.  */
extern void in_registers (void);
asm (ASM_TEXT (in_r10,
	       ".cfi_def_cfa_offset 0\n"
	       ".cfi_register %rip, %r10\n"
	       ASM_ILLEGAL
	       "jmp *%r10\n"));
asm (ASM_TEXT (in_r11,
	       ".cfi_def_cfa_offset 0\n"
	       ".cfi_register %rip, %r11\n"
	       "lea 0f(%rip), %r10\n"
	       "jmp in_r10\n"
	       "0: jmp *%r11\n"));
asm (ASM_TEXT (in_registers,
	       "lea 0f(%rip), %r11\n"
	       "jmp in_r11\n"
	       "0: ret\n"));
# endif

static int
do_test (void)
{
  struct sigaction sa = { .sa_handler = handler };

  xsigaction (SIGILL, &sa, NULL);
  check (leaf);
  /* On s390x the kernel makes another frame then.  */
  sa.sa_flags = SA_SIGINFO;
  xsigaction (SIGILL, &sa, NULL);
  check (leaf);
# if HAVE_SFRAME_S390X
  check (save_area);
  check (save_area_begin);
  check (two_save_areas);
  check (marked);
# endif
# if HAVE_SFRAME_X86
  check (in_registers);
# endif
  return 0;
}

#else
# include "tst-sframe-no-asm.h"
#endif

#include <support/test-driver.c>
