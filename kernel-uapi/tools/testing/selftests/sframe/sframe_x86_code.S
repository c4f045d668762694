/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A function whose CFA is in a register that only the topmost frame has, and
 * one that has no table.
 */
	.text
	.globl	use_r10, use_r10_access
	.type	use_r10, @function
use_r10:
	.cfi_startproc
	lea	8(%rsp), %r10
	.cfi_def_cfa r10, 0
	sub	$264, %rsp
use_r10_access:
	movb	$1, (%rdi)
	lea	-8(%r10), %rsp
	.cfi_def_cfa rsp, 8
	ret
	.cfi_endproc
	.size	use_r10, . - use_r10

	.globl	no_cfi, no_cfi_return, no_call_here
	.type	no_cfi, @function
no_cfi:
	push	%rbp
	mov	%rsi, %rbp
	call	*%rdi
no_cfi_return:
	pop	%rbp
	.rept	8
	nop
	.endr
no_call_here:
	ret
	.size	no_cfi, . - no_cfi

	.section .note.GNU-stack, "", @progbits
