/* Test backtrace at every instruction of a call through a PLT entry that
   is bound at startup.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#define BOUND_AT_STARTUP 1
#include "tst-sframe-plt-lazy.c"
