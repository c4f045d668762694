/* Test that with the tunable backtrace does not allocate a larger cache table.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#define TABLES 0
#define ATTEMPTS 0
#include "tst-sframe-cache-grow.c"
