/* Test the larger cache tables with two C libraries: that of a namespace made
   by dlmopen allocates them, for both.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#define OTHER_LIBC
#include "tst-sframe-cache-grow.c"
