/* Thread-local variables of an object that is loaded late, for workloads.cc.
   SPDX-License-Identifier: LGPL-2.1-or-later

   They do not fit into the static TLS block.  So each thread allocates them at
   its first access, in a call for which the compiler assumes that no register
   changes.  */

extern int *next_variable (void);

static _Thread_local int variables[1000];
static _Thread_local int last;

int *
next_variable (void)
{
  last = (last + 1) % 1000;
  return &variables[last];
}
