/* Test backtrace in a static PIE, whose tables have no fixed address.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tst-sframe-static.c"
