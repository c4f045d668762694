/* Test that a trace which libgcc takes, since the stack has code that was
   registered with it, has the frames that libc had found before.

   SPDX-License-Identifier: LGPL-2.1-or-later

   This program has SFrame, but no .eh_frame_hdr: libgcc does not see through
   its functions.  */

#include <execinfo.h>
#include <gnu/lib-names.h>

#include "tst-sframe-jit-code.h"

#if HAVE_SFRAME_ASM

enum { MAX = 16 };

static void *pc[MAX];
static int count;

static void
take_trace (void)
{
  count = backtrace (pc, MAX);
  asm volatile ("" ::: "memory");
}

static int
do_test (void)
{
  static struct frame_table table;
  char *start = make_code (&table);

  register_table (xdlopen (LIBGCC_S_SO, RTLD_NOW), &table);
  ((void (*) (void (*) (void))) start) (take_trace);
  TEST_COMPARE (count, 2);
  TEST_VERIFY ((char *) pc[1] > start && (char *) pc[1] < start + table.size);
  return 0;
}

#else
# include "tst-sframe-no-asm.h"
#endif

#include <support/test-driver.c>
