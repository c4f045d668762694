/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Machine dependencies of SFrame unwinding on s390: registers, the CFA, signal
 * frames.
 *
 * See the s390x ELF ABI supplement for the DWARF numbers.
 */
#ifndef _ASM_S390_UNWIND_USER_SFRAME_H
#define _ASM_S390_UNWIND_USER_SFRAME_H

#include <linux/errno.h>
#include <linux/fpu.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/sframe_format.h>
#include <linux/stddef.h>
#include <linux/types.h>
#include <linux/uaccess.h>
#include <linux/unwind_user.h>
#include <asm/ptrace.h>
#include <asm/sigcontext.h>
#include <asm/stacktrace.h>

#define SFRAME_ABI		SFRAME_ABI_S390X_BE
#define SFRAME_REG_FP		11
#define SFRAME_REG_RA		14
#define SFRAME_REG_SP		15

/*
 * The CFA is SP at the call plus the save area that the caller provides. CFA
 * offsets are stored minus that size and divided by 8, to fit small words.
 */
#define SFRAME_CFA_ABOVE_SP	160
#define SFRAME_CFA_SCALE	8

/* The CFA minus SP at the first instruction of any function, or PLT entry. */
#define SFRAME_ENTRY_CFA_OFF	SFRAME_CFA_ABOVE_SP

/* A call leaves the return address in its register, not on the stack. */
#define SFRAME_CALL_RA_OFF	0

/* Bytes of stack that a call uses. */
#define SFRAME_CALL_SIZE	0

/* Instructions are at even addresses. */
#define SFRAME_INSN_ALIGN	2

/* Offset of the callee's RA in a frame, which begins with the back chain. */
#define SFRAME_RECORD_RA_OFF	offsetof(struct stack_frame_user, gprs[8])

/* A valid chain from SP does not mean that code maintains a back chain. */
#define SFRAME_CHAIN_TELLS	0

/* DWARF numbers from 16 on are floating point registers, in this order. */
#define SFRAME_REG_FPR		16

static const u8 sframe_fprs[] = {
	0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15,
};

/* Read DWARF register @reg of the topmost frame. */
static inline int sframe_pt_reg(struct pt_regs *regs, unsigned int reg,
				unsigned long *value)
{
	if (reg < SFRAME_REG_FPR) {
		/* The number comes from a table of user space. */
		reg = array_index_nospec(reg, SFRAME_REG_FPR);
		*value = regs->gprs[reg];
		return 0;
	}
	reg -= SFRAME_REG_FPR;
	if (reg >= ARRAY_SIZE(sframe_fprs))
		return -ENODATA;
	reg = array_index_nospec(reg, ARRAY_SIZE(sframe_fprs));
	save_user_fpu_regs();
	*value = current->thread.ufpu.vxrs[sframe_fprs[reg]].high;
	return 0;
}

/* Read DWARF register @reg of an interrupted frame from @sigregs. */
static inline int sframe_ucontext_reg(unsigned long sigregs, unsigned int reg,
				      unsigned long *value)
{
	_sigregs __user *regs = (void __user *)sigregs;

	if (reg < SFRAME_REG_FPR) {
		reg = array_index_nospec(reg, SFRAME_REG_FPR);
		return get_user(*value, &regs->regs.gprs[reg]);
	}
	reg -= SFRAME_REG_FPR;
	if (reg >= ARRAY_SIZE(sframe_fprs))
		return -ENODATA;
	reg = array_index_nospec(reg, ARRAY_SIZE(sframe_fprs));
	return get_user(*value, (unsigned long __user *)
			&regs->fpregs.fprs[sframe_fprs[reg]]);
}

/* Whether SVC precedes @ip. */
static inline bool sframe_arch_after_syscall(unsigned long ip)
{
	u16 code;

	return !get_user(code, (u16 __user *)(ip - 2)) && code >> 8 == 0x0a;
}

/* Whether the topmost frame has faulted at the instruction before @ip. */
static inline bool sframe_arch_ip_after(unsigned long ip)
{
	return s390_unwind_ip_after(ip);
}

static inline int sframe_arch_signal(struct unwind_user_state *state)
{
	return s390_unwind_signal(state);
}

/*
 * The DWARF number of the register with the caller's SP at @ip, for a rule that
 * says that SP is unchanged.
 */
static inline u32 sframe_arch_sp_reg(unsigned long ip)
{
	int fpr = s390_unwind_saved_sp(ip);

	for (u32 i = 0; i < ARRAY_SIZE(sframe_fprs); i++)
		if (sframe_fprs[i] == fpr)
			return SFRAME_REG_FPR + i;
	return SFRAME_REG_SP;
}

/* Not called: a step by frame pointer does not lose SP. */
static inline bool sframe_arch_sets_fp(unsigned long start, unsigned long end,
				       s32 max)
{
	return true;
}

/* The trampoline is one instruction: there is nothing to undo. */
static inline void sframe_arch_leave_probe(struct unwind_user_state *state,
					   unsigned long trampoline) {}

/* 0 if @ip is in a PLT, whose code pushes nothing, otherwise -1. */
static inline int sframe_arch_stub(unsigned long ip)
{
	return s390_unwind_in_stub(ip) ? 0 : -1;
}

/* Whether @ip is the restorer to which a signal handler returns. */
static inline bool sframe_arch_restorer(unsigned long ip)
{
	return s390_unwind_restorer(ip);
}

static inline bool sframe_arch_return_ok(unsigned long ip)
{
	return s390_unwind_return_ok(ip);
}

#endif /* _ASM_S390_UNWIND_USER_SFRAME_H */
