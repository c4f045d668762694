/* Test that backtrace shows the caller where a call through a wild
   pointer has led to no code at all.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <array_length.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

#include <support/xunistd.h>

#include "tst-sframe-support.h"
#include "tst-sframe-asm.h"

#if HAVE_SFRAME_ASM

static struct trace good, bad;
static sigjmp_buf escape;

static void
take (void)
{
  good.count = backtrace (good.pc, TRACE_MAX);
  KEEP_FRAME ();
}

static void
handler (int signo)
{
  bad.count = backtrace (bad.pc, TRACE_MAX);
  siglongjmp (escape, 1);
}

/* One call, so that all traces have the same return address.  */
static void FRAME
call (void (*function) (void))
{
  function ();
  KEEP_FRAME ();
}

/* Make all traces from the same place.  */
static void FRAME
visit (void **pointers, size_t count, void (*check) (void *))
{
  for (size_t i = 0; i < count; ++i)
    if (sigsetjmp (escape, 1) == 0)
      call ((void (*) (void)) pointers[i]);
    else
      check (pointers[i]);
}

static int checked;

/* What follows the wild pointer is what follows take.  */
static void
check (void *pointer)
{
  printf ("info: call of %p\n", pointer);
  ++checked;
  int tail = good.count - 1;
  TEST_VERIFY_EXIT (bad.count > tail);
  TEST_VERIFY (bad.pc[bad.count - tail - 1] == pointer);
  TEST_COMPARE_BLOB (bad.pc + bad.count - tail, tail * sizeof (void *),
		     good.pc + 1, tail * sizeof (void *));
}

static int
do_test (void)
{
  size_t page = sysconf (_SC_PAGESIZE);
  char *gone = xmmap (NULL, 2 * page, PROT_NONE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1);
  xmunmap (gone + page, page);
  void *pointers[] = { take, NULL, gone, gone + 8, gone + page };

  handle_signal (SIGSEGV, handler);
  visit (pointers, array_length (pointers), check);
  TEST_COMPARE (checked, array_length (pointers) - 1);
  TEST_VERIFY (good.count > 3);
  check_no_fallback ();
  return 0;
}

#else
static int
do_test (void)
{
  FAIL_UNSUPPORTED ("not known what a call does");
}
#endif

#include <support/test-driver.c>
