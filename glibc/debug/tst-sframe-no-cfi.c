/* Test backtrace through a function without unwind tables: it may end there,
   but must not guess.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tst-sframe-support.h"
#include "tst-sframe-asm.h"

#if HAVE_SFRAME_ASM

static struct trace_pair pair;

void FRAME
callee (void)
{
  collect (&pair);
  KEEP_FRAME ();
}

extern void without_cfi (void);
asm (".pushsection .text\n"
     /* So that there is no table for the byte before either.  */
     ".skip 64, 0xcc\n"
     "without_cfi:\n"
# if HAVE_SFRAME_X86
     "sub $1032, %rsp\n"
     /* A value that looks like a return address.  */
     "lea 1 + callee(%rip), %rax\n"
     "mov %rax, (%rsp)\n"
     "call callee\n"
     "add $1032, %rsp\n"
     "ret\n"
# elif HAVE_SFRAME_AARCH64
     "sub sp, sp, #1056\n"
     "adrp x9, callee\n"
     "add x9, x9, #:lo12:callee\n"
     "add x9, x9, #4\n"
     "stp x9, x9, [sp]\n"
     "str x30, [sp, #1040]\n"
     "bl callee\n"
     "ldr x30, [sp, #1040]\n"
     "add sp, sp, #1056\n"
     "ret\n"
# else
     "stg %r14, 112(%r15)\n"
     "aghi %r15, -1192\n"
     "larl %r1, callee\n"
     "stg %r1, 112(%r15)\n"
     "stg %r1, 272(%r15)\n"
     "brasl %r14, callee\n"
     "lg %r14, 1304(%r15)\n"
     "aghi %r15, 1192\n"
     "br %r14\n"
# endif
     ".skip 64, 0xcc\n"
     ".popsection");

static int
do_test (void)
{
  without_cfi ();
  check_no_fallback ();
  check_equal (&pair);
  /* collect, callee and without_cfi.  */
  TEST_COMPARE (pair.ours.count, 3);
  TEST_VERIFY (pair.ours.pc[2] - (void *) without_cfi < 64);
  return 0;
}

#else
# include "tst-sframe-no-asm.h"
#endif

#include <support/test-driver.c>
