/* Test that a libc.so loaded by a static program does not use cached rules of
   an object that the program has unloaded.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tst-sframe-unload-common.c"

static void *
load_collector (const char *module)
{
  return xdlopen (module, RTLD_NOW);
}

/* In a static program that is not PIE, crtbegin registers the unwind tables
   from its own on, but not that of _start, which is before it.  */
static bool
complete (const struct trace *trace)
{
  extern const char _start[];
  uintptr_t last = (uintptr_t) trace->pc[trace->count - 1];
  return trace->complete || last - (uintptr_t) _start < 64;
}
