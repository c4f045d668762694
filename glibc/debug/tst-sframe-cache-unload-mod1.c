/* The first of two modules that follow each other at the same addresses.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#define MODULE_FRAME 512
#include "tst-sframe-cache-unload-mod.c"
