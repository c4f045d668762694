/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions for sframe_backchain that have a table and no back chain, and one
 * that has neither.
 *
 * They store their return address in NAME_return and call their argument, which
 * returns to NAME_after, with what is in inner as its argument.  All registers
 * are on the stack, and so is what would do for a back chain, but is none.
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
 * Of this one the pointer might be the back chain, but where the return address
 * would be is something else.
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
