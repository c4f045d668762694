/* Module for tst-sframe-ifunc-dlopen: a pointer to an IFUNC, whose resolver
   runs when the module is relocated.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tst-sframe-ifunc-mod.c"

int (*chosen_pointer) (void) = chosen_function;
