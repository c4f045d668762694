/* Test that backtrace finds libgcc while dlopen moves it in the list of loaded
   objects: for some instructions libgcc is not there, and for one of them the
   list is a ring.  backtrace needs libgcc at code that was registered with it.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Single-steps dlopen of a module that has libgcc for a DT_AUXILIARY.  */

#include <execinfo.h>
#include <gnu/lib-names.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <ucontext.h>

#include <support/xsignal.h>

#include "tst-sframe-jit-code.h"

#if HAVE_SFRAME_X86

enum
{
  TRACE_MAX = 100,
  TRAP_FLAG = 0x100,
  /* More objects than there are.  */
  OBJECTS = 100,
};

static struct link_map *libgcc;
static void (*code) (void (*) (void));
static void *pc[TRACE_MAX];
/* The last frame of the process, if its trace is whole.  */
static void *outermost;
static bool stepping;
/* At how many instructions libgcc could not be found in the list, and how many
   traces from there were whole.  */
static int moved, whole;

static void
take_trace (void)
{
  int count = backtrace (pc, TRACE_MAX);

  TEST_VERIFY (count > 0);
  outermost = pc[count - 1];
}

static bool
list_has_libgcc (void)
{
  bool found = false;
  int count = 0;

  for (struct link_map *map = _r_debug.r_map; map != NULL; map = map->l_next)
    {
      if (++count > OBJECTS)
	return false;
      found = found || map == libgcc;
    }
  return found;
}

static void
handler (int signo, siginfo_t *info, void *closure)
{
  ucontext_t *context = closure;

  if (stepping)
    context->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
  else
    context->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
  if (list_has_libgcc ())
    return;
  void *expected = outermost;
  ++moved;
  code (take_trace);
  whole += outermost == expected;
  outermost = expected;
}

static int
do_test (void)
{
  static struct frame_table table;
  struct sigaction sa
    = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
  void *handle = xdlopen (LIBGCC_S_SO, RTLD_NOW);

  TEST_COMPARE (dlinfo (handle, RTLD_DI_LINKMAP, &libgcc), 0);
  code = make_code (&table);
  register_table (handle, &table);
  /* An object between libgcc and the new one.  */
  xdlopen ("tst-sframe-libgcc-mod5.so", RTLD_NOW);
  code (take_trace);

  xsigaction (SIGTRAP, &sa, NULL);
  stepping = true;
  raise (SIGTRAP);
  xdlopen ("tst-sframe-libgcc-mod7.so", RTLD_NOW);
  stepping = false;
  raise (SIGTRAP);
  printf ("info: libgcc moved at %d instructions\n", moved);
  TEST_VERIFY (moved > 0);
  TEST_COMPARE (whole, moved);
  return 0;
}

#else
# include "tst-sframe-no-asm.h"
#endif

#include <support/test-driver.c>
