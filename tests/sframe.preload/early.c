/* A library whose constructor loads a module.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <dlfcn.h>

void *early_module;

static void __attribute__ ((constructor))
load (void)
{
  early_module = dlopen (MODULE, RTLD_NOW);
}
