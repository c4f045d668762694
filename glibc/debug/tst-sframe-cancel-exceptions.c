/* Test backtrace in a cancelled thread where the cleanup handler is run
   by the unwinder; the Makefile sets -fexceptions for this file.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tst-sframe-cancel.c"
