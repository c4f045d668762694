/* The functions of libgcc that backtrace calls, for tests on a simulated
   system.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#define UNWIND_LINK_GETIP 1

#include_next <unwind-link.h>

/* The pointers are mangled; see pointer_guard.h.  */
#undef UNWIND_LINK_PTR
#define UNWIND_LINK_PTR(link, name)					      \
  ((__typeof ((link)->ptr_##name)) ((uintptr_t) (link)->ptr_##name ^ 0x80))
