/* Test that unwinding by CFI reaches the caller at each instruction of
   __mpn_addmul_1 and __mpn_submul_1.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <gmp.h>

#include "tst-cfi-step.h"

#ifdef HAVE_CFI_STEP

static int
do_test (void)
{
  mp_limb_t factor[] = { 3, 5, 7, 9, 11, 13, 15 };
  mp_limb_t sum[] = { 1, 2, 3, 4, 5, 6, 7 };
  mp_limb_t carry;

  prepare_steps ();

  start_steps ();
  carry = mpn_addmul_1 (sum, factor, 7, 4);
  stop_steps ();
  TEST_COMPARE (carry, 0);
  TEST_COMPARE (sum[6], 67);
  check_steps (20);

  traces = 0;
  start_steps ();
  carry = mpn_submul_1 (sum, factor, 7, 4);
  stop_steps ();
  TEST_COMPARE (carry, 0);
  TEST_COMPARE (sum[6], 7);
  check_steps (20);
  return 0;
}

#endif

#include <support/test-driver.c>
