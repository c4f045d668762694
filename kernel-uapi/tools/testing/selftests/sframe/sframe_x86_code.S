/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions whose CFA is in a register that only the topmost frame has, the
 * second of which calls, and one that has no table.
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

	.globl	by_rbx, by_rbx_return
	.type	by_rbx, @function
by_rbx:
	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset rbx, -16
	push	%rbp
	.cfi_def_cfa_offset 24
	.cfi_offset rbp, -24
	mov	%rsp, %rbx
	.cfi_def_cfa_register rbx
	and	$-64, %rsp
	mov	%rsi, %rbp
	call	*%rdi
by_rbx_return:
	mov	%rbx, %rsp
	.cfi_def_cfa_register rsp
	pop	%rbp
	.cfi_def_cfa_offset 16
	pop	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	by_rbx, . - by_rbx

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
