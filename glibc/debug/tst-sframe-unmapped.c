/* Test that backtrace does not remember readable memory between calls: the
   memory that FP points to is mapped in one trace and unmapped in the next.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <sys/mman.h>

#include <support/xunistd.h>

#include "tst-sframe-support.h"
#include "tst-sframe-asm.h"

#if HAVE_SFRAME_ASM

enum
{
  /* take, smash and caller.  */
  GOOD_FRAMES = 3,
  PAGES = 4,
};

static struct trace trace;

static void FRAME
take (void)
{
  trace.count = backtrace (trace.pc, TRACE_MAX);
  KEEP_FRAME ();
}

static void FRAME
smash (void *fp)
{
  void *volatile *place = SAVED_FP;
  void *saved = *place;
  if (fp != NULL)
    *place = fp;
  take ();
  *place = saved;
}

/* Trace with and without memory at MEMORY.  Variable in size, so that its CFA
   comes from FP.  */
static void FRAME
caller (size_t size, char *memory)
{
  char buffer[size];
  USE (buffer);
  size_t page = size / PAGES;
  smash (NULL);
  TEST_VERIFY_EXIT (trace.count > GOOD_FRAMES);
  void *return_address = trace.pc[GOOD_FRAMES];
  for (int i = 0; i < 10; ++i)
    {
      xmmap (memory, size, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1);
      for (size_t j = 0; j < size / sizeof (void *); ++j)
	((void **) memory)[j] = return_address;
      smash (memory + page);
      TEST_VERIFY (trace.count > GOOD_FRAMES);
      TEST_VERIFY (trace.pc[GOOD_FRAMES] == return_address);

      xmunmap (memory, size);
      smash (memory + page);
      TEST_COMPARE (trace.count, GOOD_FRAMES);
    }
  KEEP_FRAME ();
}

static int
do_test (void)
{
  size_t size = PAGES * sysconf (_SC_PAGESIZE);
  /* No other mapping takes this range while it is unmapped: the only thread
     maps nothing else.  */
  caller (size, xmmap (NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1));
  check_no_fallback ();
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
