/* Thread-local variables of an object that is loaded late, for workloads.cc.
   SPDX-License-Identifier: LGPL-2.1-or-later

   They are too large for the room that the dynamic linker keeps for such: each
   thread gets them at its first access, in the midst of what is to the compiler
   a call that leaves all registers alone.  */

extern int *next_variable (void);

static _Thread_local int variables[1000];
static _Thread_local int last;

int *
next_variable (void)
{
  last = (last + 1) % 1000;
  return &variables[last];
}
