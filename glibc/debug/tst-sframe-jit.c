/* Test that executed code outside all objects is not taken for the target of a
   wild call, whatever it stores in place of a return address; and that libgcc
   is not loaded for it: if it is not loaded, no code is registered with it.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <setjmp.h>
#include <sys/mman.h>

#include <support/xunistd.h>

#include "tst-sframe-support.h"
#include "tst-sframe-asm.h"

#if HAVE_SFRAME_ASM

static struct trace_pair pair;
static sigjmp_buf escape;
static struct trace good;

static void
handler (int signo)
{
  collect (&pair);
  siglongjmp (escape, 1);
}

static void FRAME
take (void)
{
  good.count = backtrace (good.pc, TRACE_MAX);
  KEEP_FRAME ();
}

/* Code to be copied.  It gets the return address of another function and a
   pointer into its own page, and then faults.  */
extern const char code[], code_read[], code_write[], code_illegal[];
/* Code that calls its argument instead.  */
extern const char code_call[], code_end[];
asm (".pushsection .rodata\n"
# if HAVE_SFRAME_X86
     "code:\n"
     "code_read: push %rdi\n"
     "mov 0, %eax\n"
     "code_write: push %rdi\n"
     "mov %rdi, (%rsi)\n"
     "code_illegal: push %rdi\n"
     "ud2\n"
     "code_call: sub $8, %rsp\n"
     "call *%rdi\n"
     "add $8, %rsp\n"
     "ret\n"
# elif HAVE_SFRAME_AARCH64
     ".balign 4\n"
     "code:\n"
     "code_read: mov x30, x0\n"
     "mov x9, #0\n"
     "ldr x9, [x9]\n"
     "code_write: mov x30, x0\n"
     "str x0, [x1]\n"
     "code_illegal: mov x30, x0\n"
     "udf #0\n"
     "code_call: stp x29, x30, [sp, #-16]!\n"
     "blr x0\n"
     "ldp x29, x30, [sp], #16\n"
     "ret\n"
# else
     ".balign 2\n"
     "code:\n"
     "code_read: lgr %r14, %r2\n"
     "lg %r0, 0\n"
     "code_write: lgr %r14, %r2\n"
     "stg %r2, 0(%r3)\n"
     "code_illegal: lgr %r14, %r2\n"
     ".short 0\n"
     "code_call: stmg %r14, %r15, 112(%r15)\n"
     "aghi %r15, -160\n"
     "basr %r14, %r2\n"
     "lmg %r14, %r15, 272(%r15)\n"
     "br %r14\n"
# endif
     "code_end:\n"
     ".popsection");

static void FRAME
run (char *copy, const char *start, void *pointer)
{
  if (sigsetjmp (escape, 1) == 0)
    ((void (*) (void *, void *)) (copy + (start - code))) (good.pc[1],
							    pointer);
  KEEP_FRAME ();
}

static void
check (char *copy, const char *start, void *pointer)
{
  pair.ours.count = 0;
  run (copy, start, pointer);
  /* The caller of the code is unknown.  The frames are collect, handler, the
     trampoline and the code.  */
  TEST_COMPARE (pair.ours.count, 4);
  TEST_VERIFY (pair.ours.pc[3] - (void *) copy <= code_end - code);
}

static void FRAME
called (void)
{
  collect (&pair);
  KEEP_FRAME ();
}

static int
do_test (void)
{
  size_t page = sysconf (_SC_PAGESIZE);
  char *copy = xmmap (NULL, page, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1);
  memcpy (copy, code, code_end - code);
  xmprotect (copy, page, PROT_READ | PROT_EXEC);

  handle_signal (SIGSEGV, handler);
  handle_signal (SIGILL, handler);
  take ();
  TEST_VERIFY_EXIT (good.count > 2);
  check (copy, code_read, NULL);
  check (copy, code_write, copy + page / 2);
  check (copy, code_illegal, NULL);
  check_no_fallback ();

  ((void (*) (void (*) (void))) (copy + (code_call - code))) (called);
  check_equal (&pair);
  TEST_COMPARE (pair.ours.count, 3);
  check_no_fallback ();
  return 0;
}

#else
# include "tst-sframe-no-asm.h"
#endif

#include <support/test-driver.c>
