/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Machine dependencies of SFrame unwinding on arm64: registers, PLTs, signal
 * frames, calls.
 *
 * See "DWARF for the Arm 64-bit Architecture" for the DWARF numbers, and "ELF
 * for the Arm 64-bit Architecture" for PLTs. Tables say which return addresses
 * are signed, but that need not be known: see unwind_user_strip_ra().
 */
#ifndef __ASM_UNWIND_USER_SFRAME_H
#define __ASM_UNWIND_USER_SFRAME_H

#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/sframe_format.h>
#include <linux/signal.h>
#include <linux/stddef.h>
#include <linux/types.h>
#include <linux/uaccess.h>
#include <linux/unwind_user.h>
#include <asm/debug-monitors.h>
#include <asm/insn.h>
#include <asm/ptrace.h>
#include <asm/sigcontext.h>
#include <asm/ucontext.h>
#include <asm/unistd.h>

#define SFRAME_ABI		SFRAME_ABI_AARCH64_LE
#define SFRAME_REG_FP		29
#define SFRAME_REG_RA		30
#define SFRAME_REG_SP		31

/* The CFA is SP before the call; its offsets are stored in bytes. */
#define SFRAME_CFA_ABOVE_SP	0
#define SFRAME_CFA_SCALE	1

/* The CFA minus SP at the first instruction of any function. */
#define SFRAME_ENTRY_CFA_OFF	0

/* A call leaves the return address in its register, not on the stack. */
#define SFRAME_CALL_RA_OFF	0

/* Bytes of stack that a call uses. */
#define SFRAME_CALL_SIZE	0

#define SFRAME_INSN_ALIGN	AARCH64_INSN_SIZE

/* Offset of the RA in a frame record, which begins with the caller's FP. */
#define SFRAME_RECORD_RA_OFF	8

/* A valid chain from FP means that code has set up frame pointers. */
#define SFRAME_CHAIN_TELLS	1

/* X0 to X30 and SP; others are not general registers. */
#define SFRAME_REGS		32

/* In a signal frame, SP follows X30. */
static_assert(offsetof(struct sigcontext, sp) ==
	      offsetof(struct sigcontext, regs) + SFRAME_REG_SP * sizeof(u64));

/* Read DWARF register @reg of the topmost frame. */
static inline int sframe_pt_reg(struct pt_regs *regs, unsigned int reg,
				unsigned long *value)
{
	if (reg >= SFRAME_REGS)
		return -ENODATA;
	/* The number comes from a table of user space. */
	reg = array_index_nospec(reg, SFRAME_REGS);
	*value = reg == SFRAME_REG_SP ? regs->sp : pt_regs_read_reg(regs, reg);
	return 0;
}

/* Read DWARF register @reg of an interrupted frame from @sigcontext. */
static inline int sframe_ucontext_reg(unsigned long sigcontext,
				      unsigned int reg, unsigned long *value)
{
	if (reg >= SFRAME_REGS)
		return -ENODATA;
	reg = array_index_nospec(reg, SFRAME_REGS);
	return get_user(*value, (unsigned long __user *)
			(sigcontext + offsetof(struct sigcontext, regs)) + reg);
}

/* Read the instruction at @ip, which is aligned: all are little-endian. */
static inline int sframe_get_insn(unsigned long ip, u32 *insn)
{
	__le32 code;

	if (get_user(code, (__le32 __user *)ip))
		return -EFAULT;
	*insn = le32_to_cpu(code);
	return 0;
}

static inline bool sframe_insn_is(unsigned long ip, u32 insn)
{
	u32 code;

	return !sframe_get_insn(ip, &code) && code == insn;
}

/*
 * mov x8, #__NR_rt_sigreturn; svc #0: the restorer in the vDSO, or the
 * program's own, to which handlers return. All unwinders recognize it by this
 * code.
 */
#define SFRAME_RESTORER_MOV	(0xd2800008 | __NR_rt_sigreturn << 5)
#define SFRAME_RESTORER_SVC	0xd4000001

/* Whether @ip is at one of the two instructions of the restorer. */
static inline bool sframe_in_restorer(unsigned long ip, bool topmost)
{
	if (ip & (SFRAME_INSN_ALIGN - 1))
		return false;
	if (topmost && sframe_insn_is(ip, SFRAME_RESTORER_SVC))
		ip -= AARCH64_INSN_SIZE;
	return sframe_insn_is(ip, SFRAME_RESTORER_MOV) &&
	       sframe_insn_is(ip + AARCH64_INSN_SIZE, SFRAME_RESTORER_SVC);
}

/* Whether SVC #0 precedes @ip. */
static inline bool sframe_arch_after_syscall(unsigned long ip)
{
	return sframe_insn_is(ip - AARCH64_INSN_SIZE, SFRAME_RESTORER_SVC);
}

/* The PC of an exception is that of the instruction, also for BRK. */
static inline bool sframe_arch_ip_after(unsigned long ip)
{
	return false;
}

/* The signal frame, to which SP points in the restorer. */
struct sframe_sigframe {
	struct siginfo	info;
	struct ucontext	uc;
};

static inline unsigned long sframe_sigcontext(unsigned long sigframe)
{
	return sigframe + offsetof(struct sframe_sigframe, uc.uc_mcontext);
}

/*
 * Find the signal frame in the restorer after a step by frame pointer: FP is
 * that of the record that the kernel has made for the handler. That has the
 * interrupted FP and X30, and is at the end of the signal frame, unless this is
 * larger than usual.
 */
static inline bool sframe_find_sigframe(const struct unwind_user_state *state,
					unsigned long *sigframe)
{
	unsigned long __user *record = (unsigned long __user *)state->fp;
	unsigned long fp, ra, record_fp, record_ra;

	*sigframe = state->fp - round_up(sizeof(struct sframe_sigframe), 16);
	return *sigframe >= state->sp && *sigframe < state->fp &&
	       !get_user(record_fp, record) && !get_user(record_ra, record + 1) &&
	       !sframe_ucontext_reg(sframe_sigcontext(*sigframe), SFRAME_REG_FP,
				    &fp) &&
	       !sframe_ucontext_reg(sframe_sigcontext(*sigframe), SFRAME_REG_RA,
				    &ra) &&
	       record_fp == fp && record_ra == ra;
}

/**
 * sframe_arch_signal - step from a signal restorer to the interrupted frame
 * @state:	the frame; its SP points to the signal frame
 *
 * The interrupted function may be on another stack: its SP can be anywhere.
 *
 * Return: 0, -ENOENT if this is no restorer, -EINVAL, -EFAULT, -ENODATA if the
 * signal frame is not found.
 */
static inline int sframe_arch_signal(struct unwind_user_state *state)
{
	unsigned long sigframe = state->sp, sigcontext, ip, sp, fp;

	if (!sframe_in_restorer(state->ip, state->topmost || state->interrupted))
		return -ENOENT;
	if (state->sp_lost && !sframe_find_sigframe(state, &sigframe))
		return -ENODATA;
	/* rt_sigreturn() demands this, too. */
	if (sigframe & 15)
		return -EINVAL;
	sigcontext = sframe_sigcontext(sigframe);
	if (get_user(ip, (unsigned long __user *)(sigcontext +
			offsetof(struct sigcontext, pc))) ||
	    sframe_ucontext_reg(sigcontext, SFRAME_REG_SP, &sp) ||
	    sframe_ucontext_reg(sigcontext, SFRAME_REG_FP, &fp))
		return -EFAULT;
	state->ip = ip;
	state->sp = unwind_user_untag(sp);
	state->sp_lost = false;
	state->fp = unwind_user_untag(fp);
	state->ucontext = sigcontext;
	state->interrupted = true;
	state->topmost = false;
	return 0;
}

/*
 * Whether a call precedes @ip, which is aligned and in an executable mapping:
 * BL, or BLR, which may authenticate its target, or the breakpoint of a uprobe
 * in place of one. True if the code before @ip cannot be read, unless it may
 * just be missing in a task that is exiting.
 */
static inline bool sframe_after_call(unsigned long ip)
{
	u32 insn;

	if (sframe_get_insn(ip - AARCH64_INSN_SIZE, &insn))
		return !pagefault_disabled();
	return aarch64_insn_is_bl(insn) || aarch64_insn_is_blr(insn) ||
	       aarch64_insn_is_blr_auth(insn) ||
	       (insn == BRK64_OPCODE_UPROBES &&
		mm_flags_test(MMF_HAS_UPROBES, current->mm));
}

/* The only instruction of a PLT that changes SP: stp x16, x30, [sp, #-16]! */
#define SFRAME_STUB_PUSH	0xa9bf7bf0
#define SFRAME_STUB_PUSHED	16

struct sframe_stub_insn {
	u32	bits;
	u32	mask;
	bool	optional;
};

/*
 * PLT entries, and the code before the first one (PLT0), which all entries
 * share. Linkers write no tables for them. In all their forms they are some
 * of these instructions, in this order.
 */
static const struct sframe_stub_insn sframe_stub[] = {
	{ 0xd503245f, 0xffffffff, true },	/* bti c */
	{ SFRAME_STUB_PUSH, 0xffffffff, true },
	{ 0x90000010, 0x9f00001f, false },	/* adrp x16, N */
	{ 0xf9400211, 0xffc003ff, false },	/* ldr x17, [x16, #N] */
	/* add x16, x16, #N; linkers write nop if N is 0 */
	{ 0x91000210, 0xffc003ff, true },
	{ 0xd503201f, 0xffffffff, true },	/* nop */
	{ 0xd503219f, 0xffffffff, true },	/* autia1716 */
	{ 0xd61f0220, 0xffffffff, false },	/* br x17 */
};

/*
 * If a stub begins at @at and has an instruction at @ip, return how many bytes
 * it has pushed before that; otherwise -1.
 */
static inline int sframe_stub_at(unsigned long at, unsigned long ip)
{
	int pushed = 0, result = -1;
	u32 insn = 0;

	if (sframe_get_insn(at, &insn))
		return -1;
	for (unsigned int i = 0; i < ARRAY_SIZE(sframe_stub); i++) {
		if ((insn & sframe_stub[i].mask) != sframe_stub[i].bits) {
			if (!sframe_stub[i].optional)
				return -1;
			continue;
		}
		if (at == ip)
			result = pushed;
		if (insn == SFRAME_STUB_PUSH)
			pushed = SFRAME_STUB_PUSHED;
		at += AARCH64_INSN_SIZE;
		if (i + 1 < ARRAY_SIZE(sframe_stub) &&
		    sframe_get_insn(at, &insn))
			return -1;
	}
	return result;
}

/*
 * If @ip is in a PLT, return how many bytes the code there has pushed, or else
 * -1. Try the farthest start first: the end of PLT0 looks like an entry.
 */
static inline int sframe_arch_stub(unsigned long ip)
{
	for (int i = ARRAY_SIZE(sframe_stub) - 1; i >= 0; i--) {
		int pushed = sframe_stub_at(ip - i * AARCH64_INSN_SIZE, ip);

		if (pushed >= 0)
			return pushed;
	}
	return -1;
}

/* How many bytes of a function to search for the end of its prologue. */
#define SFRAME_PROLOGUE_MAX	512

/*
 * Whether the code from @start up to @end makes FP point to a frame record at
 * most @max above SP: add x29, sp, #N. SP may be lower later, not higher.
 */
static inline bool sframe_arch_sets_fp(unsigned long start, unsigned long end,
				       s32 max)
{
	u32 insn;

	end = min(end, start + SFRAME_PROLOGUE_MAX);
	for (; start < end; start += AARCH64_INSN_SIZE) {
		if (sframe_get_insn(start, &insn))
			return false;
		if ((insn & 0xffc003ff) == 0x910003fd)
			return (s32)(insn >> 10 & 0xfff) <= max;
	}
	return false;
}

/* The caller's SP is never in another register. */
static inline u32 sframe_arch_sp_reg(unsigned long ip)
{
	return SFRAME_REG_SP;
}

/* The trampoline is one instruction: there is nothing to undo. */
static inline void sframe_arch_leave_probe(struct unwind_user_state *state,
					   unsigned long trampoline) {}

/* Whether @ip is the restorer to which a signal handler returns. */
static inline bool sframe_arch_restorer(unsigned long ip)
{
	return sframe_in_restorer(ip, false);
}

/* Whether a frame may return to @ip. */
static inline bool sframe_arch_return_ok(unsigned long ip)
{
	return sframe_after_call(ip) || sframe_in_restorer(ip, false);
}

#endif /* __ASM_UNWIND_USER_SFRAME_H */
