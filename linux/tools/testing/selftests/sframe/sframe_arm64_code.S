/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions for sframe_arm64: with frame records and without tables, PLT
 * entries, and code that ends with a trap.
 */
.macro	function name
	.globl	\name
	.type	\name, %function
\name:
.endm
.macro	label name
	.globl	\name
\name:
.endm

	.text
/* Call X0 with a frame record in the middle of the frame, and no table. */
	function by_record
	sub	sp, sp, #96
	stp	x29, x30, [sp, #32]
	add	x29, sp, #32
	blr	x0
	label	by_record_return
	ldp	x29, x30, [sp, #32]
	add	sp, sp, #96
	ret

/* A signal handler with a frame record, and no table. */
	function handler_by_record
	stp	x29, x30, [sp, #-16]!
	mov	x29, sp
	bl	in_handler
	label	handler_by_record_return
	ldp	x29, x30, [sp], #16
	ret

/*
 * Call X0 with the argument X1, from a frame with a record at SP and a table in
 * which the CFA is based on SP, as in code by GCC. FP is SP + @fp, or still
 * the caller's.
 */
.macro	by_sp name, fp
	function \name
	.cfi_startproc
	stp	x29, x30, [sp, #-64]!
	.cfi_def_cfa_offset 64
	.cfi_offset x29, -64
	.cfi_offset x30, -56
	stp	xzr, xzr, [sp, #16]
	.ifnb \fp
	add	x29, sp, #\fp
	.endif
	mov	x9, x0
	mov	x0, x1
	blr	x9
	label	\name\()_return
	ldp	x29, x30, [sp], #64
	.cfi_restore x30
	.cfi_restore x29
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
.endm

	by_sp	record_by_sp, 0
/* FP does not point to the record. */
	by_sp	no_record_by_sp, 16
/* Nothing points to the record. */
	by_sp	kept_record_by_sp

/* As by_record, with an FP that has a tag. */
	function by_tagged_record
	stp	x29, x30, [sp, #-48]!
	mov	x9, sp
	orr	x29, x9, #0x3000000000000000
	blr	x0
	label	by_tagged_record_return
	ldp	x29, x30, [sp], #48
	ret

/* Call X0 through a register with a signature: no BLR as in other code. */
	function by_signed_call
	stp	x29, x30, [sp, #-16]!
	mov	x29, sp
	mov	x17, x0
	mov	x16, #0
	.inst	0xdac123f1		/* paciza x17 */
	.inst	0xd63f0a3f		/* blraaz x17 */
	label	by_signed_call_return
	ldp	x29, x30, [sp], #16
	ret

/*
 * Entries of a PLT, and PLT0, in all their forms. They read the word at
 * plt_page, which is not in memory; it has the address to jump to.
 */
.macro	plt_entry name, bti, push, zero, signed
	.balign	16
	function \name
	.if \bti
	hint	#34			/* bti c */
	.endif
	.if \push
	stp	x16, x30, [sp, #-16]!
	.endif
	adrp	x16, plt_page
	label	\name\()_access
	ldr	x17, [x16, #:lo12:plt_page]
	.if \zero
	nop
	.else
	add	x16, x16, #:lo12:plt_page
	.endif
	.if \signed
	hint	#12			/* autia1716 */
	.endif
	br	x17
	.balign	16, 0
.endm

	plt_entry plt_plain, 0, 0, 0, 0
	plt_entry plt_bti, 1, 0, 1, 0
	plt_entry plt_signed, 0, 0, 0, 1
	plt_entry plt_bti_signed, 1, 0, 0, 1
	plt_entry plt_start, 0, 1, 0, 0
	plt_entry plt_start_bti, 1, 1, 0, 0

/* PLT0 has pushed X16 and X30. */
	function plt_target
	ret
	function plt_start_target
	ldp	x16, x30, [sp], #16
	ret

/* The trap is the last instruction; its signal has the PC of the trap. */
	function trap_at_end
	.cfi_startproc
	stp	x29, x30, [sp, #-32]!
	.cfi_def_cfa_offset 32
	.cfi_offset x29, -32
	.cfi_offset x30, -24
	mov	x30, #3
	label	trap_here
	brk	#1
	.cfi_endproc
	.size	trap_at_end, . - trap_at_end

/* A function without a frame, which must not be used for the trap before. */
	function after_trap
	.cfi_startproc
	ret
	.cfi_endproc

	.bss
	.balign	4096
	.globl	plt_page
plt_page:
	.skip	4096

	.section .note.GNU-stack, "", %progbits
