/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program, or an interpreter, with a table, that only exits. The other
 * section is linked far away, so that there are two executable segments.
 */
	.text
	.globl	_start
	.type	_start, @function
_start:
	.cfi_startproc
#ifdef __x86_64__
	.cfi_undefined rip
	call	far_away
	hlt
#elif defined(__s390x__)
	.cfi_undefined r14
	brasl	%r14, far_away
	.short	0
#elif defined(__aarch64__)
	.cfi_undefined x30
	bl	far_away
	brk	#0
#endif
	.cfi_endproc
	.size	_start, . - _start

	.section far, "ax", @progbits
	.type	far_away, @function
far_away:
	.cfi_startproc
#ifdef __x86_64__
	mov	$60, %eax		/* exit */
	xor	%edi, %edi
	syscall
#elif defined(__s390x__)
	lghi	%r2, 0
	svc	1			/* exit */
#elif defined(__aarch64__)
	mov	x8, #93			/* exit */
	mov	x0, #0
	svc	#0
#endif
	.cfi_endproc
	.size	far_away, . - far_away

	.section .note.GNU-stack, "", @progbits
