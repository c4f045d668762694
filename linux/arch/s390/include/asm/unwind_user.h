/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The s390 part of the user space unwinder.
 */
#ifndef _ASM_S390_UNWIND_USER_H
#define _ASM_S390_UNWIND_USER_H

#include <asm/ptrace.h>

struct unwind_user_state;

/* In the 24-bit and 31-bit modes a pointer is smaller than a register. */
static inline int unwind_user_word_size(struct pt_regs *regs)
{
	if (psw_bits(regs->psw).eaba != PSW_BITS_AMODE_64BIT)
		return 0;
	return sizeof(long);
}

bool s390_unwind_ip_after(unsigned long ip);
int s390_unwind_signal(struct unwind_user_state *state);
bool s390_unwind_restorer(unsigned long ip);
bool s390_unwind_return_ok(unsigned long ip);
bool s390_unwind_in_stub(unsigned long ip);
int s390_unwind_saved_sp(unsigned long ip);
int s390_unwind_backchain(struct unwind_user_state *state);

#define unwind_user_next_backchain s390_unwind_backchain

#endif /* _ASM_S390_UNWIND_USER_H */
