/* Single steps of the kernel's unwinder for arm64, on stacks and code written
   by hand.
   SPDX-License-Identifier: GPL-2.0-only

   Expected results are those of "Procedure Call Standard for the Arm 64-bit
   Architecture" and of the Arm Architecture Reference Manual.  */

#include <linux/unwind_uprobe.h>

#include "leaf.h"

#include "sframe_cache.h"

static const unsigned long signature = 0x55UL << 48, tag = 0xa5UL << 56;

static void
put_code (unsigned long address, const unsigned int *code, size_t count)
{
  for (size_t i = 0; i < count; ++i)
    poke (address + 4 * i, code[i], 4);
}

#define CODE(address, ...)						\
  put_code (address, (const unsigned int[]) { __VA_ARGS__ },		\
	    sizeof ((const unsigned int[]) { __VA_ARGS__ }) / 4)

/* Give the only row of the table COUNT words.  */
static void
put_row (const signed char *words, unsigned int count, bool sp)
{
  poke (TABLE + OF_FRE_LENGTH, 5 + 2 + count, 4);
  poke (TABLE + OF_ROW + 1, sp | count << 1, 1);
  for (unsigned int i = 0; i < count; ++i)
    poke (TABLE + OF_ROW + 2 + i, (unsigned char) words[i], 1);
  sframe_remove (TABLE);
  CHECK (sframe_add (TABLE, 0x100, TEXT, TEXT_SIZE) == 0);
}

#define ROW(sp, ...)							\
  put_row ((const signed char[]) { __VA_ARGS__ },			\
	   sizeof ((const signed char[]) { __VA_ARGS__ }), sp)

/* The topmost frame, with the return address in X30.  */
static void
start (void)
{
  start_leaf (2);
  current_registers = (struct pt_regs) { .regs[30] = RA };
  /* BLR X1.  */
  CODE (RA - 4, 0xd63f0020);
}

/* The same, but the frame has made a call.  */
static void
start_caller (void)
{
  start ();
  state.topmost = false;
}

static void
check_step (unsigned long ip, unsigned long sp, unsigned long fp)
{
  CHECK (sframe_unwind_next (&state) == 0);
  CHECK (!state.done && state.ip == ip && state.sp == sp && state.fp == fp);
  CHECK (!state.sp_lost);
}

static void
test_leaf (void)
{
  start ();
  check_step (RA, STACK + 0x100, STACK + 0x200);
  /* X30 is known only in the topmost frame.  */
  check_end ();
  end_process ();
  /* The PC of a fault is that of the instruction, not of the one after it: this
     address is in no function.  */
  start ();
  state.ip = TEXT + TEXT_SIZE;
  CHECK (sframe_unwind_next (&state) == -ENOENT);
  end_process ();
}

/* No instruction is at an address that is not a multiple of 4, even if a table
   has a rule for it.  */
static void
test_odd_addresses (void)
{
  for (int odd = 1; odd < 4; ++odd)
    {
      start ();
      current_registers.regs[30] = RA + odd;
      check_end ();
      current_registers.regs[30] = DATA + 0x40;
      check_end ();
      /* A wild call to such an address: the caller is found.  */
      current_registers.regs[30] = RA;
      state.ip = TEXT + 0x10 + odd;
      check_step (RA, STACK + 0x100, STACK + 0x200);
      /* As a caller's address it is none.  */
      state.ip = TEXT + 0x10 + odd;
      CHECK (sframe_unwind_next (&state) == -ENOENT);
      end_process ();
    }
}

/* FP and a signed return address on the stack; in X30; FP with a tag.  */
static void
test_signed (void)
{
  start_caller ();
  ROW (true, 32, -24, -32);
  poke (STACK + 0x100, STACK + 0x400, 8);
  poke (STACK + 0x108, RA | signature, 8);
  check_step (RA, STACK + 0x120, STACK + 0x400);
  end_process ();

  start ();
  current_registers.regs[30] = RA | signature;
  check_step (RA, STACK + 0x100, STACK + 0x200);
  end_process ();

  start_caller ();
  ROW (true, 32, -24, -32);
  poke (STACK + 0x100, (STACK + 0x400) | tag, 8);
  poke (STACK + 0x108, RA, 8);
  check_step (RA, STACK + 0x120, STACK + 0x400);
  end_process ();

  /* A CFA of FP with a tag.  */
  start_caller ();
  ROW (false, 16, -8, -16);
  state.fp |= tag;
  poke (STACK + 0x200, STACK + 0x400, 8);
  poke (STACK + 0x208, RA | signature, 8);
  check_step (RA, STACK + 0x210, STACK + 0x400);
  end_process ();
}

/* Cached rules are found by the address without its signature.  */
static void
test_cached (void)
{
  unsigned long entries[4];
  struct unwind_stacktrace trace = { .entries = entries };

  start_caller ();
  machine.may_cache = true;
  ROW (true, 32, -24, -32);
  for (unsigned int i = 0; i < 4; ++i)
    {
      poke (STACK + 0x100 + 32 * i, STACK + 0x400, 8);
      poke (STACK + 0x108 + 32 * i, RA | signature, 8);
    }
  state.ip = RA;
  check_step (RA, STACK + 0x120, STACK + 0x400);
  CHECK (sframe_is_cached (RA - 1));
  state.sframe_cached = true;
  sframe_unwind_cached (&state, &trace, 2);
  CHECK (trace.nr == 2 && entries[0] == RA && entries[1] == RA);
  CHECK (state.ip == RA && state.sp == STACK + 0x160);
  /* Not without SP.  */
  state.sp_lost = true;
  sframe_unwind_cached (&state, &trace, 4);
  CHECK (trace.nr == 2);
  machine.may_cache = false;
  end_process ();
}

/* Offsets in a signal frame: siginfo, ucontext up to the registers, and X0.  */
enum { SIGCONTEXT = 128 + 176, X0 = 8, X29 = X0 + 29 * 8, SP = X0 + 31 * 8,
  PC = SP + 8 };

/* Other registers are those of an interrupted frame; there are 32.  */
static void
test_registers (void)
{
  for (unsigned int reg = 0; reg < 40; ++reg)
    {
      start ();
      current_registers.sp = STACK + 0x100;
      for (unsigned int i = 0; i < 29; ++i)
	current_registers.regs[i] = STACK + 0x800 + 16 * i;
      poke (TABLE + OF_ATTRIBUTE + 3, 1, 1);
      /* CFA: REG + 16, in words of two bytes.  */
      poke (TABLE + OF_ROW + 1, 1 | 2 << 1 | 1 << 5, 1);
      poke (TABLE + OF_ROW + 2, reg << 3 | 1, 2);
      poke (TABLE + OF_ROW + 4, 16, 2);
      poke (TABLE + OF_FRE_LENGTH, 5 + 2 + 4, 4);
      sframe_remove (TABLE);
      CHECK (sframe_add (TABLE, 0x100, TEXT, TEXT_SIZE) == 0);
      if (reg < 29)
	check_step (RA, STACK + 0x810 + 16 * reg, STACK + 0x200);
      else if (reg == 29)
	check_step (RA, STACK + 0x210, STACK + 0x200);
      else if (reg == 31)
	check_step (RA, STACK + 0x110, STACK + 0x200);
      else if (reg > 31)
	CHECK (sframe_unwind_next (&state) == 0 && state.done);
      end_process ();
    }
}

/* There are no more in a signal frame.  */
static void
test_no_such_register (void)
{
  start ();
  /* CFA: register 32, in words of two bytes; one that is read is in the
     stack.  */
  poke (TABLE + OF_ATTRIBUTE + 3, 1, 1);
  poke (TABLE + OF_ROW + 1, 1 | 2 << 1 | 1 << 5, 1);
  poke (TABLE + OF_ROW + 2, 32 << 3 | 1, 2);
  poke (TABLE + OF_ROW + 4, 16, 2);
  poke (TABLE + OF_FRE_LENGTH, 5 + 2 + 4, 4);
  sframe_remove (TABLE);
  CHECK (sframe_add (TABLE, 0x100, TEXT, TEXT_SIZE) == 0);
  for (unsigned int i = 0; i < 40; ++i)
    poke (STACK + 0x800 + SIGCONTEXT + X0 + i * 8, STACK + 0x300, 8);
  poke (STACK + 0x800 + SIGCONTEXT + X0 + 30 * 8, RA, 8);
  state.topmost = false;
  state.interrupted = true;
  state.ucontext = STACK + 0x800 + SIGCONTEXT;
  check_end ();
  end_process ();
}

/* Instructions of a PLT: bti c, a push, the two loads, add, nop, autia1716 and
   the jump.  */
enum
{
  BTI = 0xd503245f, PUSH = 0xa9bf7bf0, ADRP = 0xb0000090, LDR = 0xf9400a11,
  ADD = 0x91004210, NOP = 0xd503201f, AUT = 0xd503219f, BR = 0xd61f0220
};

static void
check_plt (const unsigned int *code, size_t count)
{
  bool pushed = false;

  for (size_t i = 0; i < count; ++i)
    {
      start ();
      put_code (JIT + 0x100, code, count);
      state.ip = JIT + 0x100 + 4 * i;
      check_step (RA, STACK + 0x100 + (pushed ? 16 : 0), STACK + 0x200);
      pushed |= code[i] == PUSH;
      /* Nothing calls from there.  */
      state.ip = JIT + 0x100 + 4 * i;
      CHECK (sframe_unwind_next (&state) == -ENOENT);
      /* Any other code is not known.  */
      state.topmost = true;
      poke (JIT + 0x100 + 4 * (count - 1), 0, 4);
      CHECK (sframe_unwind_next (&state) == -ENOENT);
      end_process ();
    }
}

#define PLT(...)							\
  check_plt ((const unsigned int[]) { __VA_ARGS__ },			\
	     sizeof ((const unsigned int[]) { __VA_ARGS__ }) / 4)

static void
test_plt (void)
{
  PLT (ADRP, LDR, ADD, BR);
  PLT (ADRP, LDR, NOP, BR);
  PLT (BTI, ADRP, LDR, ADD, BR);
  PLT (ADRP, LDR, ADD, AUT, BR);
  PLT (BTI, ADRP, LDR, ADD, AUT, BR);
  PLT (PUSH, ADRP, LDR, ADD, BR);
  PLT (BTI, PUSH, ADRP, LDR, ADD, BR);
  /* Before and after an entry.  */
  start ();
  CODE (JIT + 0x100, ADRP, LDR, ADD, BR);
  for (unsigned long ip = JIT + 0xfc; ip <= JIT + 0x110; ip += 0x14)
    {
      state.ip = ip;
      CHECK (sframe_unwind_next (&state) == -ENOENT);
    }
  end_process ();
  /* At the start and at the end of memory that can be read.  */
  start ();
  CODE (JIT, ADRP, LDR, ADD, BR);
  state.ip = JIT + 12;
  check_step (RA, STACK + 0x100, STACK + 0x200);
  state.topmost = true;
  state.sp = STACK + 0x100;
  CODE (JIT + 0xff0, ADRP, LDR, ADD, BR);
  state.ip = JIT + 0xffc;
  check_step (RA, STACK + 0x100, STACK + 0x200);
  state.topmost = true;
  CODE (JIT + 0xff8, ADRP, LDR);
  state.ip = JIT + 0xffc;
  CHECK (sframe_unwind_next (&state) == -ENOENT);
  /* Memory begins at other code.  */
  CODE (JIT, NOP, NOP);
  state.ip = JIT + 4;
  CHECK (sframe_unwind_next (&state) == -ENOENT);
  end_process ();
}

/* Whether a frame that has no table may return to ADDRESS; the next record is
   none.  */
static bool
may_return (unsigned long address)
{
  return __sframe_guess_ok (&state, address, STACK + 0x200, 8);
}

static bool
is_call (unsigned int insn)
{
  CODE (JIT + 0xfc, insn);
  return may_return (JIT + 0x100);
}

static void
test_calls (void)
{
  start ();
  CHECK (is_call (0x94000001) && is_call (0x97ffffff));	/* bl  */
  CHECK (is_call (0xd63f0000) && is_call (0xd63f03c0));	/* blr  */
  CHECK (is_call (0xd63f081f) && is_call (0xd63f0c3f));	/* blraaz, blrabz  */
  CHECK (is_call (0xd73f0801) && is_call (0xd73f0c3f));	/* blraa, blrab  */
  CHECK (!is_call (0x14000001));	/* b  */
  CHECK (!is_call (0xd61f0000));	/* br  */
  CHECK (!is_call (0xd71f0801));	/* braa  */
  CHECK (!is_call (0xd65f03c0));	/* ret  */
  CHECK (!is_call (0xd65f0bff));	/* retaa  */
  CHECK (!is_call (0));
  /* A breakpoint in place of a call.  */
  CHECK (!is_call (0xd42000a0));
  process.flags |= 1UL << MMF_HAS_UPROBES;
  CHECK (is_call (0xd42000a0) && !is_call (0xd4200000));
  process.flags = 0;
  /* The start of a restorer, but not its second instruction.  */
  CODE (JIT + 0x100, 0xd2801168, 0xd4000001);
  CHECK (may_return (JIT + 0x100) && !may_return (JIT + 0x104));
  /* At the start of a mapping; code for execution only.  */
  CODE (JIT, 0xd63f0000);
  CHECK (may_return (JIT + 4) && !may_return (JIT + 8));
  machine.fault_at = JIT;
  CHECK (may_return (JIT + 0x100));
  machine.exiting = true;
  CHECK (!may_return (JIT + 0x100));
  machine.exiting = false;
  machine.fault_at = 0;
  end_process ();
}

static void
put_signal_frame (unsigned long at)
{
  poke (at + SIGCONTEXT + X29, STACK + 0x1234, 8);
  poke (at + SIGCONTEXT + SP, STACK + 0x5678, 8);
  poke (at + SIGCONTEXT + PC, TEXT + 0x20, 8);
  /* mov x8, #139; svc #0  */
  CODE (JIT + 0x100, 0xd2801168, 0xd4000001);
}

static void
check_signal (void)
{
  check_step (TEXT + 0x20, STACK + 0x5678, STACK + 0x1234);
  CHECK (state.interrupted && !state.topmost && !state.ip_after);
  CHECK (state.ucontext == STACK + 0x100 + SIGCONTEXT);
}

static void
test_signal (void)
{
  start_caller ();
  put_signal_frame (STACK + 0x100);
  state.ip = JIT + 0x100;
  check_signal ();
  /* Its X30 is known.  */
  poke (STACK + 0x100 + SIGCONTEXT + X0 + 30 * 8, RA | signature, 8);
  check_step (RA, STACK + 0x5678, STACK + 0x1234);
  end_process ();

  /* Interrupted at its second instruction, to which nothing returns.  */
  start ();
  put_signal_frame (STACK + 0x100);
  state.ip = JIT + 0x104;
  check_signal ();
  state = (struct unwind_user_state) {
    .ip = JIT + 0x104, .sp = STACK + 0x100, .ws = 8,
    .available_types = UNWIND_USER_TYPE_SFRAME
  };
  CHECK (sframe_unwind_next (&state) == -ENOENT);
  /* rt_sigreturn would refuse this SP.  */
  state.ip = JIT + 0x100;
  state.sp = STACK + 0x108;
  check_end ();
  put_signal_frame (STACK + 0x101);
  state.sp = STACK + 0x101;
  check_end ();
  state.sp = STACK + STACK_SIZE;
  check_end ();
  /* Half of the code is none.  */
  put_signal_frame (STACK + 0x100);
  state.sp = STACK + 0x100;
  poke (JIT + 0x104, 0, 4);
  CHECK (sframe_unwind_next (&state) == -ENOENT);
  end_process ();
}

/* The handler has no table but a frame record, from which FP leads to the record
   that the kernel has made.  */
static void
test_signal_without_sp (void)
{
  /* The size of siginfo and ucontext, rounded up.  */
  enum { RECORD = STACK + 0x100 + 4688 };
  const struct unwind_user_state in_restorer = {
    .ip = JIT + 0x100, .sp = STACK + 0x80, .sp_lost = true, .fp = RECORD,
    .ws = 8, .available_types = UNWIND_USER_TYPE_SFRAME
  };

  start_caller ();
  put_signal_frame (STACK + 0x100);
  poke (STACK + 0x100 + SIGCONTEXT + X0 + 30 * 8, RA, 8);
  poke (RECORD, STACK + 0x1234, 8);
  poke (RECORD + 8, RA, 8);
  state = in_restorer;
  check_signal ();
  /* The handler's record was right below the signal frame.  */
  state = in_restorer;
  state.sp = STACK + 0x100;
  check_signal ();
  /* The signal frame would be below the handler's record.  */
  state = in_restorer;
  state.sp = STACK + 0x108;
  check_end ();
  /* The frame is elsewhere: the words differ; there is none.  X30 is no
     frame.  */
  state = in_restorer;
  poke (RECORD + 8, RA + 4, 8);
  check_end ();
  poke (RECORD + 8, RA, 8);
  poke (RECORD, STACK + 0x1238, 8);
  check_end ();
  state.fp = 16;
  check_end ();
  state.fp = STACK + STACK_SIZE;
  check_end ();
  end_process ();
}

/* A handler returns to the restorer, before which is no call.  */
static void
test_return_to_restorer (void)
{
  start ();
  put_signal_frame (STACK + 0x100);
  current_registers.regs[30] = JIT + 0x100;
  check_step (JIT + 0x100, STACK + 0x100, STACK + 0x200);
  check_signal ();
  end_process ();

  /* The same instructions where none can be.  */
  for (unsigned long address = JIT + 0x101; address < JIT + 0x104; ++address)
    {
      start ();
      CODE (address, 0xd2801168, 0xd4000001);
      current_registers.regs[30] = address;
      check_end ();
      end_process ();
    }
}

/* A frame after a step by FP, of which only FP is known; its record is at
   FP, where the code has made FP point.  */
static void
start_without_sp (void)
{
  start_caller ();
  state.sp_lost = true;
  /* mov x29, sp  */
  CODE (TEXT + 8, 0x910003fd);
  poke (STACK + 0x200, STACK + 0x400, 8);
  poke (STACK + 0x208, RA, 8);
}

static void
test_without_sp (void)
{
  /* The CFA is based on FP.  */
  start_without_sp ();
  ROW (false, 48, -40, -48);
  check_step (RA, STACK + 0x230, STACK + 0x400);
  end_process ();

  /* It is based on SP, and the table says where the record is.  */
  start_without_sp ();
  ROW (true, 48, -40, -48);
  check_step (RA, STACK + 0x230, STACK + 0x400);
  end_process ();
  start_without_sp ();
  ROW (true, 96, -56, -64);
  poke (STACK + 0x208, RA | signature, 8);
  check_step (RA, STACK + 0x240, STACK + 0x400);
  end_process ();

  /* A call that never returns is the last instruction of the function.  */
  start_without_sp ();
  ROW (true, 48, -40, -48);
  state.ip = TEXT + TEXT_SIZE;
  check_step (RA, STACK + 0x230, STACK + 0x400);
  end_process ();

  /* A return address that follows no call is none.  */
  start_without_sp ();
  ROW (true, 48, -40, -48);
  CODE (RA - 4, 0x14000000);
  check_end ();
  end_process ();

  /* There is no record.  */
  start_without_sp ();
  ROW (true, 48, -48, -40);
  check_end ();
  end_process ();
  start_without_sp ();
  ROW (true, 48, -40);
  check_end ();
  end_process ();
}

/* Whether the record at FP is believed if INSN is at AT, and the record is
   OFFSET above SP.  */
static bool
record_is_believed (unsigned long at, unsigned int insn, int offset)
{
  start_without_sp ();
  ROW (true, 96, offset - 88, offset - 96);
  CODE (TEXT + 8, NOP);
  CODE (at, insn);
  bool believed = sframe_unwind_next (&state) == 0 && !state.done;
  CHECK (!believed || (state.ip == RA && !state.sp_lost));
  CHECK (!believed || state.sp == STACK + 0x200 + 96 - offset);
  end_process ();
  return believed;
}

/* A function may save FP and RA side by side, and leave its caller's record in
   FP: then that is not its own, and the caller must not be left out.  */
static void
test_record_of_caller (void)
{
  CHECK (record_is_believed (TEXT, 0x910003fd, 0));	/* mov x29, sp  */
  CHECK (record_is_believed (TEXT + 12, 0x910043fd, 16));	/* add ..., 16  */
  /* SP is lower now.  */
  CHECK (record_is_believed (TEXT, 0x910003fd, 16));
  CHECK (!record_is_believed (TEXT, 0x910083fd, 16));
  CHECK (!record_is_believed (TEXT, NOP, 0));
  CHECK (!record_is_believed (TEXT, 0x910003fc, 0));	/* mov x28, sp  */
  CHECK (!record_is_believed (TEXT, 0x9100001d, 0));	/* mov x29, x0  */
  CHECK (!record_is_believed (TEXT, 0xd10003fd, 0));	/* sub x29, sp  */
  /* In the function before; after the call.  */
  CHECK (!record_is_believed (TEXT - 4, 0x910003fd, 0));
  CHECK (!record_is_believed (TEXT + 0x10, 0x910003fd, 0));
}

/* A prologue longer than 512 bytes is not searched, and one that cannot be read
   has no record.  */
static void
test_long_prologue (void)
{
  for (int at = 0x1f8; at <= 0x200; at += 4)
    {
      start_without_sp ();
      ROW (true, 96, -88, -96);
      sframe_remove (TABLE);
      poke (TABLE + OF_FDE + 8, 0x800, 4);
      CHECK (sframe_add (TABLE, 0x100, TEXT, 0x800) == 0);
      for (unsigned int i = 0; i < 0x200; ++i)
	CODE (TEXT + 4 * i, NOP);
      CODE (TEXT + at, 0x910003fd);
      /* BLR X1.  */
      CODE (RA - 4, 0xd63f0020);
      state.ip = TEXT + 0x400;
      CHECK (sframe_unwind_next (&state) == 0 && state.done == (at == 0x200));
      end_process ();
    }

  start_without_sp ();
  machine_unmap (&process, TEXT, TEXT + 0x1000);
  machine_map (&process, TEXT, 0x1000, VM_EXEC, NULL);
  ROW (true, 96, -88, -96);
  check_end ();
  end_process ();
}

/* The entry of a uretprobe has SP with its tag.  */
static void
test_uretprobe_with_tag (void)
{
  struct return_instance entry = { (STACK + 0x100) | tag, RA, NULL };
  struct uprobe_task task = { .return_instances = &entry };

  start ();
  current->utask = &task;
  machine.trampoline = JIT + 0xf00;
  current_registers.regs[30] = JIT + 0xf00;
  check_step (RA, STACK + 0x100, STACK + 0x200);
  current->utask = NULL;
  end_process ();
}

/* After a step by FP the probed return is the next one above the record.  */
static void
test_uretprobe_without_sp (void)
{
  struct return_instance outer = { STACK + 0x300, JIT + 0x80, NULL };
  struct return_instance inner = { STACK + 0x200, JIT + 0x40, &outer };
  struct uprobe_task task = { .return_instances = &inner };

  start ();
  current->utask = &task;
  machine.trampoline = JIT + 0xf00;
  CHECK (unwind_uprobe_ra (JIT + 0xf00, STACK + 0x180, true) == JIT + 0x40);
  CHECK (unwind_uprobe_ra (JIT + 0xf00, STACK + 0x200, true) == JIT + 0x40);
  CHECK (unwind_uprobe_ra (JIT + 0xf00, STACK + 0x208, true) == JIT + 0x80);
  CHECK (unwind_uprobe_ra (JIT + 0xf00, STACK + 0x308, true) == JIT + 0xf00);
  CHECK (unwind_uprobe_ra (JIT + 0xf00, STACK + 0x180, false) == JIT + 0xf00);
  CHECK (unwind_uprobe_ra (JIT + 0xf00, STACK + 0x200, false) == JIT + 0x40);
  CHECK (unwind_uprobe_ra (RA, STACK + 0x200, true) == RA);
  current->utask = NULL;
  end_process ();
}

#define CASE(name) { #name, test_##name }
static const struct test_case cases[] = {
  CASE (leaf),
  CASE (odd_addresses),
  CASE (signed),
  CASE (cached),
  CASE (registers),
  CASE (no_such_register),
  CASE (plt),
  CASE (calls),
  CASE (signal),
  CASE (signal_without_sp),
  CASE (return_to_restorer),
  CASE (without_sp),
  CASE (record_of_caller),
  CASE (long_prologue),
  CASE (uretprobe_with_tag),
  CASE (uretprobe_without_sp),
};

int
main (void)
{
  return run_cases (cases, ARRAY_SIZE (cases));
}
