/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions for sframe_backchain that have a table and no back chain, and one
 * that has neither.
 *
 * They store their return address in NAME_return and call their argument, with
 * the contents of inner as its argument; the call returns to NAME_after. They
 * save all registers on the stack, and a word that looks like a back chain.
 */
.macro	enter name
	.globl	\name, \name\()_after
\name:
	.cfi_startproc
	stgrl	%r14, \name\()_return
	stmg	%r11, %r15, 88(%r15)
	.cfi_offset %r11, -72
	.cfi_offset %r14, -48
	.cfi_offset %r15, -40
	aghi	%r15, -160
	.cfi_def_cfa_offset 320
.endm

.macro	call_and_return name
	stg	%r14, 192(%r15)
	la	%r1, 80(%r15)
	stg	%r1, 0(%r15)
	lgr	%r1, %r2
	lgrl	%r2, inner
	basr	%r14, %r1
\name\()_after:
.endm

.macro	leave
	lmg	%r11, %r15, 248(%r15)
	.cfi_restore %r11
	.cfi_restore %r14
	.cfi_restore %r15
	.cfi_def_cfa_offset 160
	br	%r14
	.cfi_endproc
.endm

	.text
	enter	by_sp
	lghi	%r11, 1
	call_and_return by_sp
	leave

	enter	by_fp
	lgr	%r11, %r15
	.cfi_def_cfa_register %r11
	aghi	%r15, -64
	call_and_return by_fp
	aghi	%r15, 64
	.cfi_def_cfa_register %r15
	leave

/*
 * In this function the word could be a back chain, but the slot of the return
 * address holds another value.
 */
	.globl	unknown, unknown_after
unknown:
	lgr	%r1, %r15
	aghi	%r15, -168
	stg	%r14, 160(%r15)
	stg	%r1, 0(%r15)
	larl	%r5, unknown
	stg	%r5, 112(%r1)
	basr	%r14, %r2
unknown_after:
	lg	%r14, 160(%r15)
	aghi	%r15, 168
	br	%r14

	.section .note.GNU-stack, "", @progbits
