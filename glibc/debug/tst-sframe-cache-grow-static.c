/* Test the larger cache tables in a static program.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#define TEST_STATIC
#include "tst-sframe-cache-grow.c"
