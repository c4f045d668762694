/* A way to mangle pointers, for tests on a simulated system.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <stdint.h>

#define PTR_MANGLE(pointer) \
  ((pointer) = (__typeof (pointer)) ((uintptr_t) (pointer) ^ 0x80))
