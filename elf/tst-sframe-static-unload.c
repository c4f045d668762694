/* Test that the libc.so that a static program has loaded forgets the rules of
   an object that the program has unloaded.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tst-sframe-unload-common.c"

static void *
load_collector (const char *module)
{
  return xdlopen (module, RTLD_NOW);
}

/* A static program that is no PIE starts with a crtbegin file which
   registers the unwind tables from its own on; those of _start come
   before.  */
static bool
complete (const struct trace *trace)
{
  extern const char _start[];
  return (trace->complete
	  || (uintptr_t) trace->pc[trace->count - 1] - (uintptr_t) _start < 64);
}
