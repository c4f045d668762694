/* A program as big as those of large projects: many functions, far apart, some of them with thousands of rows.

   SPDX-License-Identifier: LGPL-2.1-or-later

   See big.h.  Frames, the number of rows and sizes differ from function to
   function, by a generator of pseudo-random numbers.  What lies between is
   jumped over.  */

#include "big.h"

	.set	random, 1
	.set	number, 0

.macro	next_random
	.set	random, (random * 1103515245 + 12345) & 0x7fffffff
.endm

/* A function has three of these, and so about a KiB.  */
.macro	fill
	next_random
	jmp	2f
	.skip	1 + (random >> 16) % 640, 0x90
2:
.endm

.macro	save register
	push	\register
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset \register, 0
.endm

.macro	restore register
	pop	\register
	.cfi_adjust_cfa_offset -8
	.cfi_restore \register
.endm

/* COUNT registers are saved, as compilers do it.  */
.macro	save_registers count
	.if	\count > 0
	save	%rbx
	.endif
	.if	\count > 1
	save	%r12
	.endif
	.if	\count > 2
	save	%r13
	.endif
.endm

.macro	restore_registers count
	.if	\count > 2
	restore	%r13
	.endif
	.if	\count > 1
	restore	%r12
	.endif
	.if	\count > 0
	restore	%rbx
	.endif
.endm

/* Each of these pairs has two rows.  */
.macro	many_rows
	.rept	MANY_ROWS / 2
	push	%rax
	.cfi_adjust_cfa_offset 8
	pop	%rax
	.cfi_adjust_cfa_offset -8
	.endr
.endm

.macro	call_next
	mov	(%rdi), %rax
	add	$8, %rdi
	call	*%rax
.endm

/* COUNT registers and SIZE bytes on the stack, which together with the return
   address keep it aligned.  */
.macro	leave_frame count, size
	add	$\size, %rsp
	.cfi_adjust_cfa_offset -\size
	restore_registers \count
	ret
.endm

.macro	frame_of_sp count, size, many
	save_registers \count
	sub	$\size, %rsp
	.cfi_adjust_cfa_offset \size
	.if	\many
	many_rows
	.endif
	fill
	/* A way out in the middle.  */
	test	%rdi, %rdi
	jne	3f
	.cfi_remember_state
	leave_frame \count, \size
3:	.cfi_restore_state
	fill
	call_next
	fill
	leave_frame \count, \size
.endm

.macro	frame_of_fp size
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	sub	$\size, %rsp
	fill
	call_next
	fill
	leave
	.cfi_def_cfa %rsp, 8
	ret
.endm

/* Whatever is random is so before the frame, whose parts change RANDOM.  */
.macro	function
	next_random
	.set	count, (random >> 24) & 3
	.set	by_fp, (random >> 20) & 7
	.set	size, (random >> 8) & 7
	.set	many, number % MANY_EVERY == MANY_EVERY - 1
	.cfi_startproc
	.if	by_fp == 0 && !many
	frame_of_fp (16 + 16 * size)
	.else
	frame_of_sp count, (8 + 8 * (count & 1) + 16 * size), many
	.endif
	.cfi_endproc
.endm

	.section .rodata
	.balign	4
	.globl	big_functions
big_functions:

	.text
	.rept	FUNCTIONS
	.balign	16
	.pushsection .rodata
	.long	1f - big_functions
	.popsection
1:	function
	.set	number, number + 1
	.endr

	/* Where one more would begin.  */
	.pushsection .rodata
	.long	1f - big_functions
	.popsection
1:
	.section .note.GNU-stack, "", @progbits
