/* Test that the tunable keeps backtrace from taking a larger table for rules.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#define TABLES 0
#define ATTEMPTS 0
#include "tst-sframe-cache-grow.c"
