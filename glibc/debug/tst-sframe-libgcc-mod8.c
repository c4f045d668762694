/* A module that needs libgcc and calls dlopen in its destructor.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <dlfcn.h>

static void __attribute__ ((destructor))
open_another (void)
{
  dlopen ("tst-sframe-libgcc-mod5.so", RTLD_NOW);
}
