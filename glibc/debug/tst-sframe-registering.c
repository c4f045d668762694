/* Test that backtrace does not wait for libgcc's lock at code of loaded
   objects: malloc calls it, inside a __register_frame that holds the lock.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <gnu/lib-names.h>
#include <stdlib.h>

#include "tst-sframe-jit-code.h"
#include "tst-sframe-support.h"

#if HAVE_SFRAME_ASM

/* Enough for several nodes of libgcc's tree.  Only these are allocated under
   its lock.  */
enum { CODES = 100 };

extern __typeof (malloc) __libc_malloc;

static bool registering;
static int traces;
static struct trace good, inner;

/* There must be no failure in here: its message would call malloc.  */
static void FRAME
take (struct trace *trace)
{
  trace->count = backtrace (trace->pc, TRACE_MAX);
  KEEP_FRAME ();
}

void * FRAME
malloc (size_t size)
{
  if (registering)
    {
      registering = false;
      take (&inner);
      traces++;
      registering = true;
    }
  return __libc_malloc (size);
}

static int
do_test (void)
{
  static struct frame_table tables[CODES];
  size_t page = sysconf (_SC_PAGESIZE);
  int most = 0;
  char *code = xmmap (NULL, CODES * page, PROT_NONE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1);
  void *libgcc = xdlopen (LIBGCC_S_SO, RTLD_NOW);
  void (*add) (void *) = xdlsym (libgcc, "__register_frame");

  take (&good);
  int callers = good.count - 2; /* Of do_test.  */
  TEST_VERIFY_EXIT (callers > 0);
  for (int i = 0; i < CODES; i++)
    {
      make_table (&tables[i], code + i * page, page);
      traces = 0;
      registering = true;
      add (&tables[i]);
      registering = false;
      /* take, malloc, at least one function of libgcc, do_test.  */
      TEST_VERIFY_EXIT (inner.count >= 4 + callers);
      TEST_COMPARE_BLOB (inner.pc + inner.count - callers,
			 callers * sizeof *inner.pc,
			 good.pc + 2, callers * sizeof *good.pc);
      most = traces > most ? traces : most;
    }
  /* One is for the object, before the lock is taken.  */
  if (most < 2)
    FAIL_UNSUPPORTED ("libgcc_s allocates nothing under its lock");
  return 0;
}

#else
# include "tst-sframe-no-asm.h"
#endif

#include <support/test-driver.c>
