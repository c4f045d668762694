/* Test that dlclose of libgcc, while backtrace uses it, neither unmaps it nor
   hides its tables from it, and that a later dlclose unmaps it; and that
   backtrace does not use one that is gone.  backtrace uses libgcc at code that
   was registered with it.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <gnu/lib-names.h>

#include <support/check.h>
#include <support/support.h>
#include <support/xdlfcn.h>
#include <support/xthread.h>
#include <support/xunistd.h>

#include "tst-sframe-jit-code.h"

#if HAVE_SFRAME_ASM

enum
{
  DEPTH = 20,
  /* libgcc looks up its own function first and aborts if that fails.  */
  ROUNDS = DEPTH / 2,
};

/* How libgcc looks up the unwinding information of a function.  */
extern const void *_Unwind_Find_FDE (void *, void *);
static const void *(*find_fde) (void *, void *);

static pthread_barrier_t barrier;
/* The number of look-ups in this round, and the one before which libgcc is
   closed.  */
static int calls, close_before;
static void *pc[2 * DEPTH];
static int count;

/* libgcc calls this function, since the program's comes before that of libgcc
   and, on s390x, of libc.  */
const void *
_Unwind_Find_FDE (void *address, void *bases)
{
  if (++calls == close_before)
    {
      xpthread_barrier_wait (&barrier);
      xpthread_barrier_wait (&barrier);
    }
  return find_fde (address, bases);
}

static void
take_trace (void)
{
  count = backtrace (pc, 2 * DEPTH);
  asm volatile ("" ::: "memory");
}

static void (*code) (void (*) (void));

static void __attribute_optimization_barrier__
recurse (int depth)
{
  if (depth > 0)
    recurse (depth - 1);
  else
    code (take_trace);
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
  static struct frame_table tables[ROUNDS];
  void *handle = xdlopen (LIBGCC_S_SO, RTLD_NOW);
  void *address = xdlsym (handle, "_Unwind_Backtrace");

  code = make_code (&tables[nth - 1]);
  register_table (handle, &tables[nth - 1]);
  find_fde = dlsym (RTLD_NEXT, "_Unwind_Find_FDE");
  if (find_fde == NULL)
    find_fde = xdlsym (handle, "_Unwind_Find_FDE");
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

/* dlclose of a module unloads libgcc, too, and the module's destructor calls
   dlopen: libgcc must not be found then.  A later one is.  */
static void
open_in_destructor (void)
{
  static struct frame_table table;

  calls = close_before = 0;
  code = make_code (&table);
  xdlclose (xdlopen ("tst-sframe-libgcc-mod8.so", RTLD_NOW));
  TEST_VERIFY (dlopen (LIBGCC_S_SO, RTLD_NOW | RTLD_NOLOAD) == NULL);
  code (take_trace);
  TEST_COMPARE (count, 2);

  void *handle = xdlopen (LIBGCC_S_SO, RTLD_NOW);
  find_fde = xdlsym (handle, "_Unwind_Find_FDE");
  register_table (handle, &table);
  code (take_trace);
  TEST_VERIFY (count > 2);
}

/* One more object with the name of libgcc is loaded before it, but lacks its
   functions.  When it is closed, backtrace uses libgcc.  */
static void
close_first_of_two (void)
{
  static struct frame_table table;
  struct link_map *map;
  void *handle = xdlopen (LIBGCC_S_SO, RTLD_NOW);

  TEST_COMPARE (dlinfo (handle, RTLD_DI_LINKMAP, &map), 0);
  char *path = xstrdup (map->l_name);
  xdlclose (handle);
  void *first = xdlopen ("tst-sframe-libgcc-mod1.so", RTLD_NOW);
  handle = xdlopen (path, RTLD_NOW);
  free (path);
  find_fde = xdlsym (handle, "_Unwind_Find_FDE");
  code = make_code (&table);
  register_table (handle, &table);
  code (take_trace);
  TEST_COMPARE (count, 2);
  xdlclose (first);
  code (take_trace);
  TEST_VERIFY (count > 2);
  xdlclose (handle);
}

static int
do_test (void)
{
  void *address[ROUNDS];

  xpthread_barrier_init (&barrier, NULL, 2);
  for (int i = 0; i < ROUNDS; ++i)
    address[i] = close_in_trace (i + 1);

  xdlclose (xdlopen (LIBGCC_S_SO, RTLD_NOW));
  for (int i = 0; i < ROUNDS; ++i)
    TEST_VERIFY (!is_mapped (address[i]));
  close_first_of_two ();
  open_in_destructor ();
  return 0;
}

#else
# include "tst-sframe-no-asm.h"
#endif

#include <support/test-driver.c>
