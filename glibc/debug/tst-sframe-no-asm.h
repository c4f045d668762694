/* The test on a machine for which tst-sframe-asm.h has no functions.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <support/check.h>

static int
do_test (void)
{
  FAIL_UNSUPPORTED ("needs functions in assembler");
}
