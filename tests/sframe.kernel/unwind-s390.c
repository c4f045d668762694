/* Single steps of the kernel's unwinder for s390x, on stacks and code written
   by hand.
   SPDX-License-Identifier: GPL-2.0-only

   Expected results are those of the s390x ELF ABI supplement and of
   "z/Architecture Principles of Operation".  Numbers have the byte order of
   the machine that runs the test.  */

#include <linux/unwind_uprobe.h>
#include <signal.h>

#include "leaf.h"

enum { VDSO = 0x2a000 };
/* Offsets in a frame: the back chain, the saved registers of its callee, and
   the return address of a wrapper in the vDSO.  */
enum { BACK_CHAIN = 0, SAVED_R14 = 112, WRAPPER_RA = 160 };

static void
put_code (unsigned long address, const unsigned short *code, size_t count)
{
  for (size_t i = 0; i < count; ++i)
    poke (address + 2 * i, code[i], 2);
}

#define CODE(address, ...)						\
  put_code (address, (const unsigned short[]) { __VA_ARGS__ },		\
	    sizeof ((const unsigned short[]) { __VA_ARGS__ }) / 2)

/* The topmost frame, with the return address in R14.  */
static void
start (void)
{
  start_leaf (4);
  map (VDSO, VDSO + 0x1000, VM_READ | VM_EXEC);
  process.context.vdso_base = VDSO;
  machine.vdso_size = 0x800;
  current_registers = (struct pt_regs) { .gprs[14] = RA };
  /* BASR %r14,%r2.  */
  CODE (RA - 2, 0x0de2);
}

static void
check_step (unsigned long ip, unsigned long sp)
{
  CHECK (sframe_unwind_next (&state) == 0);
  CHECK (!state.done && state.ip == ip && state.sp == sp);
}

static void
test_leaf (void)
{
  start ();
  check_step (RA, STACK + 0x100);
  end_process ();
}

/* No instruction is at an odd address, even if a table has a rule for it.  */
static void
test_odd_addresses (void)
{
  start ();
  current_registers.gprs[14] = TEXT + 0x41;
  check_end ();
  current_registers.gprs[14] = DATA + 0x40;
  check_end ();
  /* A wild call to such an address: the caller is found.  */
  current_registers.gprs[14] = RA;
  poke (TABLE + OF_ROW + 2, 16, 1);
  state.ip = TEXT + 0x11;
  check_step (RA, STACK + 0x100);
  /* As a caller's address it is none.  */
  state.ip = TEXT + 0x11;
  CHECK (sframe_unwind_next (&state) == -ENOENT);
  end_process ();
}

/* A function that ends with a call that never returns.  */
static void
test_last_call (void)
{
  start ();
  poke (TABLE + OF_ROW + 2, 16, 1);
  poke (TABLE + OF_FIXED_RA, -48, 1);
  sframe_remove (TABLE);
  CHECK (sframe_add (TABLE, 0x100, TEXT, TEXT_SIZE) == 0);
  poke (STACK + 0x100 + 16 * 8 + 160 - 48, TEXT + 0x20, 8);
  state.topmost = false;
  state.ip = TEXT + TEXT_SIZE;
  check_step (TEXT + 0x20, STACK + 0x100 + 128);
  end_process ();
}

/* Row ROW of a table of two; words of 16 bits: CFA - 160 over 8, and RA.  */
static void
put_row (unsigned int row, unsigned int from, int cfa, int ra)
{
  unsigned long at = TABLE + OF_ROW + 6 * row;

  poke (at, from, 1);
  poke (at + 1, 1 | 2 << 1 | 1 << 5, 1);
  poke (at + 2, (cfa - 160) / 8, 2);
  poke (at + 4, ra, 2);
}

/* A function without a frame of its own has saved its return address in that of
   its caller, and made a call; the caller cannot have done that as well, but its
   own caller can.  */
static void
test_save_area (void)
{
  unsigned long entries[4];

  start ();
  machine.may_cache = true;
  put_row (0, 0, 160, -152);
  put_row (1, 0x20, 320, -48);
  poke (TABLE + OF_FRES, 2, 4);
  poke (TABLE + OF_FRE_LENGTH, 5 + 2 * 6, 4);
  poke (TABLE + OF_ATTRIBUTE, 2, 2);
  sframe_remove (TABLE);
  CHECK (sframe_add (TABLE, 0x100, TEXT, TEXT_SIZE) == 0);
  poke (STACK + 0x108, RA, 8);
  poke (STACK + 0x100 + 320 - 48, TEXT + 0x18, 8);
  poke (STACK + 0x1a8, RA, 8);
  /* Interrupted in the prologue: the caller may be such a function.  */
  for (unsigned int i = 0; i < 2; ++i)
    {
      state.ip = TEXT + 0x10;
      state.sp = STACK + 0x100;
      state.topmost = i == 0;
      state.interrupted = i == 1;
      state.sp_kept = false;
      check_step (RA, STACK + 0x100);
      CHECK (!state.sp_kept);
    }
  state.interrupted = false;
  /* The second time, the rules are cached.  */
  for (unsigned int i = 0; i < 2; ++i)
    {
      struct unwind_stacktrace trace = { .entries = entries };

      state.ip = TEXT + 0x10;
      state.sp = STACK + 0x100;
      state.topmost = false;
      state.sp_kept = false;
      check_step (RA, STACK + 0x100);
      sframe_unwind_cached (&state, &trace, 4);
      if (trace.nr == 0)
	check_step (TEXT + 0x18, STACK + 0x1a0);
      check_step (RA, STACK + 0x1a0);
    }
  /* The row of RA is that of a function without a frame.  */
  poke (TABLE + OF_ROW + 6, 0x60, 1);
  sframe_remove (TABLE);
  CHECK (sframe_add (TABLE, 0x100, TEXT, TEXT_SIZE) == 0);
  check_end ();
  machine.may_cache = false;
  end_process ();
}

/* The task's last signals, up to @COUNT of them, the first of a fault at
   @ADDRESS; then the step from TEXT + 0x10, where another row begins.  */
static void
check_fault (int signo, int code, unsigned long address, int count, bool after)
{
  struct sigqueue queue[8] = {
    { .info = { signo, code, (void *) address } }
  };

  INIT_LIST_HEAD (&current->pending.list);
  for (int i = 0; i < count; ++i)
    list_add_tail (&queue[i].list, &current->pending.list);
  state.ip = TEXT + TEXT_SIZE;
  state.sp = STACK + 0x100;
  state.topmost = true;
  if (after)
    check_step (RA, STACK + 0x100);
  else
    CHECK (sframe_unwind_next (&state) == -ENOENT);
  INIT_LIST_HEAD (&current->pending.list);
}

/* The PSW is after the last instruction of a function.  */
static void
test_after_fault (void)
{
  unsigned long end = TEXT + TEXT_SIZE;

  start ();
  check_fault (SIGILL, 1, end - 2, 0, false);
  check_fault (SIGILL, 1, end - 2, 1, true);
  check_fault (SIGFPE, 1, end - 6, 1, true);
  check_fault (SIGTRAP, 1, end - 2, 1, true);
  check_fault (SIGTRAP, 2, end - 2, 1, false);
  /* Sent, or of a fault elsewhere.  */
  check_fault (SIGILL, -6, end - 2, 1, false);
  check_fault (11, 1, end - 2, 1, false);
  check_fault (SIGILL, 1, end, 1, false);
  check_fault (SIGILL, 1, end - 8, 1, false);
  /* Others came after it, but not many.  */
  check_fault (SIGILL, 1, end - 2, 4, true);
  check_fault (SIGILL, 1, end - 2, 5, false);
  end_process ();
}

/* Let SVC 119 (sigreturn) be at RESTORER.  Offsets in the frame of a handler
   without SA_SIGINFO are those of Linux: 160 bytes for the handler, the saved
   mask and a pointer, the PSW, the GPRs, the other registers, the signal.  */
static void
start_in_restorer (unsigned long restorer, int signo)
{
  enum { FRAME = STACK + 0x400, PSW = FRAME + 176, GPRS = PSW + 16,
	 SIGNAL = PSW + 344 };

  start ();
  CODE (restorer, 0x0a77);
  poke (PSW + 8, JIT + 0x20, 8);
  poke (GPRS + 15 * 8, STACK + 0x800, 8);
  poke (GPRS + 11 * 8, 0x1234, 8);
  poke (SIGNAL, signo, 4);
  state.ip = restorer;
  state.sp = FRAME;
  state.fp_lost = true;
}

static void
test_signal (void)
{
  start_in_restorer (JIT + 0x100, SIGUSR1);
  check_step (JIT + 0x20, STACK + 0x800);
  CHECK (state.fp == 0x1234 && !state.fp_lost);
  CHECK (state.interrupted && !state.topmost && !state.ip_after);
  /* The PSW is the first of the saved registers.  */
  CHECK (state.ucontext == STACK + 0x400 + 176);
  end_process ();
  start_in_restorer (JIT + 0x100, SIGILL);
  check_step (JIT + 0x20, STACK + 0x800);
  CHECK (state.ip_after);
  end_process ();
  /* Instructions are at even addresses.  */
  start_in_restorer (JIT + 0x101, SIGUSR1);
  sframe_unwind_next (&state);
  CHECK (state.ip != JIT + 0x20);
  end_process ();
}

/* SP is in FPR 2, DWARF 17, until LGDR restores it.  Only the code shows that,
   not the table; see the comment at s390_unwind_saved_sp.  */
static void
check_saved_sp (bool saved)
{
  current_registers.gprs[14] = RA;
  current->thread.ufpu.vxrs[2].high = STACK + 0x300;
  state.ip = TEXT + 0x10;
  state.sp = STACK + 0x100;
  state.topmost = true;
  check_step (RA, STACK + (saved ? 0x300 : 0x100));
}

static void
test_saved_sp (void)
{
  start ();
  /* LGDR %r15,%f2; BR %r14.  */
  CODE (TEXT + 0x10, 0xb3cd, 0x00f2, 0x07fe);
  check_saved_sp (true);
  /* LG %r2,160(%r15); LGDR %r11,%f0; LHI %r3,0; LGDR; BR.  */
  CODE (TEXT + 0x10, 0xe320, 0xf0a0, 0x0004, 0xb3cd, 0x00b0, 0xa738, 0,
	0xb3cd, 0x00f2, 0x07fe);
  check_saved_sp (true);
  /* The first two bits of an instruction give its length: the bytes after LHI
     are an instruction, those at the end of LGFI are not.  */
  CODE (TEXT + 0x10, 0xa738, 0, 0xb3cd, 0x00f2, 0x07fe);
  check_saved_sp (true);
  CODE (TEXT + 0x10, 0xc021, 0x1234, 0xb3cd, 0x07f2, 0x07fe);
  check_saved_sp (false);
  CODE (TEXT + 0x10, 0xbf21, 0x1000, 0xb3cd, 0x00f2, 0x07fe);
  check_saved_sp (true);
  CODE (TEXT + 0x10, 0x1812, 0xb3cd, 0x00f2, 0x07fe);
  check_saved_sp (true);
  /* TMHL, next to the branches.  */
  CODE (TEXT + 0x10, 0xa723, 1, 0xb3cd, 0x00f2, 0x07fe);
  check_saved_sp (true);
  /* Not of this way to the end: BR, BRC, BRCTG, BRASL and CGRJ are in
     front.  */
  CODE (TEXT + 0x10, 0x07fe, 0xb3cd, 0x00f2);
  check_saved_sp (false);
  CODE (TEXT + 0x10, 0xa7f4, 4, 0xb3cd, 0x00f2);
  check_saved_sp (false);
  CODE (TEXT + 0x10, 0xa737, 4, 0xb3cd, 0x00f2);
  check_saved_sp (false);
  CODE (TEXT + 0x10, 0xc0e5, 0, 4, 0xb3cd, 0x00f2);
  check_saved_sp (false);
  CODE (TEXT + 0x10, 0xec12, 4, 0x8064, 0xb3cd, 0x00f2);
  check_saved_sp (false);
  /* SP is not there yet: LDGR %f2,%r15.  */
  CODE (TEXT + 0x10, 0xb3c1, 0x002f, 0xb3cd, 0x00f2);
  check_saved_sp (false);
  /* STH, with the opcode of LGDR as its address; and an instruction farther on
     than is searched.  */
  CODE (TEXT + 0x10, 0x4000, 0xb3cd, 0x00f2, 0x07fe);
  check_saved_sp (false);
  for (unsigned int i = 0; i < 32; ++i)
    CODE (TEXT + 0x10 + 2 * i, 0x1812);
  CODE (TEXT + 0x10 + 64, 0xb3cd, 0x00f2, 0x07fe);
  check_saved_sp (false);
  CODE (TEXT + 0x10 + 62, 0xb3cd, 0x00f2, 0x07fe);
  check_saved_sp (true);
  /* The number of a register inside of LGFI.  */
  CODE (TEXT + 0x10, 0xc021, 0xb3cd, 0x00f2, 0x07fe);
  check_saved_sp (false);
  /* A rule that knows of a frame is not doubted.  */
  CODE (TEXT + 0x10, 0xb3cd, 0x00f2, 0x07fe);
  poke (TABLE + OF_ROW + 2, 16, 1);
  state.ip = TEXT + 0x10;
  state.sp = STACK + 0x100;
  state.topmost = true;
  check_step (RA, STACK + 0x100 + 128);
  end_process ();
}

/* SP in each of the FPRs, which DWARF does not number in their order; also in an
   interrupted frame, whose FPRs are after the PSW, the GPRs, the access registers
   and the FPC.  */
static void
test_saved_sp_registers (void)
{
  enum { SIGREGS = STACK + 0x800, GPRS = SIGREGS + 16, FPRS = GPRS + 200 };

  for (unsigned int fpr = 0; fpr < 2 * 16; ++fpr)
    {
      bool interrupted = fpr >= 16;
      unsigned int n = fpr % 16;

      start ();
      /* LGDR %r15,%fN; BR %r14.  */
      CODE (TEXT + 0x10, 0xb3cd, 0x00f0 | n, 0x07fe);
      if (interrupted)
	{
	  poke (GPRS + 14 * 8, RA, 8);
	  poke (FPRS + n * 8, STACK + 0x300, 8);
	}
      else
	current->thread.ufpu.vxrs[n].high = STACK + 0x300;
      state.topmost = !interrupted;
      state.interrupted = interrupted;
      state.ucontext = interrupted ? SIGREGS : 0;
      machine.clamped = 0;
      check_step (RA, STACK + 0x300);
      /* Both numbers come from the table.  */
      CHECK (machine.clamped == 2);
      current->thread.ufpu.vxrs[n].high = 0;
      end_process ();
    }
}

/* The CFA is register 32, after the last FPR; F0 is not taken for it, and in a
   signal frame nothing behind the FPRs.  */
static void
test_no_such_register (void)
{
  enum { SIGREGS = STACK + 0x800, FPRS = SIGREGS + 216 };

  for (unsigned int interrupted = 0; interrupted < 2; ++interrupted)
    {
      start ();
      /* A flexible FDE; two words of 16 bits: a register, and offset 0.  */
      poke (TABLE + OF_ATTRIBUTE + 3, 1, 1);
      poke (TABLE + OF_ROW + 1, 2 << 1 | 1 << 5, 1);
      poke (TABLE + OF_ROW + 2, 32 << 3 | 1, 2);
      poke (TABLE + OF_ROW + 4, -20, 2);
      poke (TABLE + OF_FRE_LENGTH, 5 + 2 + 4, 4);
      sframe_remove (TABLE);
      CHECK (sframe_add (TABLE, 0x100, TEXT, TEXT_SIZE) == 0);
      current->thread.ufpu.vxrs[0].high = STACK + 0x300;
      poke (FPRS, STACK + 0x300, 8);
      poke (FPRS + 16 * 8, STACK + 0x300, 8);
      poke (SIGREGS + 16 + 14 * 8, RA, 8);
      state.topmost = !interrupted;
      state.interrupted = interrupted;
      state.ucontext = interrupted ? SIGREGS : 0;
      check_end ();
      current->thread.ufpu.vxrs[0].high = 0;
      end_process ();
    }
}

/* The PLT of a shared object has no table: each instruction of an entry and of
   the code that entries share, from the ABI.  */
static void
test_plt (void)
{
  static const unsigned short entry[] = {
    0xc010, 1, 2, 0xe310, 0x1000, 0x0004, 0x07f1, 0x0d10, 0xe310, 0x100c,
    0x0014, 0xc0f4, 3, 4
  };
  static const unsigned short shared[] = {
    0xe310, 0xf038, 0x0024, 0xc010, 1, 2, 0xd207, 0xf030, 0x1008, 0xe310,
    0x1010, 0x0004, 0x07f1, 0x0700
  };
  static const unsigned int offsets[2][7]
    = { { 0, 6, 12, 14, 16, 22 }, { 0, 6, 12, 18, 24 } };

  for (int kind = 0; kind < 2; ++kind)
    for (size_t i = 0; i == 0 || offsets[kind][i] != 0; ++i)
      {
	start ();
	put_code (JIT + 0x100, kind == 0 ? entry : shared, 14);
	state.ip = JIT + 0x100 + offsets[kind][i];
	check_step (RA, STACK + 0x100);
	/* Nothing calls from there.  */
	state.ip = JIT + 0x100 + offsets[kind][i];
	CHECK (sframe_unwind_next (&state) == -ENOENT);
	/* Nor is it what follows them.  */
	state.topmost = true;
	state.ip = JIT + 0x100 + sizeof entry;
	CHECK (sframe_unwind_next (&state) == -ENOENT);
	/* Any other code is not known.  */
	state.ip = JIT + 0x100 + offsets[kind][i];
	state.topmost = true;
	poke (JIT + 0x106, 0, 2);
	CHECK (sframe_unwind_next (&state) == -ENOENT);
	end_process ();
      }
}

/* A call at the start of a mapping, or in memory for execution only.  */
static void
test_calls (void)
{
  start ();
  CHECK (!s390_unwind_return_ok (JIT + 0x100));
  CODE (JIT + 0xfe, 0x0dee);
  CHECK (s390_unwind_return_ok (JIT + 0x100));
  CODE (JIT + 0xfc, 0xa7e5, 8);
  CHECK (s390_unwind_return_ok (JIT + 0x100));
  CODE (JIT + 0xfa, 0xc0e5, 0, 8);
  CHECK (s390_unwind_return_ok (JIT + 0x100));
  CODE (JIT + 0xfa, 0xc0f4, 0, 8);
  CHECK (!s390_unwind_return_ok (JIT + 0x100));
  CODE (JIT, 0x0dee, 0);
  CHECK (s390_unwind_return_ok (JIT + 2));
  CHECK (!s390_unwind_return_ok (JIT + 4));
  CODE (JIT, 0xa7e5, 8);
  CHECK (s390_unwind_return_ok (JIT + 4));
  machine.fault_at = JIT;
  CHECK (s390_unwind_return_ok (JIT + 0x100));
  CHECK (s390_unwind_return_ok (JIT + 4));
  machine.exiting = true;
  CHECK (!s390_unwind_return_ok (JIT + 0x100));
  machine.exiting = false;
  machine.fault_at = 0;
  end_process ();
}

/* A frame at STACK + 0x100 in code of no table, whose caller has one at
   STACK + 0x200 and is returned to at RA.  */
static void
start_chain (unsigned long ip, unsigned long ra)
{
  start ();
  state.ip = ip;
  state.topmost = false;
  poke (STACK + 0x100 + BACK_CHAIN, STACK + 0x200, 8);
  poke (STACK + 0x200 + BACK_CHAIN, STACK + 0x300, 8);
  poke (STACK + 0x200 + SAVED_R14, ra, 8);
  poke (STACK + 0x300 + SAVED_R14, JIT + 0x80, 8);
}

static void
test_back_chain (void)
{
  start_chain (JIT + 0x20, RA);
  state.topmost = state.ip_after = true;
  state.ucontext = STACK;
  CHECK (s390_unwind_backchain (&state) == 0);
  CHECK (state.ip == RA && state.sp == STACK + 0x200);
  CHECK (state.fp_lost && state.ucontext == 0 && !state.done);
  CHECK (!state.topmost && !state.ip_after && !state.interrupted);
  end_process ();

  /* A return address of a JIT compiler need not follow a call if the frame is
     in a chain; that of other code must.  */
  start_chain (JIT + 0x20, JIT + 0x60);
  CHECK (s390_unwind_backchain (&state) == 0);
  CHECK (state.ip == JIT + 0x60 && state.sp == STACK + 0x200);
  end_process ();
  start_chain (JIT + 0x20, JIT + 0x60);
  poke (STACK + 0x300 + SAVED_R14, DATA, 8);
  CHECK (s390_unwind_backchain (&state) == -EINVAL);
  end_process ();
  start_chain (JIT + 0x20, TEXT + 0x60);
  CHECK (s390_unwind_backchain (&state) == -EINVAL);
  end_process ();
  /* Without SFrame the table of that code is not read; the chain is checked
     all the same.  */
  start_chain (JIT + 0x20, TEXT + 0x60);
  state.available_types = 0;
  CHECK (s390_unwind_backchain (&state) == 0 && state.ip == TEXT + 0x60);
  end_process ();
  start_chain (JIT + 0x20, TEXT + 0x60);
  state.available_types = 0;
  poke (STACK + 0x300 + SAVED_R14, DATA, 8);
  CHECK (s390_unwind_backchain (&state) == -EINVAL);
  end_process ();
  start_chain (JIT + 0x20, JIT + 0x61);
  CHECK (s390_unwind_backchain (&state) == -EINVAL);
  end_process ();
  start_chain (JIT + 0x20, DATA);
  CHECK (s390_unwind_backchain (&state) == -EINVAL);
  end_process ();

  /* The first frame, or code without a back chain: another way may lead on.  */
  start_chain (JIT + 0x20, RA);
  poke (STACK + 0x100 + BACK_CHAIN, 0, 8);
  CHECK (s390_unwind_backchain (&state) == -ENOENT && !state.done);
  end_process ();

  /* A chain that does not rise, or is not aligned.  */
  static const unsigned long bad[]
    = { STACK + 0x100, STACK + 0xf8, STACK + 0x201, STACK + 0x202,
	STACK + 0x204 };
  for (unsigned int i = 0; i < ARRAY_SIZE (bad); ++i)
    {
      start_chain (JIT + 0x20, RA);
      poke (bad[i] + BACK_CHAIN, STACK + 0x300, 8);
      poke (STACK + 0x100 + BACK_CHAIN, bad[i], 8);
      poke (bad[i] + SAVED_R14, RA, 8);
      CHECK (s390_unwind_backchain (&state) == -EINVAL);
      end_process ();
    }
}

/* A wrapper of the vDSO has no back chain, but has saved the return address in
   a frame whose size is known.  */
static void
test_vdso (void)
{
  start_chain (VDSO + 0x20, 0);
  poke (STACK + 0x100 + BACK_CHAIN, 0, 8);
  poke (STACK + 0x100 + WRAPPER_RA, RA, 8);
  CHECK (s390_unwind_backchain (&state) == 0);
  CHECK (state.ip == RA && state.sp == STACK + 0x100 + 168);
  CHECK (!state.done);
  end_process ();

  /* The saved return address must follow a call, too.  */
  start_chain (VDSO + 0x20, 0);
  poke (STACK + 0x100 + BACK_CHAIN, 0, 8);
  poke (STACK + 0x100 + WRAPPER_RA, TEXT + 0x60, 8);
  CHECK (s390_unwind_backchain (&state) == -EINVAL);
  end_process ();

  /* After the vDSO's code.  */
  start_chain (VDSO + 0x800, 0);
  poke (STACK + 0x100 + BACK_CHAIN, 0, 8);
  poke (STACK + 0x100 + WRAPPER_RA, RA, 8);
  CHECK (s390_unwind_backchain (&state) == -ENOENT && !state.done);
  end_process ();
}

/* The back chain tells SP, which is that of the entry of a uretprobe.  */
static void
test_uretprobe (void)
{
  struct return_instance entry = { .orig_ret_vaddr = RA };
  struct uprobe_task task = { .return_instances = &entry };

  for (int above = 0; above < 2; ++above)
    {
      start_chain (JIT + 0x20, JIT + 0xf00);
      entry.stack = STACK + 0x200 + 8 * above;
      current->utask = &task;
      machine.trampoline = JIT + 0xf00;
      CHECK (s390_unwind_backchain (&state) == 0);
      CHECK (state.ip == (above ? JIT + 0xf00 : RA));
      current->utask = NULL;
      machine.trampoline = 0;
      end_process ();
    }
}

#define CASE(name) { #name, test_##name }
static const struct test_case cases[] = {
  CASE (leaf),
  CASE (odd_addresses),
  CASE (last_call),
  CASE (save_area),
  CASE (after_fault),
  CASE (signal),
  CASE (saved_sp),
  CASE (saved_sp_registers),
  CASE (no_such_register),
  CASE (plt),
  CASE (calls),
  CASE (back_chain),
  CASE (uretprobe),
  CASE (vdso),
};

int
main (void)
{
  return run_cases (cases, ARRAY_SIZE (cases));
}
