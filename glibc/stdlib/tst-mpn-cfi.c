/* Test that unwinding by CFI reaches the caller at each instruction of
   __mpn_addmul_1 and __mpn_submul_1.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <gmp.h>

#include "tst-cfi-step.h"

#ifdef HAVE_CFI_STEP

enum { LIMBS = 7 };

/* Step through FUNCTION, which makes RESULT of 67 and four times 15 in the
   last limb.  */
static void __attribute__ ((noinline))
check (__typeof (mpn_addmul_1) function, mp_limb_t result)
{
  mp_limb_t factor[LIMBS] = { 3, 5, 7, 9, 11, 13, 15 };
  mp_limb_t sum[LIMBS] = { 61, 62, 63, 64, 65, 66, 67 };

  start_steps ();
  mp_limb_t carry = function (sum, factor, LIMBS, 4);
  stop_steps ();
  TEST_COMPARE (carry, 0);
  TEST_COMPARE (sum[LIMBS - 1], result);
  check_steps (20);
}

static int
do_test (void)
{
  prepare_steps ();
  check (mpn_addmul_1, 127);
  check (mpn_submul_1, 7);
  return 0;
}

#endif

#include <support/test-driver.c>
