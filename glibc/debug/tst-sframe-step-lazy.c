/* Test backtrace at every instruction of string functions and of qsort,
   each bound at its first call, which runs an IFUNC resolver for some.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tst-sframe-step.c"
