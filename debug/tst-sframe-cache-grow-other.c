/* Test the larger tables of rules with two C libraries: that of a namespace
   made by dlmopen grows them, for both.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#define OTHER_LIBC
#include "tst-sframe-cache-grow.c"
