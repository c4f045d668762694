/* An interrupted function that has its return address in a register, for the
   tests of single steps on machines where a call leaves it there.
   SPDX-License-Identifier: GPL-2.0-only  */

#ifndef LEAF_H
#define LEAF_H

#include <linux/unwind_user_types.h>

#include "process.h"

enum
{
  TABLE = 0x10000, TEXT = 0x20000, TEXT_SIZE = 0x100,
  STACK = 0x30000, STACK_SIZE = 0x2000,
  /* Code that is in no registered range.  */
  JIT = 0x28000,
  DATA = 0x38000,
  /* The return address: a call is before it, and it is in the function.  */
  RA = TEXT + 0x40
};

static struct unwind_user_state state;

/* A function of one row, with an unchanged SP and the return address in its
   register, was interrupted at TEXT + 0x10.  ABI is the header's field.  */
static inline void
start_leaf (unsigned int abi)
{
  new_process ();
  memset (memory, 0, sizeof memory);
  map (TABLE, TABLE + 0x1000, VM_READ);
  map (TEXT, TEXT + 0x1000, VM_READ | VM_EXEC);
  map (JIT, JIT + 0x1000, VM_READ | VM_EXEC);
  map (STACK, STACK + STACK_SIZE, VM_READ | VM_WRITE);
  map (DATA, DATA + 0x1000, VM_READ | VM_WRITE);
  put_table (TABLE, TEXT, TEXT_SIZE);
  poke (TABLE + OF_ABI, abi, 1);
  poke (TABLE + OF_FIXED_RA, 0, 1);
  poke (TABLE + OF_ROW + 2, 0, 1);
  CHECK (sframe_add (TABLE, 0x100, TEXT, TEXT_SIZE) == 0);
  state = (struct unwind_user_state) {
    .ip = TEXT + 0x10, .sp = STACK + 0x100, .fp = STACK + 0x200,
    .ws = 8, .topmost = true, .available_types = UNWIND_USER_TYPE_SFRAME
  };
}

/* The trace ends at this frame: no other unwinder is tried.  */
static inline void
check_end (void)
{
  unsigned long ip = state.ip, sp = state.sp;

  CHECK (sframe_unwind_next (&state) == 0);
  CHECK (state.done && state.ip == ip && state.sp == sp);
  state.done = false;
}

#endif /* LEAF_H  */
