/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Machine dependencies of SFrame unwinding on x86-64: registers, PLTs, signal
 * frames, probes.
 *
 * See the System V ABI, AMD64 supplement, for the DWARF numbers.
 */
#ifndef _ASM_X86_UNWIND_USER_SFRAME_H
#define _ASM_X86_UNWIND_USER_SFRAME_H

#include <linux/cpufeature.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/rcupdate.h>
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
/* Only a column of tables: the return address is in no register. */
#define SFRAME_REG_RA		16

/* The CFA is SP before the call; its offsets are stored in bytes. */
#define SFRAME_CFA_ABOVE_SP	0
#define SFRAME_CFA_SCALE	1

/*
 * The CFA minus SP at the first instruction of any function, or PLT entry: the
 * rows of a PLT describe one entry, which is called in place of the function.
 * GNU ld up to 2.47 writes SP + 16 for the entries of .plt.got. An entry of one
 * row does not change SP, so the CFA is SP + 8 in all of it; an entry of several
 * rows cannot be corrected.
 */
#define SFRAME_ENTRY_CFA_OFF	8

/* Offset from the CFA at which a call pushes the return address. */
#define SFRAME_CALL_RA_OFF	(-8)

/* Bytes of stack that a call uses. */
#define SFRAME_CALL_SIZE	8

/* Instructions are not aligned. */
#define SFRAME_INSN_ALIGN	1

/* Offset of the RA in a frame record, which begins with the caller's FP. */
#define SFRAME_RECORD_RA_OFF	8

/* A valid chain from FP means that code has set up frame pointers. */
#define SFRAME_CHAIN_TELLS	1

/* By DWARF number: offsets of the register in pt_regs and in a ucontext. */
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
		return -ENODATA;
	/* The number comes from a table of user space. */
	reg = array_index_nospec(reg, ARRAY_SIZE(sframe_regs));
	*value = regs_get_register(regs, sframe_regs[reg].pt_regs);
	return 0;
}

/* Read DWARF register @reg from the signal frame with @ucontext. */
static inline int sframe_ucontext_reg(unsigned long ucontext, unsigned int reg,
				      unsigned long *value)
{
	if (reg >= ARRAY_SIZE(sframe_regs))
		return -ENODATA;
	reg = array_index_nospec(reg, ARRAY_SIZE(sframe_regs));
	return get_user(*value, (unsigned long __user *)
			(ucontext + sframe_regs[reg].ucontext));
}

/*
 * mov $__NR_rt_sigreturn, %rax; syscall: the signal restorer of the C library,
 * to which handlers return. Debuggers recognize signal frames by this code.
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

/*
 * Whether the topmost frame has executed the SYSCALL before @ip. That sets RCX
 * to @ip, except with FRED. At the start of a signal handler the task still has
 * the number of the system call that was interrupted, and RCX is the address
 * after that one.
 */
static inline bool sframe_arch_after_syscall(unsigned long ip)
{
	u16 code;

	return (cpu_feature_enabled(X86_FEATURE_FRED) ||
		task_pt_regs(current)->cx == ip) &&
	       !get_user(code, (u16 __user *)(ip - 2)) &&
	       code == SFRAME_RESTORER_SYSCALL;
}

/* Whether the byte before @ip is INT3. */
static inline bool sframe_after_int3(unsigned long ip)
{
	u8 code;

	return !get_user(code, (u8 __user *)(ip - 1)) && code == 0xcc;
}

/* How many of the last queued signals are examined. */
#define SFRAME_QUEUED_MAX	4

/*
 * Whether the signal of an INT3 is queued. Other tasks can queue any number of
 * signals, so examine only the last ones. The kernel sends no other SIGTRAP
 * with this code, and no other process can send one.
 */
static inline bool sframe_int3_queued(void)
{
	struct sigqueue *q;
	unsigned long flags;
	bool found = false;
	int n = 0;

	if (!lock_task_sighand(current, &flags))
		return false;
	list_for_each_entry_reverse(q, &current->pending.list, list) {
		found = q->info.si_signo == SIGTRAP &&
			q->info.si_code == SI_KERNEL;
		if (found || ++n == SFRAME_QUEUED_MAX)
			break;
	}
	unlock_task_sighand(current, &flags);
	return found;
}

/*
 * Whether the topmost frame has trapped at the INT3 before @ip. The number of
 * the last trap, which may be long ago, only makes other cases fast.
 */
static inline bool sframe_arch_ip_after(unsigned long ip)
{
	return sigismember(&current->pending.signal, SIGTRAP) &&
	       current->thread.trap_nr == X86_TRAP_BP &&
	       sframe_after_int3(ip) && sframe_int3_queued();
}

/*
 * Whether @frame is the signal frame of an INT3; only called if the last trap
 * of the task was one and INT3 precedes the interrupted address. The last trap
 * may be long ago, and its number is inherited by fork().
 *
 * A handler of SIGTRAP with SA_SIGINFO has siginfo in its frame. Without it,
 * these bytes are not written. Then look whether SIGTRAP is blocked: it is not
 * in code that traps, but it is in a handler without SA_NODEFER, and in those
 * that interrupt it.
 */
static inline bool sframe_is_int3_frame(struct rt_sigframe __user *frame)
{
	/* A task keeps its sighand until the task is released. */
	const struct sighand_struct *sighand =
		rcu_dereference_raw(current->sighand);
	unsigned long flags, blocked;
	int signal, code;

	flags = READ_ONCE(sighand->action[SIGTRAP - 1].sa.sa_flags);
	if (flags & SA_SIGINFO)
		return !get_user(signal, &frame->info.si_signo) &&
		       !get_user(code, &frame->info.si_code) &&
		       signal == SIGTRAP && code == SI_KERNEL;
	return !get_user(blocked, &frame->uc.uc_sigmask.sig[0]) &&
	       !(blocked & sigmask(SIGTRAP)) &&
	       (flags & SA_NODEFER || sigismember(&current->blocked, SIGTRAP));
}

/**
 * sframe_arch_signal - step from a signal restorer to the interrupted frame
 * @state:	the frame; its SP points to the ucontext
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
	state->ip_after = trap == X86_TRAP_BP && sframe_after_int3(ip) &&
		sframe_is_int3_frame((void __user *)(ucontext -
					offsetof(struct rt_sigframe, uc)));
	state->sp = sp;
	state->fp = fp;
	state->ucontext = ucontext;
	state->interrupted = true;
	state->topmost = false;
	return 0;
}

/* Length of the longest CALL that is recognized. */
#define SFRAME_CALL_LEN		7

/*
 * Read the bytes before @ip into the end of @code and return their number:
 * fewer than SFRAME_CALL_LEN near the start of a mapping, 0 if the code is
 * execute-only.
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

/* Whether @byte is @opcode, or may be the breakpoint of a uprobe instead. */
static inline bool sframe_is_opcode(u8 byte, u8 opcode)
{
	return byte == opcode ||
	       (byte == 0xcc && mm_flags_test(MMF_HAS_UPROBES, current->mm));
}

/* Whether the @len bytes at @code, at least 2, are FF /2 without prefixes. */
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
 * Whether a direct or indirect CALL precedes @ip, which is in an executable
 * mapping. True if the code before @ip cannot be read, unless it may just be
 * missing in a task that is exiting.
 */
static inline bool sframe_after_call(unsigned long ip)
{
	u8 code[SFRAME_CALL_LEN];
	unsigned int n = sframe_code_before(ip, code);

	if (!n)
		return !pagefault_disabled();
	if (n >= 5 && sframe_is_opcode(code[sizeof(code) - 5], 0xe8))
		return true;
	for (unsigned int at = sizeof(code) - n; at < sizeof(code) - 1; at++)
		if (sframe_is_indirect_call(code + at, sizeof(code) - at))
			return true;
	return false;
}

/* pop %r11; pop %rcx; ret: follows the system call for uretprobes. */
static const u8 sframe_uretprobe_exit[] = { 0x41, 0x5b, 0x59, 0xc3 };

/*
 * The trampoline for optimized uprobes, alone in its page: push %rcx; push
 * %r11; push %rax; mov $__NR_uprobe, %rax; syscall; pop %rax; pop %r11; pop
 * %rcx; ret $128.
 */
static const u8 sframe_uprobe_trampoline[] = {
	0x51, 0x41, 0x53, 0x50, 0x48, 0xc7, 0xc0, 0x50, 0x01, 0x00, 0x00, 0x0f,
	0x05, 0x58, 0x41, 0x5b, 0x59, 0xc2, 0x80, 0x00,
};

/* Length of both trampolines up to the end of their system call. */
#define SFRAME_PROBE_ENTRY_LEN	13

/* The red zone, which an optimized uprobe leaves before it pushes anything. */
#define SFRAME_RED_ZONE		128

/*
 * The words below the address to return to at offset @off of the trampoline for
 * uretprobes, after its system call; -1 if no instruction is there.
 */
static inline int sframe_uretprobe_words(unsigned long off)
{
	switch (off) {
	case 13:
		return 2;
	case 15:
		return 1;
	case 16:
		return 0;
	default:
		return -1;
	}
}

/* The same for the trampoline for optimized uprobes, all of it. */
static inline int sframe_uprobe_words(unsigned long off)
{
	switch (off) {
	case 0:
	case 17:
		return 0;
	case 1:
	case 16:
		return 1;
	case 3:
	case 14:
		return 2;
	case 4:
	case 11:
	case 13:
		return 3;
	default:
		return -1;
	}
}

/* Whether the bytes at @ip are @code; @len is at most 20. */
static inline bool sframe_code_is(unsigned long ip, const u8 *code,
				  unsigned int len)
{
	u8 there[20];

	return !copy_from_user(there, (void __user *)ip, len) &&
	       !memcmp(there, code, len);
}

/* Whether the page at @page begins with the trampoline for optimized uprobes. */
static inline bool sframe_is_uprobe_trampoline(unsigned long page)
{
	return sframe_code_is(page, sframe_uprobe_trampoline,
			      sizeof(sframe_uprobe_trampoline));
}

/*
 * Whether the instruction at @ip calls the trampoline for optimized uprobes. The
 * LEA before it has subtracted the red zone from SP; together they replace a
 * NOP.
 */
static inline bool sframe_calls_uprobe_trampoline(unsigned long ip)
{
	struct {
		u8 opcode;
		s32 distance;
	} __packed call;
	unsigned long target;

	if (copy_from_user(&call, (void __user *)ip, sizeof(call)) ||
	    call.opcode != 0xe8)
		return false;
	target = ip + sizeof(call) + call.distance;
	return !(target & ~PAGE_MASK) && sframe_is_uprobe_trampoline(target);
}

/* Step as code does that pops @pops words and returns, with @add for RET. */
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
 * Leave the trampoline of a probe, if @state is in one. The address to continue
 * at is on the stack; but for a uretprobe it is known to the kernel only until
 * the system call has stored it there: move @state back to the start of the
 * trampoline, as if the instructions before the system call, which push three
 * registers, had not been executed.
 *
 * Undo the change of SP if @state is before the call of the trampoline.
 *
 * Programs may have the same instructions elsewhere, as part of a function.
 */
static inline void sframe_arch_leave_probe(struct unwind_user_state *state,
					   unsigned long trampoline)
{
	unsigned long page = state->ip & PAGE_MASK, off = state->ip - page;
	int after = sframe_uretprobe_words(off);
	int optimized = sframe_uprobe_words(off);

	/* Each of them is at the start of a page. */
	if (page == trampoline && off < SFRAME_PROBE_ENTRY_LEN) {
		state->ip = trampoline;
		state->sp += min(off, 3UL) * sizeof(long);
	} else if (page == trampoline && after >= 0 &&
		   sframe_code_is(page + SFRAME_PROBE_ENTRY_LEN,
				  sframe_uretprobe_exit,
				  sizeof(sframe_uretprobe_exit))) {
		sframe_pop_and_return(state, after, 0);
	} else if (optimized >= 0 && sframe_is_uprobe_trampoline(page)) {
		sframe_pop_and_return(state, optimized, SFRAME_RED_ZONE);
	} else if (sframe_calls_uprobe_trampoline(state->ip)) {
		state->sp += SFRAME_RED_ZONE;
	}
}

/* Not called: a step by frame pointer does not lose SP. */
static inline bool sframe_arch_sets_fp(unsigned long start, unsigned long end,
				       s32 max)
{
	return true;
}

/* The caller's SP is never in another register. */
static inline u32 sframe_arch_sp_reg(unsigned long ip)
{
	return SFRAME_REG_SP;
}

/* PLT stubs have tables. */
static inline int sframe_arch_stub(unsigned long ip)
{
	return -1;
}

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

#endif /* _ASM_X86_UNWIND_USER_SFRAME_H */
