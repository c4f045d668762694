// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unwind steps of user space that are specific to s390: signal frames, back
 * chain.
 *
 * Nothing read from user space is trusted. A doubtful frame is rejected: a
 * wrong frame is worse than a trace that ends early.
 */
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sframe.h>
#include <linux/signal.h>
#include <linux/stddef.h>
#include <linux/types.h>
#include <linux/uaccess.h>
#include <linux/unwind_uprobe.h>
#include <linux/unwind_user.h>
#include <linux/processor.h>
#include <asm/sigcontext.h>
#include <asm/stacktrace.h>
#include <asm/ucontext.h>
#include <asm/unistd.h>

/* The instruction to which a signal handler returns: SVC with the number. */
#define SVC_SIGRETURN		(0x0a00 | __NR_sigreturn)
#define SVC_RT_SIGRETURN	(0x0a00 | __NR_rt_sigreturn)

/* The two kinds of signal frames, up to the machine-dependent part. */
struct signal_frame {
	u8			save_area[__SIGNAL_FRAMESIZE];
	struct sigcontext	context;
	_sigregs		regs;
	int			signal;
};

struct rt_signal_frame {
	u8			save_area[__SIGNAL_FRAMESIZE];
	u16			svc;
	struct siginfo		info;
	struct ucontext		ucontext;
};

/* The instruction at @ip if it is a signal restorer, or else 0. */
static u16 restorer_at(unsigned long ip)
{
	u16 svc;

	if (ip & 1 || get_user(svc, (u16 __user *)ip))
		return 0;
	return svc == SVC_SIGRETURN || svc == SVC_RT_SIGRETURN ? svc : 0;
}

/*
 * Whether the PSW of a signal points after the instruction that caused it.
 * Otherwise it points to the instruction to execute next, which may be the
 * faulting one, as after a page fault.
 */
static bool psw_is_after(int signal, int code)
{
	switch (signal) {
	case SIGILL:
	case SIGFPE:
		return code > 0;
	case SIGTRAP:
		return code == TRAP_BRKPT;
	default:
		return false;
	}
}

/* How many of the last queued signals are examined. */
#define QUEUED_MAX	4

/* Length of the longest instruction. */
#define INSN_MAX	6

/**
 * s390_unwind_ip_after - whether the task has faulted just before an address
 * @ip:		address in its PSW
 *
 * Only the last QUEUED_MAX signals are examined: other tasks can queue any
 * number of signals, though not with the code and address of a fault.
 *
 * Return: whether @ip follows the instruction that faulted.
 */
bool s390_unwind_ip_after(unsigned long ip)
{
	struct sigqueue *q;
	unsigned long flags;
	bool after = false;
	int n = 0;

	if (list_empty(&current->pending.list))
		return false;
	if (!lock_task_sighand(current, &flags))
		return false;
	list_for_each_entry_reverse(q, &current->pending.list, list) {
		if (psw_is_after(q->info.si_signo, q->info.si_code) &&
		    ip - 1 - (unsigned long)q->info.si_addr < INSN_MAX)
			after = true;
		if (++n == QUEUED_MAX)
			break;
	}
	unlock_task_sighand(current, &flags);
	return after;
}

/*
 * Store in @regs the address of the registers in the signal frame at @sp, from
 * which @svc returns, and in @after whether their PSW points after the
 * instruction that caused the signal. Without siginfo the frame does not say
 * whether the signal was sent; assume a fault.
 */
static int find_signal_regs(unsigned long sp, u16 svc, unsigned long *regs,
			    bool *after)
{
	struct rt_signal_frame __user *rt = (void __user *)sp;
	struct signal_frame __user *old = (void __user *)sp;
	int signal, code = TRAP_BRKPT, ret;

	if (svc == SVC_RT_SIGRETURN) {
		*regs = (unsigned long)&rt->ucontext.uc_mcontext;
		ret = get_user(signal, &rt->info.si_signo) ?:
		      get_user(code, &rt->info.si_code);
	} else {
		*regs = (unsigned long)&old->regs;
		ret = get_user(signal, &old->signal);
	}
	*after = !ret && psw_is_after(signal, code);
	return ret;
}

/* Whether SP is aligned: a program can set it to any value. */
static bool is_aligned(const struct unwind_user_state *state)
{
	return !(state->sp & (sizeof(long) - 1));
}

/**
 * s390_unwind_signal - step from a signal restorer to the interrupted frame
 * @state:	the frame; its SP is that at the start of the handler
 *
 * The restorer is in the vDSO, or, if the program has its own, anywhere, even
 * on the stack. The interrupted frame may be on another stack.
 *
 * Return: 0, -ENOENT if this is no restorer, -EINVAL, -EFAULT.
 */
int s390_unwind_signal(struct unwind_user_state *state)
{
	_s390_regs_common regs;
	unsigned long address;
	bool after;
	u16 svc;

	svc = restorer_at(state->ip);
	if (!svc)
		return -ENOENT;
	if (!is_aligned(state))
		return -EINVAL;
	if (find_signal_regs(state->sp, svc, &address, &after) ||
	    copy_from_user(&regs, (void __user *)address, sizeof(regs)))
		return -EFAULT;
	state->ip = regs.psw.addr;
	state->ip_after = after;
	state->sp = regs.gprs[15];
	state->fp = regs.gprs[11];
	state->fp_lost = false;
	state->ucontext = address;
	state->interrupted = true;
	state->topmost = false;
	return 0;
}

/*
 * Whether a call (BRASL, BRAS or BASR with register 14) precedes @ip. The
 * mapping may begin with the call. True if the code cannot be read, unless it
 * may just be missing in a task that is exiting.
 */
static bool is_after_call(unsigned long ip)
{
	unsigned long n = ip & ~PAGE_MASK;
	u16 code[3] = {};

	if (copy_from_user(code, (void __user *)(ip - sizeof(code)),
			   sizeof(code)) &&
	    (n >= sizeof(code) ||
	     copy_from_user((u8 *)code + sizeof(code) - n,
			    (void __user *)(ip - n), n) || !n))
		return !pagefault_disabled();
	return code[0] == 0xc0e5 || code[1] == 0xa7e5 ||
	       (code[2] & 0xfff0) == 0x0de0;
}

/**
 * s390_unwind_restorer - whether an address is that of a signal restorer
 * @ip:		the address, which is in an executable mapping
 *
 * Return: whether the instruction there is a sigreturn system call.
 */
bool s390_unwind_restorer(unsigned long ip)
{
	return restorer_at(ip);
}

/**
 * s390_unwind_return_ok - whether a frame may return to an address
 * @ip:		the address, which is in an executable mapping
 *
 * Return: whether @ip follows a call or is a signal restorer.
 */
bool s390_unwind_return_ok(unsigned long ip)
{
	return is_after_call(ip) || restorer_at(ip);
}

/* Halfwords in the patterns below; -1 matches any. */
#define STUB_LEN 14

/*
 * A PLT entry, and the code before the first one (PLT0), which all entries
 * share. GNU ld 2.47 writes no tables for those of shared objects. See
 * "Procedure Linkage Table" in the ABI.
 */
static const int plt_entry[STUB_LEN] = {
	0xc010, -1, -1, 0xe310, 0x1000, 0x0004, 0x07f1, 0x0d10, 0xe310, 0x100c,
	0x0014, 0xc0f4, -1, -1,
};

static const int plt_start[STUB_LEN] = {
	0xe310, 0xf038, 0x0024, 0xc010, -1, -1, 0xd207, 0xf030, 0x1008, 0xe310,
	0x1010, 0x0004, 0x07f1, -1,
};

static bool is_stub(const u16 *code, const int *stub)
{
	for (int i = 0; i < STUB_LEN; i++)
		if (stub[i] >= 0 && code[i] != stub[i])
			return false;
	return true;
}

/**
 * s390_unwind_in_stub - whether an address is in a PLT
 * @ip:		the address
 *
 * Return: whether the code is that of a PLT, which does not change SP.
 */
bool s390_unwind_in_stub(unsigned long ip)
{
	u16 code[STUB_LEN];

	for (unsigned int at = 0; at < sizeof(code); at += sizeof(*code))
		if (!copy_from_user(code, (void __user *)(ip - at),
				    sizeof(code)) &&
		    (is_stub(code, plt_entry) || is_stub(code, plt_start)))
			return true;
	return false;
}

/* How many bytes to search for LGDR. In code by gcc it is not farther away. */
#define RESTORE_MAX	64

#define LGDR		0xb3cd
#define LDGR		0xb3c1

/* Whether the instruction that begins with @code may branch. */
static bool is_branch(u16 code)
{
	switch (code >> 8) {
	case 0x05 ... 0x07:	/* BALR, BCTR, BCR */
	case 0x0a ... 0x0d:	/* SVC, BSM, BASSM, BASR */
	case 0x44 ... 0x47:	/* EX, BAL, BCT, BC */
	case 0x84 ... 0x87:	/* BRXH, BRXLE, BXH, BXLE */
	case 0xc6:		/* EXRL, compares */
	case 0xec:		/* compare and branch */
		return true;
	case 0xa7:
	case 0xc0:		/* relative, as BRC and BRCL */
		return (code & 0xf) >= 4 && (code & 0xf) <= 7;
	}
	return false;
}

/**
 * s390_unwind_saved_sp - find the FPR in which a leaf function has saved SP
 * @ip:		an address in the function
 *
 * In tables by gcc, SP is the caller's some instructions before LGDR restores
 * it: SFrame cannot express that SP is in an FPR. So search for LGDR from @ip
 * up to the first branch, or to an LDGR that saves SP, before which SP is in
 * its own register.
 *
 * Return: the number of the FPR, or -1 if SP is in its own register.
 */
int s390_unwind_saved_sp(unsigned long ip)
{
	unsigned long end = ip + RESTORE_MAX;
	u16 code, regs;

	while (ip < end) {
		if (get_user(code, (u16 __user *)ip) || is_branch(code))
			break;
		if ((code == LGDR || code == LDGR) &&
		    get_user(regs, (u16 __user *)(ip + 2)))
			break;
		if (code == LGDR && (regs & 0xf0) == 0xf0)
			return regs & 0xf;
		if (code == LDGR && (regs & 0xf) == 0xf)
			break;
		/* The first two bits of an instruction encode its length. */
		ip += code < 0x4000 ? 2 : code < 0xc000 ? 4 : 6;
	}
	return -1;
}

/* Whether @ip is in the vDSO, whose wrappers have frames of their own kind. */
static bool in_vdso(unsigned long ip)
{
	return ip - current->mm->context.vdso_base < vdso_text_size();
}

/*
 * Find SP and IP of the frame that called @state; -ENOENT if the chain ends.
 * The wrappers of the vDSO store 0 as back chain, since their callers need not
 * have one, and save the return address in their own frame.
 */
static int find_caller(const struct unwind_user_state *state,
		       unsigned long *sp, unsigned long *ip)
{
	struct stack_frame_user __user *frame = (void __user *)state->sp;
	struct stack_frame_vdso_wrapper __user *wrapper = (void __user *)frame;

	if (get_user(*sp, &frame->back_chain))
		return -EFAULT;
	if (!*sp && in_vdso(state->ip)) {
		*sp = state->sp + sizeof(*wrapper);
		return get_user(*ip, &wrapper->return_address);
	}
	if (!*sp)
		return -ENOENT;
	if (*sp <= state->sp || *sp & (state->ws - 1))
		return -EINVAL;
	frame = (void __user *)*sp;
	return get_user(*ip, &frame->gprs[8]);
}

/**
 * s390_unwind_backchain - step to the calling frame by the back chain
 * @state:	the frame; on return, the one that called it
 *
 * A frame begins with the address of the caller's frame, in which the return
 * address is saved. That holds only for code compiled with a back chain, which
 * cannot be detected: __sframe_guess_ok() rejects unlikely frames, also if
 * SFrame is switched off; it reads no table then. If a function is interrupted
 * before it has made its frame, its caller is missing.
 *
 * The FP of the calling frame is not known afterwards.
 *
 * Return: 0, or an error with @state unchanged. The end of the chain is an
 * error, too: code that keeps no chain may end it, and another unwinder may
 * find the caller.
 */
int s390_unwind_backchain(struct unwind_user_state *state)
{
	struct stack_frame_user __user *frame;
	unsigned long sp, ip, next;
	int ret;

	ret = s390_unwind_signal(state);
	if (ret != -ENOENT)
		return ret;
	if (!is_aligned(state))
		return -EINVAL;
	ret = find_caller(state, &sp, &ip);
	if (ret)
		return ret;
	ip = unwind_uprobe_ra(ip, sp, false);
	frame = (void __user *)sp;
	if (get_user(next, &frame->back_chain))
		return -EFAULT;
	if (!__sframe_guess_ok(state, ip, sp, next))
		return -EINVAL;
	state->ip = ip;
	state->ip_after = false;
	state->sp = sp;
	state->sp_kept = false;
	state->fp_lost = true;
	state->ucontext = 0;
	state->interrupted = false;
	state->topmost = false;
	return 0;
}
