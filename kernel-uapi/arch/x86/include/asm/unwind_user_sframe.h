/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What SFrame unwinding must know of x86-64: registers, PLTs, signal frames.
 *
 * See the System V ABI, AMD64 supplement, for the DWARF numbers.
 */
#ifndef _ASM_X86_UNWIND_USER_SFRAME_H
#define _ASM_X86_UNWIND_USER_SFRAME_H

#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sframe_format.h>
#include <linux/stddef.h>
#include <linux/types.h>
#include <linux/uaccess.h>
#include <linux/unwind_user_types.h>
#include <asm/ptrace.h>
#include <asm/sigframe.h>
#include <asm/trapnr.h>

#define SFRAME_ABI		SFRAME_ABI_AMD64_LE
#define SFRAME_REG_FP		6
#define SFRAME_REG_SP		7
/* A column of its own: the return address is in no register. */
#define SFRAME_REG_RA		16

/* The CFA is SP before the call, and its offsets are coded as they are. */
#define SFRAME_CFA_ABOVE_SP	0
#define SFRAME_CFA_SCALE	1

/*
 * The rows of a PLT are those of one entry, which is jumped to in place of
 * the function, so that where it begins the CFA is SP + 8.  GNU ld up to 2.47
 * says SP + 16 of the entries of .plt.got.  An entry of one row leaves SP
 * alone and has SP + 8 throughout; one of more rows cannot be mended.
 */
#define SFRAME_BLOCK_CFA_OFF	8

/* Where a call leaves the return address, from the CFA. */
#define SFRAME_CALL_RA_OFF	(-8)

/* Bytes of the stack that a call takes. */
#define SFRAME_CALL_SIZE	8

/* Instructions may be anywhere. */
#define SFRAME_INSN_ALIGN	1

/* Where a frame record, which begins with that of the next, has the RA. */
#define SFRAME_RECORD_RA_OFF	8

/* FP leads to a record only if code has made one and put FP there. */
#define SFRAME_CHAIN_TELLS	1

/* DWARF number to where the register is in each kind of register dump. */
#define SFRAME_REG(pt, sc)					\
	{ offsetof(struct pt_regs, pt), offsetof(struct ucontext, uc_mcontext.sc) }

static const struct { u16 pt_regs, ucontext; } sframe_regs[] = {
	SFRAME_REG(ax, ax), SFRAME_REG(dx, dx), SFRAME_REG(cx, cx),
	SFRAME_REG(bx, bx), SFRAME_REG(si, si), SFRAME_REG(di, di),
	SFRAME_REG(bp, bp), SFRAME_REG(sp, sp), SFRAME_REG(r8, r8),
	SFRAME_REG(r9, r9), SFRAME_REG(r10, r10), SFRAME_REG(r11, r11),
	SFRAME_REG(r12, r12), SFRAME_REG(r13, r13), SFRAME_REG(r14, r14),
	SFRAME_REG(r15, r15),
};

#undef SFRAME_REG

/* Read DWARF register @reg of the topmost frame. */
static inline int sframe_pt_reg(struct pt_regs *regs, unsigned int reg,
				unsigned long *value)
{
	if (reg >= ARRAY_SIZE(sframe_regs))
		return -ENOENT;
	/* The number comes out of a table. */
	reg = array_index_nospec(reg, ARRAY_SIZE(sframe_regs));
	*value = regs_get_register(regs, sframe_regs[reg].pt_regs);
	return 0;
}

/* Read DWARF register @reg as a signal frame with @ucontext has it. */
static inline int sframe_ucontext_reg(unsigned long ucontext, unsigned int reg,
				      unsigned long *value)
{
	if (reg >= ARRAY_SIZE(sframe_regs))
		return -ENOENT;
	reg = array_index_nospec(reg, ARRAY_SIZE(sframe_regs));
	return get_user(*value, (unsigned long __user *)
			(ucontext + sframe_regs[reg].ucontext));
}

/*
 * mov $__NR_rt_sigreturn, %rax; syscall: the C library brings this along for
 * handlers to return to, and debuggers know signal frames by it.
 */
#define SFRAME_RESTORER_MOV	0x0000000fc0c748ULL
#define SFRAME_RESTORER_MOV_LEN	7
#define SFRAME_RESTORER_SYSCALL	0x050f

/* Whether @ip is at one of the two instructions of the restorer. */
static inline bool sframe_in_restorer(unsigned long ip, bool topmost)
{
	u64 code;
	u16 next;

	if (get_user(next, (u16 __user *)ip))
		return false;
	if (next == SFRAME_RESTORER_SYSCALL && topmost)
		ip -= SFRAME_RESTORER_MOV_LEN;
	else if (next != (SFRAME_RESTORER_MOV & 0xffff))
		return false;
	if (get_user(code, (u64 __user *)ip) ||
	    get_user(next, (u16 __user *)(ip + SFRAME_RESTORER_MOV_LEN)))
		return false;
	return (code & GENMASK_ULL(55, 0)) == SFRAME_RESTORER_MOV &&
	       next == SFRAME_RESTORER_SYSCALL;
}

/* Whether INT3 is in front of @ip. */
static inline bool sframe_behind_int3(unsigned long ip)
{
	u8 code;

	return !get_user(code, (u8 __user *)(ip - 1)) && code == 0xcc;
}

/* Whether the topmost frame has trapped in front of @ip. */
static inline bool sframe_arch_ip_behind(unsigned long ip)
{
	return sigismember(&current->pending.signal, SIGTRAP) &&
	       current->thread.trap_nr == X86_TRAP_BP && sframe_behind_int3(ip);
}

/**
 * sframe_arch_signal - step from a signal restorer to what was interrupted
 * @state:	the frame; its SP is at the ucontext, since the handler returned
 *
 * The interrupted function may be on another stack: its SP can be anywhere.
 *
 * Return: 0, -ENOENT if this is no restorer, -EFAULT.
 */
static inline int sframe_arch_signal(struct unwind_user_state *state)
{
	unsigned long ucontext = state->sp, ip, sp, fp, trap;

	if (!sframe_in_restorer(state->ip, state->topmost || state->interrupted))
		return -ENOENT;
	if (get_user(ip, (unsigned long __user *)(ucontext +
			offsetof(struct ucontext, uc_mcontext.ip))) ||
	    get_user(trap, (unsigned long __user *)(ucontext +
			offsetof(struct ucontext, uc_mcontext.trapno))) ||
	    sframe_ucontext_reg(ucontext, SFRAME_REG_SP, &sp) ||
	    sframe_ucontext_reg(ucontext, SFRAME_REG_FP, &fp))
		return -EFAULT;
	state->ip = ip;
	state->ip_behind = trap == X86_TRAP_BP && sframe_behind_int3(ip);
	state->sp = sp;
	state->fp = fp;
	state->ucontext = ucontext;
	state->interrupted = true;
	state->topmost = false;
	return 0;
}

/* Bytes of the longest CALL that is looked for. */
#define SFRAME_CALL_LEN		7

/*
 * Read the bytes in front of @ip to the end of @code and return how many there
 * are: none if they can be executed but not read.  The mapping may begin with
 * them.
 */
static inline unsigned int sframe_code_before(unsigned long ip, u8 *code)
{
	unsigned int n = SFRAME_CALL_LEN;

	if (!copy_from_user(code, (void __user *)(ip - n), n))
		return n;
	n = ip & ~PAGE_MASK;
	if (n >= SFRAME_CALL_LEN ||
	    copy_from_user(code + SFRAME_CALL_LEN - n, (void __user *)(ip - n),
			   n))
		return 0;
	return n;
}

/* Whether @byte is @opcode, or a uprobe's breakpoint in place of it. */
static inline bool sframe_is_opcode(u8 byte, u8 opcode)
{
	return byte == opcode ||
	       (byte == 0xcc && mm_flags_test(MMF_HAS_UPROBES, current->mm));
}

/* Whether the @len bytes at @code, 2 at least, are FF /2, without prefixes. */
static inline bool sframe_is_indirect_call(const u8 *code, unsigned int len)
{
	u8 mod = code[1] >> 6, rm = code[1] & 7;
	bool sib = mod != 3 && rm == 4;
	unsigned int n = 2 + sib;

	if (sib && !mod && len > 2)
		rm = code[2] & 7;
	if (mod == 1)
		n += 1;
	else if (mod == 2 || (!mod && rm == 5))
		n += 4;
	return n == len && sframe_is_opcode(code[0], 0xff) &&
	       (code[1] & 0x38) == 0x10;
}

/*
 * Whether @ip, which is in an executable mapping, is behind CALL with an
 * offset, or with what a register has.  What cannot be read is believed.
 */
static inline bool sframe_behind_call(unsigned long ip)
{
	u8 code[SFRAME_CALL_LEN];
	unsigned int n = sframe_code_before(ip, code);

	if (!n)
		return true;
	if (n >= 5 && sframe_is_opcode(code[sizeof(code) - 5], 0xe8))
		return true;
	for (unsigned int at = sizeof(code) - n; at < sizeof(code) - 1; at++)
		if (sframe_is_indirect_call(code + at, sizeof(code) - at))
			return true;
	return false;
}

/* pop %r11; pop %rcx; ret: behind the system call for uretprobes. */
static const u8 sframe_uretprobe_exit[] = { 0x41, 0x5b, 0x59, 0xc3 };

/* pop %rax; pop %r11; pop %rcx; ret $128: behind that for optimized uprobes. */
static const u8 sframe_uprobe_exit[] = {
	0x58, 0x41, 0x5b, 0x59, 0xc2, 0x80, 0x00,
};

/* How long the trampoline for uretprobes is in front of its exit. */
#define SFRAME_URETPROBE_ENTRY_LEN	13

/* Whether @code, of at most 8 bytes, is at @ip. */
static inline bool sframe_code_is(unsigned long ip, const u8 *code,
				  unsigned int len)
{
	u8 there[8];

	return !copy_from_user(there, (void __user *)ip, len) &&
	       !memcmp(there, code, len);
}

/* Put @state to where its code pops @pops words, then returns and adds @add. */
static inline void sframe_pop_and_return(struct unwind_user_state *state,
					 unsigned int pops, unsigned int add)
{
	unsigned long __user *sp = (void __user *)state->sp;
	unsigned long ip;

	if (get_user(ip, sp + pops))
		return;
	state->ip = ip;
	state->sp = (unsigned long)(sp + pops + 1) + add;
}

/*
 * Leave the trampoline of a probe, if @state is in one.  Behind its system call
 * the address to go on at is on the stack; before it that is in the kernel, and
 * @state is put back to the start of the trampoline, as if the one to four
 * instructions that push three registers had not been executed.
 */
static inline void sframe_arch_leave_probe(struct unwind_user_state *state,
					   unsigned long trampoline)
{
	unsigned long off = state->ip - trampoline;

	/* It is at the start of a page, if there is one. */
	if (IS_ALIGNED(trampoline, PAGE_SIZE) &&
	    off < SFRAME_URETPROBE_ENTRY_LEN) {
		state->ip = trampoline;
		state->sp += min(off, 3UL) * sizeof(long);
	} else if (sframe_code_is(state->ip, sframe_uretprobe_exit,
				  sizeof(sframe_uretprobe_exit))) {
		sframe_pop_and_return(state, 2, 0);
	} else if (sframe_code_is(state->ip, sframe_uprobe_exit,
				  sizeof(sframe_uprobe_exit))) {
		sframe_pop_and_return(state, 3, 128);
	}
}

/* SP is nowhere else. */
static inline u32 sframe_arch_sp_reg(unsigned long ip)
{
	return SFRAME_REG_SP;
}

/* There are tables for whatever passes calls on. */
static inline bool sframe_arch_in_stub(unsigned long ip)
{
	return false;
}

/* Whether a signal handler returns to @ip. */
static inline bool sframe_arch_restorer(unsigned long ip)
{
	return sframe_in_restorer(ip, false);
}

/* Whether a frame may return to @ip. */
static inline bool sframe_arch_return_ok(unsigned long ip)
{
	return sframe_behind_call(ip) || sframe_in_restorer(ip, false);
}

#endif /* _ASM_X86_UNWIND_USER_SFRAME_H */
