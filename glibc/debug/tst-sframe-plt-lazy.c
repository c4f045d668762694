/* Test backtrace at every instruction of a call through a PLT entry that
   is bound at its first use.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tst-sframe-step.h"

#ifndef BOUND_AT_STARTUP
# define BOUND_AT_STARTUP 0
#endif

#if HAVE_SFRAME_X86

# include <dlfcn.h>
# include <link.h>
# include <support/xdlfcn.h>

extern int plt_callee (int, int, int, int, int, int, int);

static const void *callee;
static const void *loader;
static int steps_in_plt;
static int steps_in_loader;
static int steps_in_callee;

static void FRAME
step_call (void)
{
  step_start ();
  int result = plt_callee (1, 2, 3, 4, 5, 6, 7);
  step_stop ();
  TEST_COMPARE (result, 140);
}

/* Count the steps in each part of the code.  */
static void
note_place (const struct trace *trace)
{
  int i = 0;
  while (!trace->interrupted[i] && i < trace->count - 1)
    ++i;
  const void *function = function_of_frame (trace, i);
  struct dl_find_object object;
  if (_dl_find_object (trace->pc[i], &object) != 0)
    return;
  if (object.dlfo_link_map->l_ld == loader)
    ++steps_in_loader;
  else if (function == callee)
    ++steps_in_callee;
  else if (function != step_call && function != step_start
	   && function != step_stop)
    ++steps_in_plt;
}

static void
run (void)
{
  steps_in_plt = steps_in_loader = steps_in_callee = 0;
  step_prepare (step_call);
  step.visit = note_place;
  step_call ();
  step_check (10);
  printf ("info: %d in PLT, %d in loader, %d in callee\n", steps_in_plt,
	  steps_in_loader, steps_in_callee);
  TEST_VERIFY (steps_in_plt > 0);
  TEST_VERIFY (steps_in_callee > 0);
}

static const void *
find_loader (void)
{
  struct dl_find_object object;
  TEST_VERIFY_EXIT (_dl_find_object (xdlsym (RTLD_DEFAULT, "__tls_get_addr"),
				     &object) == 0);
  return object.dlfo_link_map->l_ld;
}

static int
do_test (void)
{
  callee = xdlsym (RTLD_DEFAULT, "plt_callee");
  loader = find_loader ();

  run ();
  if (BOUND_AT_STARTUP)
    TEST_COMPARE (steps_in_loader, 0);
  else
    {
      /* jmp, push; push, jmp of the first entry.  */
      TEST_VERIFY (steps_in_plt >= 4);
      TEST_VERIFY (steps_in_loader > 100);
    }

  /* The symbol is now bound in any case.  */
  run ();
  TEST_COMPARE (steps_in_loader, 0);

  check_no_fallback ();
  return 0;
}

#else
static int
do_test (void)
{
  FAIL_UNSUPPORTED ("needs a trap flag");
}
#endif

#include <support/test-driver.c>
