/* Test that a lazily bound call makes a frame record, so that an unwinder by
   frame pointers gets from the dynamic linker to the caller.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <ucontext.h>

#include <debug/tst-sframe-support.h>
#include <debug/tst-sframe-asm.h>

#if HAVE_SFRAME_X86

/* 0x100 is the trap flag.  */
# define SET_FLAG(instruction)						\
  asm volatile ("sub $128, %%rsp\n"					\
		"pushfq\n"						\
		instruction "\n"					\
		"popfq\n"						\
		"add $128, %%rsp" ::: "memory", "cc")

static uintptr_t caller_fp;
static int steps;
static int records;

extern void call_lazily (void);

/* Count the steps at which RBP points to a frame record of call_lazily: its
   saved RBP and a return address in it.  */
static void
handler (int signo, siginfo_t *info, void *context)
{
  const greg_t *registers = ((ucontext_t *) context)->uc_mcontext.gregs;
  uintptr_t sp = registers[REG_RSP];
  uintptr_t fp = registers[REG_RBP];

  ++steps;
  if (fp < sp || fp >= caller_fp || fp % 8 != 0)
    return;
  const uintptr_t *record = (const uintptr_t *) fp;
  if (record[0] == caller_fp
      && record[1] - (uintptr_t) call_lazily < 256)
    ++records;
}

void FRAME
call_lazily (void)
{
  caller_fp = (uintptr_t) __builtin_frame_address (0);
  SET_FLAG ("orl $0x100, (%%rsp)");
  long int value = a64l ("/");
  SET_FLAG ("andl $~0x100, (%%rsp)");
  TEST_COMPARE (value, 1);
}

static int
do_test (void)
{
  struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
  xsigaction (SIGTRAP, &sa, NULL);
  call_lazily ();
  printf ("info: %d steps, %d in the record's sight\n", steps, records);
  /* The symbol lookup takes at least this many instructions.  */
  TEST_VERIFY (steps > 300);
  /* From when the trampoline has made its frame, through saving and restoring
     registers.  */
  TEST_VERIFY (records > 30);

  /* The second call is bound.  */
  records = steps = 0;
  call_lazily ();
  TEST_COMPARE (records, 0);
  TEST_VERIFY (steps < 100);
  return 0;
}

#else

static int
do_test (void)
{
  FAIL_UNSUPPORTED ("the machine has no frame records");
}

#endif

#include <support/test-driver.c>
