/* Test that dlclose of libgcc, while backtrace uses it, neither unmaps it nor
   hides its tables from it, and that it is unmapped later.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <gnu/lib-names.h>

#include <support/check.h>
#include <support/xdlfcn.h>
#include <support/xthread.h>
#include <support/xunistd.h>

enum
{
  DEPTH = 20,
  /* libgcc looks up its own function first and aborts if that fails.  */
  ROUNDS = DEPTH / 2,
};

static int (*find_object) (void *, struct dl_find_object *);
static pthread_barrier_t barrier;
/* How often libgcc has called _dl_find_object in this round, and before which
   of these calls it is closed.  */
static int calls, close_before;
static void *pc[2 * DEPTH];
static int count;

/* The function of that name that libgcc calls, since the program's comes before
   that of ld.so.  */
int
_dl_find_object (void *address, struct dl_find_object *result)
{
  if (++calls == close_before)
    {
      xpthread_barrier_wait (&barrier);
      xpthread_barrier_wait (&barrier);
    }
  return find_object (address, result);
}

static void __attribute_optimization_barrier__
recurse (int depth)
{
  if (depth > 0)
    recurse (depth - 1);
  else
    count = backtrace (pc, 2 * DEPTH);
  asm volatile ("" ::: "memory");
}

static void *
thread_function (void *closure)
{
  recurse (DEPTH);
  return closure;
}

/* Close libgcc before a trace looks up something for the NTH time.  Return an
   address in it.  */
static void *
close_in_trace (int nth)
{
  void *handle = xdlopen (LIBGCC_S_SO, RTLD_NOW);
  void *address = xdlsym (handle, "_Unwind_Backtrace");

  calls = 0;
  close_before = nth;
  pthread_t thread = xpthread_create (NULL, thread_function, NULL);
  xpthread_barrier_wait (&barrier);
  xdlclose (handle);
  xpthread_barrier_wait (&barrier);
  xpthread_join (thread);
  TEST_VERIFY (count > DEPTH);
  return address;
}

/* Whether ADDRESS is in memory that is mapped.  */
static bool
is_mapped (void *address)
{
  uintptr_t page_size = sysconf (_SC_PAGESIZE);
  void *page = (void *) ((uintptr_t) address & -page_size);

  if (msync (page, page_size, MS_ASYNC) == 0)
    return true;
  TEST_COMPARE (errno, ENOMEM);
  return false;
}

static int
do_test (void)
{
  void *address[ROUNDS];

  find_object = xdlsym (RTLD_NEXT, "_dl_find_object");
  xpthread_barrier_init (&barrier, NULL, 2);
  for (int i = 0; i < ROUNDS; ++i)
    address[i] = close_in_trace (i + 1);

  /* dlopen releases what no trace uses any more: in two steps, since another
     trace may have found libgcc until the first.  */
  for (int i = 0; i < 2; ++i)
    xdlclose (xdlopen (LIBGCC_S_SO, RTLD_NOW));
  for (int i = 0; i < ROUNDS; ++i)
    {
      struct dl_find_object result;
      TEST_COMPARE (find_object (address[i], &result), -1);
      TEST_VERIFY (!is_mapped (address[i]));
    }
  return 0;
}

#include <support/test-driver.c>
