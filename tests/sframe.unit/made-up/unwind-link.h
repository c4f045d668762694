/* The functions of libgcc that backtrace calls, for tests on a simulated
   system.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#define UNWIND_LINK_GETIP 1

#include_next <unwind-link.h>
