/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions for sframe_s390 that keep values where compilers do in leaf
 * functions, or whose tables are wrong where the unwinder must not look.
 *
 * Arguments: a page to touch, or a thread, a signal and the call to send it.
 * They store their return address in asm_return first.
 */
.macro	function name
	.globl	\name
\name:
	.cfi_startproc
.endm
.macro	label name
	.globl	\name
\name:
.endm
.macro	noted_function name
	function \name
	stgrl	%r14, asm_return
.endm

/* Save the registers in FPRs, and save the call-saved FPRs first. */
.macro	save_in_fprs fp, ra
	std	%f\fp, 128(%r15)
	std	%f\ra, 136(%r15)
	ldgr	%f\fp, %r11
	.cfi_register %r11, %f\fp
	ldgr	%f\ra, %r14
	.cfi_register %r14, %f\ra
	lghi	%r11, 1
	lghi	%r14, 3
.endm

.macro	restore_from_fprs fp, ra
	lgdr	%r14, %f\ra
	.cfi_restore %r14
	lgdr	%r11, %f\fp
	.cfi_restore %r11
	ld	%f\fp, 128(%r15)
	ld	%f\ra, 136(%r15)
	br	%r14
	.cfi_endproc
.endm

.macro	in_fprs fp, ra
	noted_function in_fprs_\fp
	save_in_fprs \fp, \ra
	label	in_fprs_access_\fp
	mvi	0(%r2), 1
	restore_from_fprs \fp, \ra
	.pushsection .data.rel.ro
	.quad	in_fprs_\fp, in_fprs_access_\fp
	.popsection
.endm

/* All such functions, and a list of them and their accesses. */
	.pushsection .data.rel.ro, "aw"
	.balign	8
	label	in_fprs
	.popsection
	.text
	in_fprs	0, 1
	in_fprs	2, 3
	in_fprs	4, 5
	in_fprs	6, 7
	in_fprs	8, 9
	in_fprs	10, 11
	in_fprs	12, 13
	in_fprs	14, 15

/* CFA, return address and FP in GPRs. */
	noted_function in_gprs
	lgr	%r1, %r15
	.cfi_def_cfa %r1, 160
	lgr	%r5, %r14
	.cfi_register %r14, %r5
	lgr	%r0, %r11
	.cfi_register %r11, %r0
	aghi	%r15, -264
	lghi	%r11, 1
	lghi	%r14, 3
	label	in_gprs_access
	mvi	0(%r2), 1
	lgr	%r11, %r0
	lgr	%r14, %r5
	lgr	%r15, %r1
	br	%r14
	.cfi_endproc

/* Interrupted inside, with the registers in FPRs. */
	noted_function signal_in_fprs
	save_in_fprs 1, 2
	lgr	%r1, %r4
	svc	0
	label	signal_in_fprs_after
	restore_from_fprs 1, 2

/*
 * A function that ends with a faulting instruction. The handler returns to the
 * next function, whose rows differ.
 */
.macro	fault_at_end name, after, insn, operands:vararg
	noted_function \name
	stmg	%r14, %r15, 112(%r15)
	.cfi_offset %r14, -48
	.cfi_offset %r15, -40
	aghi	%r15, -160
	.cfi_def_cfa_offset 320
	lghi	%r14, 3
	lghi	%r3, 0
	\insn	\operands
	.cfi_endproc
	function \after
	lmg	%r14, %r15, 272(%r15)
	br	%r14
	.cfi_endproc
.endm

	fault_at_end illegal_at_end, illegal_after, .short, 0
	fault_at_end divide_at_end, divide_after, dlgr, %r0, %r3

/*
 * A function that sends a signal by its last instruction, and has a wrong
 * table. The signal interrupts the next function, at its start.
 */
	noted_function send_at_end
	.cfi_def_cfa_offset 4000
	lgr	%r1, %r4
	svc	0
	.cfi_endproc
	function send_after
	br	%r14
	.cfi_endproc

/* While the signal is pending, the task still is in the system call. */
	noted_function call_at_end
	lgr	%r1, %r4
	svc	0
	.cfi_endproc
	function call_after
	.cfi_def_cfa_offset 4000
	br	%r14
	.cfi_endproc

	.section .note.GNU-stack, "", @progbits
