// SPDX-License-Identifier: GPL-2.0-only
/*
 * Steps up a user stack that only s390 knows of: signal frames, back chain.
 *
 * Nothing that is read is trusted, and what may be no frame is declined: a
 * wrong frame is worse than a trace that ends.
 */
#include <linux/errno.h>
#include <linux/sched.h>
#include <linux/sframe.h>
#include <linux/signal.h>
#include <linux/stddef.h>
#include <linux/types.h>
#include <linux/uaccess.h>
#include <linux/unwind_user.h>
#include <asm/sigcontext.h>
#include <asm/stacktrace.h>
#include <asm/ucontext.h>
#include <asm/unistd.h>

/* What the handler of a signal returns to: SVC, and the number in it. */
#define SVC_SIGRETURN		(0x0a00 | __NR_sigreturn)
#define SVC_RT_SIGRETURN	(0x0a00 | __NR_rt_sigreturn)

/* The two kinds of signal frames, up to where they depend on the machine. */
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

/* The instruction that a signal restorer at @ip consists of, or 0. */
static u16 restorer_at(unsigned long ip)
{
	u16 svc;

	if (ip & 1 || get_user(svc, (u16 __user *)ip))
		return 0;
	return svc == SVC_SIGRETURN || svc == SVC_RT_SIGRETURN ? svc : 0;
}

/*
 * Whether a signal leaves the PSW behind the instruction that it came from.
 * Otherwise the PSW is at the one to be executed next, be it again, as after
 * a page fault, or for the first time.
 */
static bool psw_is_behind(int signal, int code)
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

/*
 * Find the registers in the signal frame at @sp, which @svc returns from, and
 * whether the PSW among them is behind its instruction.  A handler without
 * siginfo is not told whether the signal was sent: it is taken for a fault.
 */
static int find_signal_regs(unsigned long sp, u16 svc, unsigned long *regs,
			    bool *behind)
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
	*behind = !ret && psw_is_behind(signal, code);
	return ret;
}

/* Whether there can be a frame at SP: a program can make it any number. */
static bool is_aligned(const struct unwind_user_state *state)
{
	return !(state->sp & (sizeof(long) - 1));
}

/**
 * s390_unwind_signal - step from a signal restorer to what was interrupted
 * @state:	the frame; its SP is what the handler was called with
 *
 * The restorer is in the vDSO, or, if a program has its own, anywhere, be it
 * on the stack.  What was interrupted may be on another stack.
 *
 * Return: 0, -ENOENT if this is no restorer, -EINVAL, -EFAULT.
 */
int s390_unwind_signal(struct unwind_user_state *state)
{
	_s390_regs_common regs;
	unsigned long address;
	bool behind;
	u16 svc;

	svc = restorer_at(state->ip);
	if (!svc)
		return -ENOENT;
	if (!is_aligned(state))
		return -EINVAL;
	if (find_signal_regs(state->sp, svc, &address, &behind) ||
	    copy_from_user(&regs, (void __user *)address, sizeof(regs)))
		return -EFAULT;
	state->ip = regs.psw.addr;
	state->ip_behind = behind;
	state->sp = regs.gprs[15];
	state->fp = regs.gprs[11];
	state->fp_lost = false;
	state->ucontext = address;
	state->interrupted = true;
	state->topmost = false;
	return 0;
}

/* Whether @ip is behind BRASL, BRAS or BASR with register 14: a call. */
static bool is_behind_call(unsigned long ip)
{
	u16 code[3];

	if (ip & 1 || copy_from_user(code, (void __user *)(ip - sizeof(code)),
				     sizeof(code)))
		return false;
	return code[0] == 0xc0e5 || code[1] == 0xa7e5 ||
	       (code[2] & 0xfff0) == 0x0de0;
}

/**
 * s390_unwind_return_ok - whether a frame may return to an address
 * @ip:		the address
 *
 * Return: whether a call or a signal can have left it there.
 */
bool s390_unwind_return_ok(unsigned long ip)
{
	return is_behind_call(ip) || restorer_at(ip);
}

/**
 * s390_unwind_backchain - step to the calling frame by the back chain
 * @state:	the frame; on return, the one that called it
 *
 * A frame begins with the address of the next one, and the return address is
 * saved there.  That is so if the compiler was told to, which cannot be seen:
 * only what a call or a signal can have left there is taken.  A function that
 * is interrupted before it has made its frame hides its caller.
 *
 * What FP was in the calling frame is not known afterwards.
 *
 * Return: 0, or an error and @state as it was.
 */
int s390_unwind_backchain(struct unwind_user_state *state)
{
	struct stack_frame_user __user *frame = (void __user *)state->sp;
	unsigned long sp, ip;
	int ret;

	ret = s390_unwind_signal(state);
	if (ret != -ENOENT)
		return ret;
	if (!is_aligned(state))
		return -EINVAL;
	if (get_user(sp, &frame->back_chain))
		return -EFAULT;
	if (!sp) {
		state->done = true;
		return 0;
	}
	if (sp <= state->sp || sp & (state->ws - 1))
		return -EINVAL;
	frame = (void __user *)sp;
	if (get_user(ip, &frame->gprs[8]))
		return -EFAULT;
	if (!s390_unwind_return_ok(ip) || !sframe_guess_ok(ip))
		return -EINVAL;
	state->ip = ip;
	state->ip_behind = false;
	state->sp = sp;
	state->fp_lost = true;
	state->ucontext = 0;
	state->interrupted = false;
	state->topmost = false;
	return 0;
}
