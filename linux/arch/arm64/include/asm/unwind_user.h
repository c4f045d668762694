/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The arm64 part of the user space unwinder.
 */
#ifndef __ASM_UNWIND_USER_H
#define __ASM_UNWIND_USER_H

#include <linux/compiler.h>
#include <linux/uaccess.h>
#include <asm/ptrace.h>

/* 32-bit code has other registers and other frame records. */
static inline int unwind_user_word_size(struct pt_regs *regs)
{
	return compat_user_mode(regs) ? 0 : sizeof(long);
}

/*
 * FP points to a frame record, the caller's FP and the return address. The CFA
 * of the unwinder is here the end of the record.
 */
#define ARCH_INIT_USER_FP_FRAME(ws)			\
	.cfa_off	=  2 * (ws),			\
	.ra_off		= -1 * (ws),			\
	.fp_off		= -2 * (ws),			\
	.use_fp		= true,

/* The record can be anywhere in its frame; GCC puts it at the bottom. */
#define UNWIND_USER_FP_LOSES_SP		1

/* Functions sign their return address before they save it. */
#define unwind_user_strip_ra(ra)	ptrauth_strip_user_insn_pac(ra)

#define unwind_user_untag(addr)		untagged_addr(addr)

#endif /* __ASM_UNWIND_USER_H */
