/* Single steps of the kernel's SFrame unwinder, on stacks written by hand.
   SPDX-License-Identifier: GPL-2.0-only

   Expected results are those of the System V ABI, AMD64 supplement, and of the
   specification's chapter on the interpretation of FREs.  */

#include <linux/unwind_uprobe.h>
#include <linux/unwind_user_types.h>

#include "process.h"

enum
{
  TABLE = 0x10000, TEXT = 0x20000, TEXT_SIZE = 0x100, OTHER_TEXT = 0x21000,
  STACK = 0x30000, STACK_SIZE = 0x1000, RESTORER = 0x22000,
  /* Code that is in no registered range.  */
  JIT = 0x28000,
  /* A page that is no code.  */
  DATA = 0x38000
};
/* DWARF numbers, and the type of a function and the bits of a control
   word.  */
enum { DI = 5, FP = 6, SP = 7, FLEXIBLE = 1, IS_REGISTER = 1, IN_MEMORY = 2 };
#define CONTROL(reg, bits) ((reg) << 3 | (bits))

static struct unwind_user_state state;

/* Give the table's only row COUNT words of a byte each from WORDS.  */
static void
row (unsigned int type, unsigned int base_is_sp, unsigned int count,
     const int *words)
{
  poke (TABLE + OF_ATTRIBUTE + 3, type, 1);
  poke (TABLE + OF_ROW + 1, base_is_sp | count << 1, 1);
  for (unsigned int i = 0; i < count; ++i)
    poke (TABLE + OF_ROW + 2 + i, words[i], 1);
  poke (TABLE + OF_FRE_LENGTH, 5 + 2 + (count == 0 ? 1 : count), 4);
}

#define ROW(type, base, ...)						\
  row (type, base, sizeof ((int[]) { __VA_ARGS__ }) / sizeof (int),	\
       (int[]) { __VA_ARGS__ })

/* A function that was interrupted at TEXT + 0x10.  Each word of the stack has
   its own address as value, and the stack is executable, so that each may be a
   return address.  */
static void
start (void)
{
  new_process ();
  map (TABLE, TABLE + 0x1000, VM_READ);
  map (TEXT, RESTORER + 0x1000, VM_READ | VM_EXEC);
  map (JIT, JIT + 0x1000, VM_READ | VM_EXEC);
  map (STACK, STACK + STACK_SIZE, VM_READ | VM_WRITE | VM_EXEC);
  map (DATA, DATA + 0x1000, VM_READ | VM_WRITE);
  put_table (TABLE, TEXT, TEXT_SIZE);
  for (unsigned long i = 0; i < STACK_SIZE; i += 8)
    poke (STACK + i, STACK + i, 8);
  state = (struct unwind_user_state) {
    .ip = TEXT + 0x10, .sp = STACK + 0x100, .fp = STACK + 0x200,
    .ws = 8, .topmost = true,
    .available_types = UNWIND_USER_TYPE_SFRAME
  };
}

/* Register the bytes that were written.  */
static void
add (void)
{
  CHECK (sframe_add (TABLE, 0x100, TEXT, TEXT_SIZE) == 0);
}

/* The step fails with ERROR and leaves no trace.  */
static void
check_error (int error)
{
  struct unwind_user_state before = state;
  int result = sframe_unwind_next (&state);

  if (result != error)
    printf ("%d, not %d\n", result, error);
  CHECK (result == error);
  before.sframe_rows = state.sframe_rows;
  before.sframe = state.sframe;
  before.code = state.code;
  before.code_size = state.code_size;
  before.sframe_dropped = state.sframe_dropped;
  CHECK (memcmp (&before, &state, sizeof state) == 0);
}

/* The walk ends at this frame: no other unwinder is tried.  */
static void
check_end (void)
{
  struct unwind_user_state before = state;

  CHECK (sframe_unwind_next (&state) == 0);
  CHECK (state.done);
  CHECK (state.ip == before.ip && state.sp == before.sp
	 && state.fp == before.fp && state.topmost == before.topmost);
  state.done = false;
}

static void
check_step (unsigned long ip, unsigned long sp, unsigned long fp)
{
  int result = sframe_unwind_next (&state);

  CHECK (result == 0);
  CHECK (state.ip == ip && state.sp == sp && state.fp == fp);
  CHECK (!state.topmost && !state.done && state.ucontext == 0);
}

static void
test_default_rules (void)
{
  start ();
  add ();
  check_step (STACK + 0x108, STACK + 0x110, STACK + 0x200);
  end_process ();

  /* CFA and a saved FP.  */
  start ();
  ROW (0, 1, 32, -16);
  add ();
  check_step (STACK + 0x118, STACK + 0x120, STACK + 0x110);
  end_process ();

  start ();
  ROW (0, 0, 16, -16);
  add ();
  check_step (STACK + 0x208, STACK + 0x210, STACK + 0x200);
  end_process ();

  /* An FP that the header fixes.  */
  start ();
  poke (TABLE + 5, -24, 1);
  ROW (0, 1, 32);
  add ();
  check_step (STACK + 0x118, STACK + 0x120, STACK + 0x108);
  end_process ();
}

/* Instructions begin at any address.  */
static void
test_unaligned_addresses (void)
{
  for (unsigned int i = 1; i < 16; ++i)
    {
      start ();
      add ();
      state.ip = TEXT + i;
      check_step (STACK + 0x108, STACK + 0x110, STACK + 0x200);
      end_process ();
    }
}

/* If the header has no fixed RA offset, the row has one.  None, or 0 for
   padding, means that the RA is in a register; this machine has no such
   register.  */
static void
test_ra_in_the_row (void)
{
  start ();
  poke (TABLE + OF_FIXED_RA, 0, 1);
  ROW (0, 1, 32, -16, -24);
  add ();
  check_step (STACK + 0x110, STACK + 0x120, STACK + 0x108);
  end_process ();

  start ();
  poke (TABLE + OF_FIXED_RA, 0, 1);
  ROW (0, 1, 32, 0, -24);
  add ();
  check_end ();
  end_process ();

  start ();
  poke (TABLE + OF_FIXED_RA, 0, 1);
  ROW (0, 1, 32);
  add ();
  check_end ();
  end_process ();
}

/* Blocks of 16 bytes, as in a PLT, at whose start the call has pushed one
   word.  GNU ld's rules have two words for some blocks; see
   SFRAME_ENTRY_CFA_OFF.  */
static void
check_block (unsigned int first, unsigned int second, unsigned int cfa)
{
  static const int rows[] = { 1, 1 | 1 << 1 };

  start ();
  ROW (0, 1, first, 6, rows[1], second);
  poke (TABLE + OF_ROW + 1, rows[1], 1);
  poke (TABLE + OF_ATTRIBUTE, 2, 2);
  poke (TABLE + OF_FRES, 2, 4);
  poke (TABLE + OF_ATTRIBUTE + 2, 0x10, 1);
  poke (TABLE + OF_ATTRIBUTE + 4, 16, 1);
  add ();
  state.ip = TEXT + 0x20 + 8;
  if (cfa == 0)
    check_error (-ENOENT);
  else
    check_step (STACK + 0x100 + cfa - 8, STACK + 0x100 + cfa, STACK + 0x200);
  end_process ();
}

static void
test_blocks (void)
{
  check_block (8, 16, 16);
  check_block (8, 8, 8);
  check_block (16, 16, 8);
  check_block (16, 24, 0);
}

static void
test_outermost_block (void)
{
  start ();
  row (0, 1, 0, NULL);
  poke (TABLE + OF_ATTRIBUTE + 2, 0x10, 1);
  poke (TABLE + OF_ATTRIBUTE + 4, 16, 1);
  add ();
  check_error (-ENOENT);
  end_process ();

  /* From its fifth byte on only.  */
  start ();
  ROW (0, 1, 8);
  poke (TABLE + OF_ATTRIBUTE, 2, 2);
  poke (TABLE + OF_ATTRIBUTE + 2, 0x10, 1);
  poke (TABLE + OF_ATTRIBUTE + 4, 16, 1);
  poke (TABLE + OF_FRES, 2, 4);
  poke (TABLE + OF_FRE_LENGTH, 5 + 3 + 2, 4);
  poke (TABLE + OF_ROW + 3, 4, 1);
  poke (TABLE + OF_ROW + 4, 1, 1);
  add ();
  state.ip = TEXT + 0x14;
  check_error (-ENOENT);
  state.ip = TEXT + 0x13;
  check_step (STACK + 0x100, STACK + 0x108, STACK + 0x200);
  end_process ();
}

/* No rows are an outermost frame in a plain function alone.  */
static void
test_no_rows (void)
{
  static const struct { unsigned int info, info2; } kinds[] = {
    { 0x10, 0 }, { 0, FLEXIBLE }
  };

  for (size_t i = 0; i < ARRAY_SIZE (kinds); ++i)
    {
      start ();
      poke (TABLE + OF_ATTRIBUTE, 0, 2);
      poke (TABLE + OF_FRES, 0, 4);
      poke (TABLE + OF_ATTRIBUTE + 2, kinds[i].info, 1);
      poke (TABLE + OF_ATTRIBUTE + 3, kinds[i].info2, 1);
      poke (TABLE + OF_ATTRIBUTE + 4, 16, 1);
      add ();
      check_error (-ENOENT);
      CHECK (describes (TABLE, TEXT));
      end_process ();
    }
}

/* COUNT functions without bytes at AFTER bytes of a real one, which the search
   for IP meets first.  */
static int
after_empty_functions (unsigned int count, unsigned int after)
{
  unsigned int size = (count + 1) * 16;
  int result;

  start ();
  memcpy (at (TABLE + OF_FDE + size), at (TABLE + OF_ATTRIBUTE), 8);
  poke (TABLE + OF_FRE_OFFSET, size, 4);
  poke (TABLE + OF_FDES, count + 1, 4);
  for (unsigned int i = 1; i <= count; ++i)
    {
      unsigned long fde = TABLE + OF_FDE + i * 16;
      poke (fde, TEXT + after - fde, 8);
      poke (fde + 8, 0, 8);
    }
  CHECK (sframe_add (TABLE, 0x800, TEXT, TEXT_SIZE) == 0);
  result = sframe_unwind_next (&state);
  CHECK (describes (TABLE, TEXT));
  end_process ();
  return result;
}

/* The assembler writes such functions, in any order among those with the same
   start; a table written by hand may have any number of them.  */
static void
test_functions_without_bytes (void)
{
  CHECK (after_empty_functions (1, 0) == 0);
  CHECK (after_empty_functions (8, 0) == 0);
  CHECK (after_empty_functions (1, 8) == -ENOENT);
  machine.accesses = 0;
  CHECK (after_empty_functions (100, 0) == -ENOENT);
  CHECK (machine.accesses < 75);
}

static void
test_outermost (void)
{
  start ();
  row (0, 1, 0, NULL);
  add ();
  CHECK (sframe_unwind_next (&state) == 0 && state.done);
  end_process ();

  /* No rows at all.  */
  start ();
  poke (TABLE + OF_ATTRIBUTE, 0, 2);
  poke (TABLE + OF_FRES, 0, 4);
  add ();
  CHECK (sframe_unwind_next (&state) == 0 && state.done);
  end_process ();
}

/* The return address of a call at the end of a function is after the function;
   an interrupted PC is in it.  */
static void
test_last_and_first_instruction (void)
{
  start ();
  add ();
  state.topmost = false;
  state.ip = TEXT + TEXT_SIZE;
  check_step (STACK + 0x108, STACK + 0x110, STACK + 0x200);
  state.ip = TEXT;
  check_error (-ENOENT);

  state.topmost = true;
  state.ip = TEXT;
  state.sp = STACK + 0x100;
  check_step (STACK + 0x108, STACK + 0x110, STACK + 0x200);
  state.topmost = true;
  state.ip = TEXT + TEXT_SIZE;
  check_error (-ENOENT);
  end_process ();
}

/* Whether the frame at the end of the text is that of its last instructions,
   not that of the restorer which begins there.  */
static void
check_last (bool is_last)
{
  add ();
  poke (TEXT + TEXT_SIZE, 0x0fc0c748, 8);
  poke (TEXT + TEXT_SIZE + 7, 0x050f, 2);
  state.ip = TEXT + TEXT_SIZE;
  if (is_last)
    check_step (STACK + 0x108, STACK + 0x110, STACK + 0x200);
  else
    CHECK (sframe_unwind_next (&state) == 0 && state.ucontext != 0);
  end_process ();
}

/* A function that ends with a system call, after which a restorer may begin.
   The task may be in that system call; in none; in one that has become a signal
   handler or another program, so that RCX is not the return address, or SP is
   as execve has left it.  */
static void
test_last_system_call (void)
{
  for (unsigned int bits = 0; bits < 32; ++bits)
    {
      bool called = bits & 1, code = bits & 2, rcx = bits & 4;
      bool fred = bits & 8, fresh = bits & 16;

      start ();
      /* SYSCALL or two NOPs.  */
      poke (TEXT + TEXT_SIZE - 2, code ? 0x050f : 0x9090, 2);
      machine.in_syscall = called;
      machine.fred = fred;
      current_registers.cx = rcx ? TEXT + TEXT_SIZE : TEXT + 4;
      process.start_stack = fresh ? state.sp : STACK + STACK_SIZE;
      check_last (called && code && (rcx || fred) && !fresh);
    }
}

static void
test_no_table (void)
{
  start ();
  check_error (-ENOENT);
  add ();
  state.ip = OTHER_TEXT;
  check_error (-ENOENT);
  state.ip = ULONG_MAX;
  check_error (-EINVAL);
  /* A 32-bit segment of a 64-bit process.  */
  state.ip = TEXT + 0x10;
  state.ws = 4;
  check_error (-ENOENT);
  end_process ();
}

static void
test_stack_that_makes_no_sense (void)
{
  start ();
  add ();
  state.sp = STACK + 0x104;
  check_end ();
  /* The address of the RA is after the stack, or wraps.  */
  state.sp = STACK + STACK_SIZE - 8;
  check_end ();
  state.sp = ULONG_MAX - 7;
  check_end ();
  sframe_remove (TABLE);

  /* The CFA must rise, by a word at least.  */
  ROW (0, 1, 0);
  add ();
  state.sp = STACK + 0x100;
  check_end ();
  sframe_remove (TABLE);
  ROW (0, 0, 16);
  add ();
  state.fp = STACK + 0x100 - 16;
  check_end ();
  state.fp = STACK + 0x100 - 8;
  check_step (STACK + 0x100, STACK + 0x108, STACK + 0xf8);
  end_process ();
}

/* CFA in a register that only an interrupted frame has; also RA and FP.  */
static void
test_registers (void)
{
  unsigned long *registers[] = {
    &current_registers.ax, &current_registers.dx, &current_registers.cx,
    &current_registers.bx, &current_registers.si, &current_registers.di,
    NULL, NULL, &current_registers.r8, &current_registers.r9,
    &current_registers.r10, &current_registers.r11, &current_registers.r12,
    &current_registers.r13, &current_registers.r14, &current_registers.r15,
  };

  for (unsigned int i = 0; i < 16; ++i)
    {
      start ();
      ROW (FLEXIBLE, 0, CONTROL (i, IS_REGISTER), 16);
      add ();
      if (registers[i] != NULL)
	*registers[i] = STACK + 0x400;
      state.topmost = i != SP && i != FP;
      machine.clamped = 0;
      unsigned long cfa = (i == SP ? STACK + 0x110 : i == FP ? STACK + 0x210
			   : STACK + 0x410);
      check_step (cfa - 8, cfa, STACK + 0x200);
      /* The register number comes from the table: it must not be used even
	 under speculation.  */
      CHECK (machine.clamped == (registers[i] != NULL));

      /* Deeper they are lost, and that FP leads on is no more likely.  */
      state.ip = TEXT + 0x10;
      if (registers[i] != NULL)
	{
	  *registers[i] = 0;
	  check_end ();
	}
      end_process ();
    }

  /* Number 16 is no register, and is not taken for number 0.  */
  start ();
  ROW (FLEXIBLE, 0, CONTROL (16, IS_REGISTER), 16);
  add ();
  state.topmost = true;
  current_registers.ax = STACK + 0x400;
  check_end ();
  end_process ();

  /* A function that has popped RA to a register, as vfork has: CFA is SP.  One
     that has called something cannot have.  */
  for (int topmost = 0; topmost < 2; ++topmost)
    {
      start ();
      ROW (FLEXIBLE, 0, CONTROL (SP, IS_REGISTER), 0,
	   CONTROL (DI, IS_REGISTER), 0);
      add ();
      current_registers.di = TEXT + 0x20;
      state.topmost = topmost;
      if (topmost)
	check_step (TEXT + 0x20, STACK + 0x100, STACK + 0x200);
      else
	check_end ();
      end_process ();
    }
}

static void
test_flexible_places (void)
{
  start ();
  /* CFA is the word at FP + 8, RA is at SP + 24, FP is CFA + 32.  */
  ROW (FLEXIBLE, 0, CONTROL (FP, IS_REGISTER | IN_MEMORY), 8,
       CONTROL (SP, IS_REGISTER | IN_MEMORY), 24, CONTROL (1, 0), 32);
  add ();
  check_step (STACK + 0x118, STACK + 0x208, STACK + 0x228);
  end_process ();
}

/* A wrong rule does not let the stack grow below its mapping.  Memory that is
   mapped, but not present, is read.  */
static void
test_memory_without_mapping (void)
{
  for (int mapped = 0; mapped < 2; ++mapped)
    {
      start ();
      /* RA is at SP - 24.  */
      ROW (FLEXIBLE, 0, CONTROL (SP, IS_REGISTER), 8,
	   CONTROL (SP, IS_REGISTER | IN_MEMORY), -24);
      add ();
      state.sp = STACK + 32 * mapped;
      process.areas[3].absent = true;
      machine.growths = machine.unmapped = 0;
      if (mapped)
	check_step (STACK + 8, STACK + 40, STACK + 0x200);
      else
	check_end ();
      CHECK (machine.growths == 0 && (machine.unmapped == 0) == mapped);
      end_process ();
    }
}

/* Unmap the stack, but not before a read of it has failed.  */
static void
unmap_stack (void)
{
  if (machine.traps > 0)
    process.areas[3].vm_end = process.areas[3].vm_start;
}

/* Nor does it grow if its mapping goes away after it was looked up.  */
static void
test_memory_unmapped_meanwhile (void)
{
  start ();
  add ();
  process.areas[3].absent = true;
  machine.growths = machine.traps = 0;
  machine.at_unlock = unmap_stack;
  check_end ();
  machine.at_unlock = NULL;
  CHECK (process.areas[3].vm_end == process.areas[3].vm_start);
  CHECK (machine.growths == 0);
  end_process ();
}

/* By GCC's rules at the end of a function that realigns the stack, FP is saved
   at the address in FP.  Until FP is restored, that address is in the
   frame.  */
static void
test_restored_fp (void)
{
  /* The frame is from 0x100 up to 0x118.  */
  static const struct
  {
    unsigned long fp;
    int offset;
    unsigned long caller_fp;
  } cases[] = {
    { 0x100, 0, 0x900 }, { 0x108, 0, 0x908 }, { 0x118, 0, 0x118 },
    { 0x200, 0, 0x200 }, { 0xf8, 0, 0xf8 },
    { -8UL - STACK, 0, -8UL - STACK }, { 0x110, -16, 0x900 },
    { 0x118, -16, 0x908 }, { 0x128, -16, 0x128 }, { 0xf8, 8, 0x900 }
  };

  for (unsigned int i = 0; i < sizeof cases / sizeof *cases; ++i)
    {
      start ();
      /* CFA is SP + 24, RA and FP are at CFA - 8 and FP + offset.  */
      ROW (FLEXIBLE, 0, CONTROL (SP, IS_REGISTER), 24, CONTROL (1, IN_MEMORY),
	   -8, CONTROL (FP, IS_REGISTER | IN_MEMORY), cases[i].offset);
      add ();
      for (unsigned long at = STACK; at < STACK + 0x400; at += 8)
	poke (at, STACK + 0x800 + (at - STACK), 8);
      poke (STACK + 0x110, TEXT + 0x20, 8);
      state.fp = STACK + cases[i].fp;
      check_step (TEXT + 0x20, STACK + 0x118, STACK + cases[i].caller_fp);
      end_process ();
    }
}

/* A step by FP alone may not know the caller's FP.  Where a later frame saved it,
   it is known again.  */
static void
test_lost_fp (void)
{
  start ();
  ROW (0, 1, 32, -16);
  add ();
  state.topmost = false;
  state.fp_lost = true;
  check_step (STACK + 0x118, STACK + 0x120, STACK + 0x110);
  CHECK (!state.fp_lost);
  end_process ();

  /* Here it was not saved.  */
  start ();
  ROW (0, 1, 32);
  add ();
  state.topmost = false;
  state.fp_lost = true;
  check_step (STACK + 0x118, STACK + 0x120, STACK + 0x200);
  CHECK (state.fp_lost);
  end_process ();
}

/* Write a signal frame's registers, each telling its own address, and the
   restorer, which begins with a mov.  */
static void
put_signal_frame (unsigned long ucontext)
{
  static const unsigned char code[] = {
    0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05
  };

  memcpy (at (RESTORER), code, sizeof code);
  /* REG_RIP, REG_RSP and REG_RBP of <sys/ucontext.h>, in its gregs.  */
  poke (ucontext + 40 + 16 * 8, TEXT, 8);
  poke (ucontext + 40 + 15 * 8, STACK + 0x100, 8);
  poke (ucontext + 40 + 10 * 8, STACK + 0x300, 8);
}

/* A wrong table may have said where the signal frame is.  */
static void
test_signal_frame_without_mapping (void)
{
  start ();
  put_signal_frame (STACK + 0x800);
  add ();
  state.topmost = false;
  state.ip = RESTORER;
  state.sp = STACK - 0x1000;
  machine.growths = machine.unmapped = 0;
  check_end ();
  CHECK (machine.growths == 0 && machine.unmapped > 0);
  end_process ();
}

static void
test_signal_frame (void)
{
  start ();
  put_signal_frame (STACK + 0x800);
  add ();
  state = (struct unwind_user_state) {
    .ip = RESTORER, .sp = STACK + 0x800, .ws = 8, .topmost = true,
    .available_types = UNWIND_USER_TYPE_SFRAME
  };
  CHECK (sframe_unwind_next (&state) == 0);
  /* To another stack, or a lower address of the same.  */
  CHECK (state.ip == TEXT && state.sp == STACK + 0x100
	 && state.fp == STACK + 0x300);
  CHECK (!state.topmost && !state.done);
  /* Interrupted at its first instruction.  Its caller was not.  */
  check_step (STACK + 0x108, STACK + 0x110, STACK + 0x300);
  CHECK (!state.interrupted);
  end_process ();
}

/* The byte before a restorer belongs to its own function, as in glibc, or to one
   that ends there.  */
static void
test_signal_frame_with_rule (void)
{
  for (int own = 0; own < 2; ++own)
    {
      unsigned long from = own ? RESTORER - 1 : RESTORER - 0x10;
      unsigned long size = RESTORER + (own ? 9 : 0) - from;

      start ();
      put_signal_frame (STACK + 0x800);
      put_table (TABLE, from, size);
      poke (TABLE + OF_ATTRIBUTE + 2, own ? 0x80 : 0, 1);
      CHECK (sframe_add (TABLE, 0x100, from, size) == 0);
      state = (struct unwind_user_state) {
	.ip = RESTORER, .sp = STACK + 0x800, .ws = 8,
	.available_types = UNWIND_USER_TYPE_SFRAME
      };
      CHECK (sframe_unwind_next (&state) == 0 && !state.done);
      CHECK (state.ip == TEXT && state.sp == STACK + 0x100
	     && state.fp == STACK + 0x300);
      end_process ();
    }
}

/* A restorer may be the first byte of its mapping, where nothing else that is
   returned to can be.  */
static void
test_signal_frame_at_start_of_mapping (void)
{
  start ();
  put_signal_frame (STACK + 0x110);
  add ();
  machine_unmap (&process, TEXT + 0x1000, RESTORER);
  poke (STACK + 0x108, RESTORER, 8);
  check_step (RESTORER, STACK + 0x110, STACK + 0x200);
  end_process ();

  start ();
  add ();
  memset (at (RESTORER), 0x90, 16);
  machine_unmap (&process, TEXT + 0x1000, RESTORER);
  poke (STACK + 0x108, RESTORER, 8);
  check_end ();
  end_process ();
}

enum { TRAP = 5, TRAP_BIT = 1 << 4, FROM_KERNEL = 0x80 };

/* Put a signal frame that has interrupted the end of a function of which INT3
   or a NOP is the last instruction.  */
static void
start_after (bool trap, bool int3)
{
  start ();
  put_signal_frame (STACK + 0x800);
  poke (STACK + 0x800 + 40 + 16 * 8, TEXT + TEXT_SIZE, 8);
  /* REG_TRAPNO.  */
  poke (STACK + 0x800 + 40 + 20 * 8, trap ? 3 : 14, 8);
  poke (TEXT + TEXT_SIZE - 1, int3 ? 0xcc : 0x90, 1);
  add ();
  state = (struct unwind_user_state) {
    .ip = RESTORER, .sp = STACK + 0x800, .ws = 8,
    .available_types = UNWIND_USER_TYPE_SFRAME
  };
}

/* Only the INT3 itself precedes that address.  */
static void
check_after (bool after)
{
  if (after)
    {
      check_step (STACK + 0x108, STACK + 0x110, STACK + 0x300);
      /* This holds for the interrupted frame alone.  */
      CHECK (!state.ip_after);
    }
  else
    check_error (-ENOENT);
  end_process ();
}

/* The flags of SIGTRAP's handler, and the contents of its siginfo; MASK was
   blocked before the signal, BLOCKED is blocked now.  */
static void
check_signal_after (unsigned long flags, int signo, int code,
		    unsigned long mask, unsigned long blocked, bool after)
{
  for (int i = 0; i < 4; ++i)
    {
      bool trap = i & 1, int3 = i & 2;

      start_after (trap, int3);
      /* uc_sigmask ends the ucontext, and siginfo follows.  */
      poke (STACK + 0x800 + 296, mask, 8);
      poke (STACK + 0x800 + 304, signo, 4);
      poke (STACK + 0x800 + 312, code, 4);
      current->sighand->action[TRAP - 1].sa.sa_flags = flags;
      current->blocked.sig[0] = blocked;
      CHECK (sframe_unwind_next (&state) == 0);
      check_after (trap && int3 && after);
    }
  current->blocked.sig[0] = 0;
}

static void
test_after_trap (void)
{
  enum { SIGINFO = 4, NODEFER = 0x40000000 };

  /* siginfo decides if there is one.  */
  check_signal_after (SIGINFO, TRAP, FROM_KERNEL, 0, TRAP_BIT, true);
  check_signal_after (SIGINFO, TRAP, FROM_KERNEL, TRAP_BIT, 0, true);
  check_signal_after (SIGINFO, TRAP, -6, 0, TRAP_BIT, false);
  check_signal_after (SIGINFO, TRAP + 1, FROM_KERNEL, 0, TRAP_BIT, false);
  /* Otherwise the bytes are those of an earlier signal.  */
  check_signal_after (0, TRAP + 1, -6, 0, TRAP_BIT, true);
  check_signal_after (0, TRAP, FROM_KERNEL, 0, ~TRAP_BIT, false);
  check_signal_after (0, TRAP, FROM_KERNEL, TRAP_BIT, TRAP_BIT, false);
  check_signal_after (NODEFER, TRAP + 1, -6, ~TRAP_BIT, 0, true);
  check_signal_after (NODEFER, TRAP, FROM_KERNEL, TRAP_BIT, 0, false);
}

/* The topmost frame, with COUNT queued signals, of which the first one is SIGNO
   with CODE, and the others were sent.  */
static void
check_queued_after (int signo, int code, int count, bool after)
{
  struct sigqueue queue[8] = { { .info = { signo, code, NULL } } };

  for (int i = 0; i < 4; ++i)
    {
      bool trap = i & 1, int3 = i & 2;

      start_after (trap, int3);
      CHECK (sframe_unwind_next (&state) == 0);
      INIT_LIST_HEAD (&current->pending.list);
      for (int j = 0; j < count; ++j)
	list_add_tail (&queue[j].list, &current->pending.list);
      current->pending.signal.sig[0] = 1UL << (signo - 1);
      current->thread.trap_nr = trap ? 3 : 14;
      state.topmost = true;
      state.ip_after = state.interrupted = false;
      check_after (trap && int3 && after);
    }
  INIT_LIST_HEAD (&current->pending.list);
  current->pending.signal.sig[0] = 0;
}

static void
test_after_queued_trap (void)
{
  check_queued_after (TRAP, FROM_KERNEL, 1, true);
  check_queued_after (TRAP, FROM_KERNEL, 4, true);
  check_queued_after (TRAP, FROM_KERNEL, 5, false);
  check_queued_after (TRAP, FROM_KERNEL, 0, false);
  /* Sent, perhaps blocked for long.  */
  check_queued_after (TRAP, -6, 1, false);
  check_queued_after (TRAP + 1, FROM_KERNEL, 1, false);
}

/* Interrupted frames have all registers.  By DWARF number, where they are in
   the gregs of <sys/ucontext.h>: REG_RAX is 13, and so on.  */
static void
test_registers_of_signal_frame (void)
{
  static const int gregs[] = { 13, 12, 14, 11, 9, 8, 10, 15, 0, 1, 2, 3, 4, 5,
			       6, 7 };

  for (unsigned int i = 0; i <= ARRAY_SIZE (gregs); ++i)
    {
      start ();
      put_signal_frame (STACK + 0x800);
      if (i != SP && i != FP)
	poke (STACK + 0x800 + 40 + gregs[i % ARRAY_SIZE (gregs)] * 8,
	      STACK + 0x500, 8);
      ROW (FLEXIBLE, 0, CONTROL (i, IS_REGISTER), 16);
      add ();
      state = (struct unwind_user_state) {
	.ip = RESTORER, .sp = STACK + 0x800, .ws = 8,
	.available_types = UNWIND_USER_TYPE_SFRAME
      };
      CHECK (sframe_unwind_next (&state) == 0);
      unsigned long cfa = (i == SP ? STACK + 0x110 : i == FP ? STACK + 0x310
			   : STACK + 0x510);
      machine.clamped = 0;
      if (i == ARRAY_SIZE (gregs))
	check_end ();
      else
	{
	  check_step (cfa - 8, cfa, STACK + 0x300);
	  CHECK (machine.clamped == (i != SP && i != FP));
	}
      end_process ();
    }
}

static void
test_not_quite_a_restorer (void)
{
  static const unsigned char wrong[][2] = {
    { 0, 0x49 }, { 1, 0xc6 }, { 2, 0xc1 }, { 3, 0x0e }, { 6, 1 }, { 6, 0x80 },
    { 7, 0x0e }, { 8, 0x34 }
  };

  for (size_t i = 0; i < ARRAY_SIZE (wrong); ++i)
    {
      start ();
      add ();
      put_signal_frame (STACK + 0x800);
      *at (RESTORER + wrong[i][0]) = wrong[i][1];
      /* At the first instruction, and in the topmost frame at the second.  */
      for (unsigned int at_syscall = 0; at_syscall < 2; ++at_syscall)
	{
	  state = (struct unwind_user_state) {
	    .ip = RESTORER + at_syscall * 7, .sp = STACK + 0x800, .ws = 8,
	    .topmost = at_syscall,
	    .available_types = UNWIND_USER_TYPE_SFRAME
	  };
	  check_error (-ENOENT);
	}
      end_process ();
    }

  /* The memory ends in its first instruction.  */
  start ();
  add ();
  put_signal_frame (STACK + 0x800);
  memcpy (at (RESTORER + 0xffe), at (RESTORER), 2);
  state.ip = RESTORER + 0xffe;
  state.sp = STACK + 0x800;
  check_error (-ENOENT);
  end_process ();

  /* The syscall was reached, if by an interrupted thread.  */
  start ();
  add ();
  put_signal_frame (STACK + 0x800);
  state.ip = RESTORER + 7;
  state.sp = STACK + 0x800;
  CHECK (sframe_unwind_next (&state) == 0 && state.ip == TEXT);
  state = (struct unwind_user_state) {
    .ip = RESTORER + 7, .sp = STACK + 0x800, .ws = 8,
    .available_types = UNWIND_USER_TYPE_SFRAME
  };
  check_error (-ENOENT);
  end_process ();
}

/* In a process that has registered nothing, all but the vDSO is left to the
   other unwinders: signal frames, bad pointers, and what FP points to.  */
static void
test_nothing_registered (void)
{
  start ();
  CHECK (!sframe_has_tables (&process));
  put_signal_frame (STACK + 0x800);
  state.available_types = UNWIND_USER_TYPE_FP;
  check_error (-ENOENT);
  state.ip = 0;
  check_error (-ENOENT);
  state = (struct unwind_user_state) {
    .ip = RESTORER, .sp = STACK + 0x800, .ws = 8
  };
  check_error (-ENOENT);
  machine.accesses = 0;
  CHECK (sframe_guess_ok (&state, DATA, STACK + 0x210, 1));
  CHECK (machine.accesses == 0);
  state.available_types = UNWIND_USER_TYPE_SFRAME;
  CHECK (!sframe_guess_ok (&state, DATA, STACK + 0x210, 1));
  CHECK (sframe_unwind_next (&state) == 0 && state.ip == TEXT);
  add ();
  CHECK (sframe_has_tables (&process));
  CHECK (sframe_remove (TABLE) == 0 && !sframe_has_tables (&process));
  CHECK (sframe_set_order (1) == 0 && !sframe_has_tables (&process));
  end_process ();
}

/* A table that contradicts the format is dropped, by its first reader.  */
static void
test_corrupt (void)
{
  const struct
  {
    const char *what;
    unsigned int at, width;
    uint32_t value;
  } cases[] = {
    { "attribute after the rows", OF_FDE + 12, 4, 4 },
    { "attribute at the end of 32 bits", OF_FDE + 12, 4, UINT32_MAX },
    { "unknown type of rows", OF_ATTRIBUTE + 2, 1, 3 },
    { "blocks of no size", OF_ATTRIBUTE + 2, 1, 0x10 },
    { "more rows than there are", OF_ATTRIBUTE, 2, 2 },
    { "more words than there are", OF_ROW + 1, 1, 1 | 2 << 1 },
    { "words of no size", OF_ROW + 1, 1, 1 | 1 << 1 | 3 << 5 },
    { "CFA without base", OF_ATTRIBUTE + 3, 1, FLEXIBLE },
  };

  for (size_t i = 0; i < ARRAY_SIZE (cases); ++i)
    {
      start ();
      /* Room for nothing more.  */
      poke (TABLE + OF_FRE_LENGTH, 5 + 3, 4);
      CHECK (sframe_add (TABLE, TABLE_SIZE, TEXT, TEXT_SIZE) == 0);
      poke (TABLE + cases[i].at, cases[i].value, cases[i].width);
      machine.messages = 0;
      check_error (-EBADMSG);
      if (machine.messages != 1 || !describes (0, TEXT))
	printf ("not dropped: %s\n", cases[i].what);
      CHECK (machine.messages == 1 && describes (0, TEXT));
      check_error (-ENOENT);
      end_process ();
    }
}

/* Without memory for a copy of the shared set the table stays.  One table is
   dropped for each stack: the set may have many texts, and be shared again.  */
static void
test_corrupt_without_memory (void)
{
  struct mm_struct child;

  start ();
  add ();
  poke (TABLE + OF_FDE + 12, UINT32_MAX, 4);
  machine_fork (&child, &process, 0);
  machine.no_memory = true;
  CHECK (sframe_unwind_next (&state) == -EBADMSG && state.sframe_dropped);
  machine.no_memory = false;
  CHECK (sframe_unwind_next (&state) == -EBADMSG && describes (TABLE, TEXT));
  /* Nor does another trace try it, while the set is shared.  */
  machine.mm_locks = 0;
  state.sframe_dropped = false;
  CHECK (sframe_unwind_next (&state) == -EBADMSG && describes (TABLE, TEXT));
  CHECK (machine.mm_locks == 0);
  machine_exit (&child);
  /* That denial does not count for the next child.  */
  machine_fork (&child, &process, 0);
  state.sframe_dropped = false;
  CHECK (sframe_unwind_next (&state) == -EBADMSG && describes (0, TEXT));
  machine_exit (&child);
  end_process ();
}

/* Once there is memory for a copy again, others need not do without one.  */
static void
test_corrupt_with_memory_again (void)
{
  struct mm_struct child, other;

  start ();
  add ();
  poke (TABLE + OF_FDE + 12, UINT32_MAX, 4);
  machine_fork (&child, &process, 0);
  machine_fork (&other, &process, 0);
  machine.no_memory = true;
  CHECK (sframe_unwind_next (&state) == -EBADMSG && describes (TABLE, TEXT));
  machine.no_memory = false;
  current->mm = &child;
  CHECK (sframe_set_order (1) == 0);
  current->mm = &process;
  state.sframe_dropped = false;
  CHECK (sframe_unwind_next (&state) == -EBADMSG && describes (0, TEXT));
  machine_exit (&other);
  machine_exit (&child);
  end_process ();
}

/* A feature of a later version is no reason to remove a table.  */
static void
test_unknown (void)
{
  start ();
  add ();
  poke (TABLE + OF_ATTRIBUTE + 3, 2, 1);
  check_error (-ENOENT);
  CHECK (describes (TABLE, TEXT));
  end_process ();
}

/* Write CODE, which ends at ADDRESS, after NOPs, and return whether a frame
   without a table and in no chain may return to ADDRESS.  */
static bool
guess (unsigned long address, const unsigned char *code, size_t size)
{
  memset (at (address - 8), 0x90, 8);
  memcpy (at (address - size), code, size);
  return sframe_guess_ok (&state, address, STACK + 0x210, 1);
}

#define GUESS(address, ...)						\
  guess (address, (const unsigned char[]) { __VA_ARGS__ },		\
	 sizeof ((const unsigned char[]) { __VA_ARGS__ }))

/* Calls by the AMD64 manual, volume 3: E8 and FF /2, in each length; FF /3 is
   far, FF /4 a jump.  */
static void
test_calls (void)
{
  unsigned long address = OTHER_TEXT + 0x100;

  start ();
  add ();
  CHECK (!GUESS (address, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90));
  CHECK (GUESS (address, 0xe8, 1, 2, 3, 4));
  CHECK (!GUESS (address, 0xe9, 1, 2, 3, 4));
  CHECK (GUESS (address, 0xff, 0xd0));
  CHECK (GUESS (address, 0xff, 0xd5));
  CHECK (GUESS (address, 0xff, 0x10));
  CHECK (!GUESS (address, 0xff, 0xe0));
  CHECK (!GUESS (address, 0xff, 0xdf));
  CHECK (GUESS (address, 0xff, 0x50, 8));
  CHECK (GUESS (address, 0xff, 0x54, 0x24, 8));
  CHECK (!GUESS (address, 0x0f, 0x1f, 0x40, 0));
  CHECK (GUESS (address, 0xff, 0x15, 1, 2, 3, 4));
  CHECK (!GUESS (address, 0xff, 0x25, 1, 2, 3, 4));
  CHECK (GUESS (address, 0xff, 0x94, 0x24, 1, 2, 3, 4));
  CHECK (GUESS (address, 0xff, 0x14, 0xc8));
  CHECK (GUESS (address, 0xff, 0x14, 0x25, 1, 2, 3, 4));
  CHECK (GUESS (address, 0xff, 0x53, 8));
  /* Of another length than the distance.  */
  CHECK (!GUESS (address, 0x90, 0x90, 0x90, 0x90, 0xff, 0xd0, 0x90));
  CHECK (!GUESS (address, 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0x50));
  CHECK (!GUESS (address, 0x90, 0x90, 0xff, 0x15, 1, 2, 3));
  CHECK (!GUESS (address, 0x90, 0x90, 0x90, 0xff, 0x14, 0x25, 1));
  CHECK (!GUESS (address, 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0x14));
  end_process ();
}

/* A uprobe puts a breakpoint in place of an opcode.  */
static void
test_calls_with_uprobe (void)
{
  unsigned long address = OTHER_TEXT + 0x100;

  start ();
  add ();
  for (int probed = 0; probed < 2; ++probed)
    {
      process.flags = (unsigned long) probed << MMF_HAS_UPROBES;
      CHECK (GUESS (address, 0x90, 0x90, 0xcc, 1, 2, 3, 4) == probed);
      CHECK (GUESS (address, 0x90, 0x90, 0x90, 0x90, 0x90, 0xcc, 0xd0)
	     == probed);
      CHECK (!GUESS (address, 0xcc, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90));
    }
  end_process ();
}

/* The bytes in front of an address may be fewer than of the longest call, or
   be for execution only.  */
static void
test_calls_at_the_start (void)
{
  start ();
  add ();
  memset (at (JIT), 0x90, 0x10);
  CHECK (GUESS (JIT + 5, 0xe8, 1, 2, 3, 4));
  CHECK (GUESS (JIT + 2, 0xff, 0xd0));
  CHECK (!GUESS (JIT + 6, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90));
  CHECK (!GUESS (JIT + 1, 0xd0));
  /* JIT is in front of its mapping.  */
  CHECK (!sframe_guess_ok (&state, JIT, STACK + 0x210, 1));
  machine.fault_at = JIT;
  CHECK (sframe_guess_ok (&state, JIT + 1, STACK + 0x210, 1));
  CHECK (sframe_guess_ok (&state, JIT + 0x100, STACK + 0x210, 1));
  /* The page may just be missing in a task that cannot wait for it.  */
  machine.exiting = true;
  CHECK (!sframe_guess_ok (&state, JIT + 0x100, STACK + 0x210, 1));
  machine.exiting = false;
  machine.fault_at = 0;
  end_process ();
}

/* Where a frame may return to, beside the code in front of it.  */
static void
test_guesses (void)
{
  start ();
  /* Frame pointers are not checked if SFrame is not available, or in 32-bit
     code.  */
  add ();
  state.available_types = UNWIND_USER_TYPE_FP;
  CHECK (sframe_guess_ok (&state, DATA, STACK + 0x210, 1));
  state.available_types |= UNWIND_USER_TYPE_SFRAME;
  CHECK (!sframe_guess_ok (&state, DATA, STACK + 0x210, 1));
  state.ws = 4;
  CHECK (sframe_guess_ok (&state, DATA, STACK + 0x210, 1));
  state.ws = 8;
  CHECK (!GUESS (DATA + 0x100, 0xe8, 1, 2, 3, 4));
  CHECK (GUESS (TEXT + 0x20, 0xe8, 1, 2, 3, 4));
  /* A call that never returns may be the last one of its mapping.  */
  CHECK (GUESS (RESTORER + 0x1000, 0xe8, 1, 2, 3, 4));
  CHECK (!GUESS (OTHER_TEXT + 0x20, 0x90, 0x90));
  CHECK (!sframe_guess_ok (&state, 0, STACK + 0x210, 1));
  put_signal_frame (STACK + 0x800);
  CHECK (sframe_guess_ok (&state, RESTORER, STACK + 0x210, 1));
  CHECK (!sframe_guess_ok (&state, RESTORER + 7, STACK + 0x210, 1));
  end_process ();
}

/* Return addresses that follow no call, as in interpreters and contexts: then
   the frame must be in a chain, and the code must not be that of a
   compiler.  */
static void
test_uncalled (void)
{
  enum { END = STACK + 0x210, NEXT = STACK + 0x300 };

  start ();
  add ();
  /* No call, no restorer: the pages are zero.  */
  CHECK (sframe_guess_ok (&state, JIT + 0x20, END, 0));
  CHECK (sframe_guess_ok (&state, JIT + 0x20, END, NEXT));
  CHECK (sframe_guess_ok (&state, JIT + 0x20, END, NEXT + 8));
  CHECK (sframe_guess_ok (&state, JIT + 0x20, END, END));
  CHECK (!sframe_guess_ok (&state, JIT + 0x20, END, END - 8));
  CHECK (!sframe_guess_ok (&state, JIT + 0x20, END, NEXT + 4));
  machine.growths = 0;
  CHECK (!sframe_guess_ok (&state, JIT + 0x20, END, STACK + STACK_SIZE));
  CHECK (!sframe_guess_ok (&state, JIT + 0x20, END, ULONG_MAX - 7));
  CHECK (machine.growths == 0);
  poke (NEXT + 8, DATA + 0x10, 8);
  CHECK (!sframe_guess_ok (&state, JIT + 0x20, END, NEXT));
  poke (NEXT + 8, JIT + 0x10, 8);
  CHECK (sframe_guess_ok (&state, JIT + 0x20, END, NEXT));
  /* The byte before a return address is code.  */
  poke (NEXT + 8, JIT, 8);
  CHECK (!sframe_guess_ok (&state, JIT + 0x20, END, NEXT));
  poke (NEXT + 8, JIT + 0x1000, 8);
  CHECK (sframe_guess_ok (&state, JIT + 0x20, END, NEXT));
  /* A described function is returned to at its start alone.  */
  CHECK (!sframe_guess_ok (&state, TEXT + 0x20, END, NEXT));
  CHECK (!sframe_guess_ok (&state, TEXT + 0x20, END, 0));
  /* Nor is it after its last byte without a chain.  */
  CHECK (!sframe_guess_ok (&state, TEXT + TEXT_SIZE, END, 0));
  CHECK (sframe_guess_ok (&state, TEXT + TEXT_SIZE + 1, END, 0));
  sframe_remove (TABLE);
  CHECK (sframe_add (TABLE, 0x100, TEXT - 0x10, TEXT_SIZE) == -EINVAL);
  put_table (TABLE, TEXT + 0x20, TEXT_SIZE - 0x20);
  add ();
  CHECK (sframe_guess_ok (&state, TEXT + 0x20, END, NEXT));
  CHECK (!sframe_guess_ok (&state, TEXT + 0x20, END, 0));
  CHECK (!sframe_guess_ok (&state, TEXT + 0x28, END, NEXT));
  /* Addresses between functions have no rule.  */
  CHECK (sframe_guess_ok (&state, TEXT + 0x18, END, NEXT));
  CHECK (!sframe_guess_ok (&state, TEXT + 0x18, END, 0));
  CHECK (!sframe_guess_ok (&state, TEXT + 0x18, END, END - 8));
  /* A damaged table does not tell.  */
  poke (TABLE + OF_ROW + 1, 3 << 5 | 1 << 1 | 1, 1);
  CHECK (!sframe_guess_ok (&state, TEXT + 0x20, END, NEXT));
  end_process ();
}

/* A table's return address is where there is code, and no other.  */
static void
test_return_to_no_code (void)
{
  static const unsigned long words[] = {
    0, 2, 0x4d, DATA, DATA + 0x800, 0x7fff00000000, 1UL << 63, ULONG_MAX
  };

  start ();
  add ();
  for (size_t i = 0; i < ARRAY_SIZE (words); ++i)
    {
      poke (STACK + 0x108, words[i], 8);
      check_end ();
    }
  /* A call at the end of the mapping: its return address is after the
     mapping.  */
  poke (STACK + 0x108, RESTORER + 0x1000, 8);
  check_step (RESTORER + 0x1000, STACK + 0x110, STACK + 0x200);
  end_process ();

  /* The interrupted frame may be anywhere.  */
  start ();
  poke (TABLE + OF_ATTRIBUTE + 2, 0x80, 1);
  add ();
  poke (STACK + 0x108, DATA, 8);
  check_step (DATA, STACK + 0x110, STACK + 0x200);
  end_process ();
}

/* Frames of one mapping have it looked up once, and nothing locked.  */
static void
test_code_without_locks (void)
{
  start ();
  add ();
  poke (STACK + 0x108, JIT + 0x20, 8);
  machine.mm_locks = machine.looks = 0;
  for (int n = 0; n < 10; ++n)
    {
      state.ip = TEXT + 0x10;
      state.sp = STACK + 0x100;
      state.topmost = true;
      check_step (JIT + 0x20, STACK + 0x110, STACK + 0x200);
    }
  CHECK (machine.looks == 1 && machine.mm_locks == 0);
  /* In the text of the frame itself not even that.  */
  poke (STACK + 0x108, TEXT + 0x20, 8);
  state.ip = TEXT + 0x10;
  state.sp = STACK + 0x100;
  check_step (TEXT + 0x20, STACK + 0x110, STACK + 0x200);
  CHECK (machine.looks == 1 && machine.mm_locks == 0);
  /* A mapping that is being changed is waited for, once.  */
  state.code_size = 0;
  machine.changing = true;
  CHECK (sframe_guess_ok (&state, JIT + 0x20, STACK + 0x210, 0));
  CHECK (machine.looks == 2 && machine.mm_locks == 1);
  state.code_size = 0;
  machine.killed = true;
  CHECK (!sframe_guess_ok (&state, JIT + 0x20, STACK + 0x210, 0));
  machine.killed = false;
  /* An exiting task takes a lock, but waits for none.  */
  machine.exiting = true;
  CHECK (!sframe_guess_ok (&state, JIT + 0x20, STACK + 0x210, 0));
  machine.changing = false;
  machine.no_area_locks = true;
  CHECK (sframe_guess_ok (&state, JIT + 0x20, STACK + 0x210, 0));
  machine.exiting = machine.no_area_locks = false;
  end_process ();
}

/* A call through a wild pointer, to memory that is no code or no memory.  */
static void
test_nowhere (void)
{
  static const unsigned long places[] = { 0, DATA + 1, 0x7fff00000000 };

  for (size_t i = 0; i < ARRAY_SIZE (places); ++i)
    {
      start ();
      add ();
      poke (STACK + 0x100, TEXT + 0x20, 8);
      state.ip = places[i];
      CHECK (!GUESS (TEXT + 0x20, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90));
      check_error (-EINVAL);
      CHECK (GUESS (TEXT + 0x20, 0xff, 0xd0));
      check_step (TEXT + 0x20, STACK + 0x108, STACK + 0x200);
      /* Only a frame that was interrupted can be there.  */
      state.ip = places[i];
      check_error (-ENOENT);
      end_process ();
    }
  /* Code without a table is not wild.  */
  start ();
  add ();
  poke (STACK + 0x100, TEXT + 0x20, 8);
  CHECK (GUESS (TEXT + 0x20, 0xff, 0xd0));
  state.ip = JIT;
  check_error (-ENOENT);
  /* Whether that is code is not known if its mapping is being changed and the
     task does not wait.  */
  state.code_size = 0;
  machine.changing = machine.exiting = true;
  check_error (-ENOENT);
  machine.changing = machine.exiting = false;
  end_process ();
}

/* Probes, by where the trampoline and the stacks of three functions with a
   uretprobe are, the last one called first.  */
enum { TRAMPOLINE = 0x2c000 };

static struct return_instance instances[3] = {
  { STACK + 0x108, JIT + 0x40, &instances[1] },
  { STACK + 0x80, JIT + 0x50, &instances[2] },
  { STACK + 0x208, JIT + 0x60, NULL },
};
static struct uprobe_task probes;

static void
start_probes (void)
{
  start ();
  add ();
  map (TRAMPOLINE, TRAMPOLINE + 0x1000, VM_READ | VM_EXEC);
  machine.trampoline = TRAMPOLINE;
  probes = (struct uprobe_task) { .return_instances = instances };
  current->utask = &probes;
}

static void
end_probes (void)
{
  current->utask = NULL;
  machine.trampoline = -1UL;
  end_process ();
}

/* The return address below a uretprobe's trampoline is found by its address on
   the stack.  */
static void
test_uretprobe (void)
{
  start_probes ();
  poke (STACK + 0x108, TRAMPOLINE, 8);
  check_step (JIT + 0x40, STACK + 0x110, STACK + 0x200);
  state.ip = TEXT + 0x10;
  state.sp = STACK + 0x200;
  poke (STACK + 0x208, TRAMPOLINE, 8);
  check_step (JIT + 0x60, STACK + 0x210, STACK + 0x200);
  /* The trampoline where no uretprobe has put it is no caller, also if one has
     put it further up.  */
  for (unsigned long sp = STACK + 0x180; sp <= STACK + 0x300; sp += 0x180)
    {
      state.ip = TEXT + 0x10;
      state.sp = sp;
      poke (sp + 8, TRAMPOLINE, 8);
      check_end ();
    }
  /* Any other word is not replaced.  */
  state.sp = STACK + 0x100;
  poke (STACK + 0x108, JIT + 0x70, 8);
  check_step (JIT + 0x70, STACK + 0x110, STACK + 0x200);
  end_probes ();
}

/* A call of 32-bit code stores four bytes.  */
static void
test_uretprobe_of_32_bit_code (void)
{
  start_probes ();
  machine.compat = true;
  CHECK (unwind_uprobe_ra (TRAMPOLINE, STACK + 0x10c, false) == JIT + 0x40);
  CHECK (unwind_uprobe_ra (TRAMPOLINE, STACK + 0x110, false) == TRAMPOLINE);
  machine.compat = false;
  CHECK (unwind_uprobe_ra (TRAMPOLINE, STACK + 0x10c, false) == TRAMPOLINE);
  CHECK (unwind_uprobe_ra (TRAMPOLINE, STACK + 0x110, false) == JIT + 0x40);
  end_probes ();
}

/* The topmost frame, from IP and SP on.  */
static void
check_start (unsigned long ip, unsigned long sp, unsigned long want_ip,
	     unsigned long want_sp)
{
  current_registers.ip = ip;
  state.ip = ip;
  state.sp = sp;
  unwind_uprobe_start (&state);
  CHECK (state.ip == want_ip && state.sp == want_sp);
}

/* A frame that a signal has interrupted, perhaps after a breakpoint.  */
static void
check_interrupted (unsigned long ip, unsigned long sp, unsigned long want_ip,
		   unsigned long want_sp)
{
  state.ip = ip;
  state.sp = sp;
  state.ip_after = true;
  unwind_uprobe_signal (&state);
  CHECK (state.ip == want_ip && state.sp == want_sp);
  /* The flag is kept only if the address was not replaced.  */
  CHECK (state.ip_after == (ip == want_ip));
}

/* The signal interrupted a task that was about to return by a uretprobe.  */
static void
test_signal_in_trampoline (void)
{
  start_probes ();
  put_signal_frame (STACK + 0x800);
  poke (STACK + 0x800 + 40 + 16 * 8, TRAMPOLINE + 2, 8);
  poke (STACK + 0x800 + 40 + 15 * 8, STACK + 0x100, 8);
  state = (struct unwind_user_state) {
    .ip = RESTORER, .sp = STACK + 0x800, .ws = 8,
    .available_types = UNWIND_USER_TYPE_SFRAME
  };
  CHECK (sframe_unwind_next (&state) == 0 && !state.done);
  CHECK (state.ip == JIT + 0x40 && state.sp == STACK + 0x110);
  end_probes ();
}

static void
test_uprobe_slot (void)
{
  start_probes ();
  check_start (TEXT + 0x20, STACK + 0x100, TEXT + 0x20, STACK + 0x100);
  probes.active = true;
  probes.vaddr = TEXT + 0x20;
  check_start (TRAMPOLINE + 128, STACK + 0x100, TEXT + 0x20, STACK + 0x100);
  end_probes ();
}

/* The trampoline for optimized uprobes of arch/x86/kernel/uprobes.c.  */
static const unsigned char optimized[] = {
  0x51, 0x41, 0x53, 0x50, 0x48, 0xc7, 0xc0, 0x50, 1, 0, 0, 0x0f, 0x05,
  0x58, 0x41, 0x5b, 0x59, 0xc2, 0x80, 0
};

/* At AT a CALL to TARGET.  */
static void
put_call (unsigned long at_address, unsigned long target)
{
  poke (at_address, 0xe8, 1);
  poke (at_address + 1, target - (at_address + 5), 4);
}

/* An optimized uprobe is LEA -128(%RSP), %RSP and CALL, in place of a NOP.  In
   between, SP is not that of the function.  That holds for a task that has not
   met a probe, too.  */
static void
test_before_optimized_call (void)
{
  start_probes ();
  memcpy (at (JIT), optimized, sizeof optimized);
  for (unsigned int met = 0; met < 2; ++met)
    {
      current->utask = met ? &probes : NULL;
      process.flags = (unsigned long) !met << MMF_HAS_UPROBES;
      put_call (TEXT + 0x25, JIT);
      check_start (TEXT + 0x25, STACK + 0x80, TEXT + 0x25, STACK + 0x100);
      check_start (TEXT + 0x20, STACK + 0x100, TEXT + 0x20, STACK + 0x100);
      check_start (JIT + 13, STACK + 0x80, STACK + 0x98, STACK + 0xa0 + 128);
      /* The offset of the instruction in its page does not matter.  */
      put_call (TEXT + 13, JIT);
      check_start (TEXT + 13, STACK + 0x80, TEXT + 13, STACK + 0x100);
      /* A call of other code.  */
      put_call (TEXT + 0x25, JIT + 1);
      check_start (TEXT + 0x25, STACK + 0x80, TEXT + 0x25, STACK + 0x80);
      put_call (TEXT + 0x25, TRAMPOLINE);
      check_start (TEXT + 0x25, STACK + 0x80, TEXT + 0x25, STACK + 0x80);
      /* Another instruction.  */
      put_call (TEXT + 0x25, JIT);
      poke (TEXT + 0x25, 0xe9, 1);
      check_start (TEXT + 0x25, STACK + 0x80, TEXT + 0x25, STACK + 0x80);
      /* It may be at the end of what can be read.  */
      check_start (RESTORER + 0xffc, STACK + 0x80, RESTORER + 0xffc,
		   STACK + 0x80);
    }
  /* Without probes nothing is looked at.  */
  current->utask = NULL;
  process.flags = 0;
  put_call (TEXT + 0x25, JIT);
  unsigned long accesses = machine.accesses;
  check_start (TEXT + 0x25, STACK + 0x80, TEXT + 0x25, STACK + 0x80);
  check_interrupted (TEXT + 0x25, STACK + 0x80, TEXT + 0x25, STACK + 0x80);
  CHECK (machine.accesses == accesses);
  end_probes ();
}

/* Each instruction of the trampolines.  */
static void
test_trampolines (void)
{
  static const unsigned char uretprobe[] = {
    0x50, 0x51, 0x41, 0x53, 0x48, 0xc7, 0xc0, 0x4f, 1, 0, 0, 0x0f, 0x05,
    0x41, 0x5b, 0x59, 0xc3
  };
  static const struct { unsigned int at, pushed; } entry[] = {
    { 0, 0 }, { 1, 1 }, { 2, 2 }, { 4, 3 }, { 11, 3 }
  };
  static const struct { unsigned int at, pushed; } uretprobe_exit[] = {
    { 13, 2 }, { 15, 1 }, { 16, 0 }
  };
  static const struct { unsigned int at, pushed; } inside[] = {
    { 0, 0 }, { 1, 1 }, { 3, 2 }, { 4, 3 }, { 11, 3 }, { 13, 3 }, { 14, 2 },
    { 16, 1 }, { 17, 0 }
  };

  start_probes ();
  memcpy (at (TRAMPOLINE), uretprobe, sizeof uretprobe);
  for (size_t i = 0; i < ARRAY_SIZE (entry); ++i)
    check_start (TRAMPOLINE + entry[i].at, STACK + 0x110 - 8 * entry[i].pushed,
		 JIT + 0x40, STACK + 0x110);
  poke (STACK + 0x108, JIT + 0x44, 8);
  for (size_t i = 0; i < ARRAY_SIZE (uretprobe_exit); ++i)
    check_start (TRAMPOLINE + uretprobe_exit[i].at,
		 STACK + 0x108 - 8 * uretprobe_exit[i].pushed, JIT + 0x44,
		 STACK + 0x110);
  /* No instruction begins there.  */
  check_start (TRAMPOLINE + 14, STACK + 0x100, TRAMPOLINE + 14, STACK + 0x100);
  check_interrupted (TRAMPOLINE + 13, STACK + 0xf8, JIT + 0x44, STACK + 0x110);
  check_interrupted (TEXT + 0x20, STACK + 0x110, TEXT + 0x20, STACK + 0x110);
  memcpy (at (JIT), optimized, sizeof optimized);
  poke (STACK + 0x118, TEXT + 0x25, 8);
  for (size_t i = 0; i < ARRAY_SIZE (inside); ++i)
    check_start (JIT + inside[i].at, STACK + 0x118 - 8 * inside[i].pushed,
		 TEXT + 0x25, STACK + 0x120 + 128);
  check_interrupted (JIT + 13, STACK + 0x100, TEXT + 0x25,
		     STACK + 0x120 + 128);
  /* A process may have none, and its program be at address 0.  */
  machine.trampoline = -1UL;
  check_start (0, STACK + 0x100, 0, STACK + 0x100);
  /* Any other code is left alone, also if it is the same elsewhere.  */
  check_start (TEXT + 11, STACK + 0x100, TEXT + 11, STACK + 0x100);
  check_start (JIT + 12, STACK + 0x100, JIT + 12, STACK + 0x100);
  machine.trampoline = TRAMPOLINE;
  memcpy (at (JIT + 0x100), optimized, sizeof optimized);
  check_start (JIT + 0x100 + 13, STACK + 0x100, JIT + 0x100 + 13,
	       STACK + 0x100);
  memcpy (at (JIT + 13), uretprobe + 13, 4);
  check_start (JIT + 13, STACK + 0x100, JIT + 13, STACK + 0x100);
  memcpy (at (JIT + 0x100), uretprobe, sizeof uretprobe);
  check_start (JIT + 0x100 + 13, STACK + 0x100, JIT + 0x100 + 13,
	       STACK + 0x100);
  *at (TRAMPOLINE + 14) = 0x5a;
  check_start (TRAMPOLINE + 13, STACK + 0x100, TRAMPOLINE + 13,
	       STACK + 0x100);
  end_probes ();
}

/* A function has the most rows that are possible: its trace ends when it has
   read as many as one trace may.  */
static void
test_work_is_bounded (void)
{
  enum { ROWS = 65535, SIZE = 44 + 5 + ROWS * 3 };
  unsigned int steps = 0;
  int result;

  start ();
  process.nr_areas = 1;
  process.areas[0].vm_end = TABLE + SIZE;
  map (TABLE + 0x40000, TABLE + 0x41000, VM_EXEC);
  memset (at (TABLE + OF_ATTRIBUTE), 0, 5 + ROWS * 3);
  put_table (TABLE, TABLE + 0x40000, 0x1000);
  poke (TABLE + OF_FRE_LENGTH, 5 + ROWS * 3, 4);
  poke (TABLE + OF_FRES, ROWS, 4);
  poke (TABLE + OF_ATTRIBUTE, ROWS, 2);
  for (unsigned int i = 0; i < ROWS; ++i)
    poke (TABLE + OF_ROW + 3 * i + 1, 0x0803, 2);
  CHECK (sframe_add (TABLE, SIZE, TABLE + 0x40000, 0x1000) == 0);
  map (TABLE + 0x42000, TABLE + 0x43000, VM_READ);
  for (unsigned int i = 0; i < 0x1000; i += 8)
    poke (TABLE + 0x42000 + i, TABLE + 0x40000 + 16, 8);
  state.ip = TABLE + 0x40000;
  state.sp = TABLE + 0x42000;
  while ((result = sframe_unwind_next (&state)) == 0 && !state.done
	 && steps < 100)
    ++steps;
  /* No other unwinder is tried.  */
  CHECK (result == 0 && state.done && steps == 1);
  CHECK (state.sframe_rows <= 2 * ROWS);
  /* Nor if the trace has read as many rows before.  */
  state.done = false;
  state.ip = TABLE + 0x40000 + 16;
  state.sframe_rows = ROWS + 1;
  check_end ();
  /* It is not the table's fault.  */
  CHECK (describes (TABLE, TABLE + 0x40000));
  end_process ();
}

/* Each access fails once, of a plain step and of a signal frame's.  */
static void
check_faults (unsigned int least)
{
  struct unwind_user_state before = state;
  unsigned int n;

  for (n = 1;; ++n)
    {
      state = before;
      machine.fault_after = n;
      unsigned long accesses = machine.accesses;
      int result = sframe_unwind_next (&state);
      bool failed = machine.accesses - accesses >= n;
      machine.fault_after = 0;
      if (!failed)
	{
	  CHECK (result == 0);
	  break;
	}
      /* No other unwinder is to guess what a table may tell.  */
      CHECK (result == -ENOENT || (result == 0 && state.done));
      state.done = false;
      before.sframe_rows = state.sframe_rows;
      before.sframe = state.sframe;
      before.code = state.code;
      before.code_size = state.code_size;
      before.sframe_uncached = state.sframe_uncached;
      before.sframe_dropped = state.sframe_dropped;
      CHECK (memcmp (&before, &state, sizeof state) == 0);
    }
  CHECK (n > least);
}

static void
test_each_access_fails (void)
{
  start ();
  ROW (0, 1, 32, -16);
  add ();
  /* FDE, attribute, row, RA, FP.  */
  check_faults (5);
  CHECK (describes (TABLE, TEXT));
  end_process ();

  start ();
  add ();
  put_signal_frame (STACK + 0x800);
  state.topmost = false;
  state.ip = RESTORER;
  state.sp = STACK + 0x800;
  /* Instructions, IP, SP, FP.  */
  check_faults (5);
  end_process ();
}

#define CASE(name) { #name, test_##name }
static const struct test_case cases[] = {
  CASE (default_rules),
  CASE (unaligned_addresses),
  CASE (ra_in_the_row),
  CASE (blocks),
  CASE (outermost_block),
  CASE (no_rows),
  CASE (functions_without_bytes),
  CASE (outermost),
  CASE (last_and_first_instruction),
  CASE (last_system_call),
  CASE (no_table),
  CASE (stack_that_makes_no_sense),
  CASE (registers),
  CASE (flexible_places),
  CASE (memory_without_mapping),
  CASE (memory_unmapped_meanwhile),
  CASE (restored_fp),
  CASE (lost_fp),
  CASE (signal_frame),
  CASE (signal_frame_without_mapping),
  CASE (signal_frame_with_rule),
  CASE (signal_frame_at_start_of_mapping),
  CASE (after_trap),
  CASE (after_queued_trap),
  CASE (registers_of_signal_frame),
  CASE (not_quite_a_restorer),
  CASE (nothing_registered),
  CASE (corrupt),
  CASE (corrupt_without_memory),
  CASE (corrupt_with_memory_again),
  CASE (unknown),
  CASE (calls),
  CASE (calls_with_uprobe),
  CASE (calls_at_the_start),
  CASE (guesses),
  CASE (uncalled),
  CASE (return_to_no_code),
  CASE (code_without_locks),
  CASE (nowhere),
  CASE (uretprobe),
  CASE (uretprobe_of_32_bit_code),
  CASE (signal_in_trampoline),
  CASE (uprobe_slot),
  CASE (before_optimized_call),
  CASE (trampolines),
  CASE (work_is_bounded),
  CASE (each_access_fails),
};

int
main (void)
{
  return run_cases (cases, ARRAY_SIZE (cases));
}
