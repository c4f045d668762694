/* Test that unwinding by CFI reaches the caller at each instruction of
   setcontext and swapcontext.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <ucontext.h>

#include "tst-cfi-step.h"

#ifdef HAVE_CFI_STEP

static volatile int visits;

static int
do_test (void)
{
  ucontext_t here, there;

  prepare_steps ();

  /* setcontext returns here, to the same frame.  */
  TEST_COMPARE (getcontext (&here), 0);
  if (visits++ == 0)
    {
      start_steps ();
      setcontext (&here);
    }
  stop_steps ();
  TEST_COMPARE (visits, 2);
  check_steps (20);

  /* swapcontext, too.  */
  visits = 0;
  TEST_COMPARE (getcontext (&here), 0);
  if (visits++ == 0)
    {
      start_steps ();
      swapcontext (&there, &here);
    }
  stop_steps ();
  TEST_COMPARE (visits, 2);
  check_steps (40);
  return 0;
}

#endif

#include <support/test-driver.c>
