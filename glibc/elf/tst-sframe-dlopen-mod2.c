/* Module for tst-sframe-dlopen: the same with a frame of another size.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#define FRAME_SIZE 120
#include "tst-sframe-dlopen-mod1.c"
