/* Test that the libc of another namespace does not use cached rules of an
   object that was unloaded.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tst-sframe-unload-common.c"

static void *
load_collector (const char *module)
{
  return xdlmopen (LM_ID_NEWLM, module, RTLD_NOW);
}

static bool
complete (const struct trace *trace)
{
  return trace->complete;
}
