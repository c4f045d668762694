/* Two functions that call, one of which has its CFA on a register that the
   called function's frame does not give back.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

	.text
#ifdef __x86_64__
	.globl	cfa_on_rbx
	.type	cfa_on_rbx, @function
cfa_on_rbx:
	.cfi_startproc
	pushq	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbx, 0
	movq	%rsp, %rbx
	.cfi_def_cfa_register %rbx
	call	*%rax
	movq	%rbx, %rsp
	.cfi_def_cfa_register %rsp
	popq	%rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbx
	ret
	.cfi_endproc
	.size	cfa_on_rbx, . - cfa_on_rbx

	.globl	cfa_on_rsp
	.type	cfa_on_rsp, @function
cfa_on_rsp:
	.cfi_startproc
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	*%rax
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size	cfa_on_rsp, . - cfa_on_rsp
#elif defined __s390x__
	.globl	cfa_on_r9
	.type	cfa_on_r9, @function
cfa_on_r9:
	.cfi_startproc
	stmg	%r9, %r15, 72(%r15)
	.cfi_rel_offset %r9, 72
	.cfi_rel_offset %r14, 112
	.cfi_rel_offset %r15, 120
	lgr	%r9, %r15
	.cfi_def_cfa_register %r9
	aghi	%r15, -160
	basr	%r14, %r2
	lmg	%r9, %r15, 72(%r9)
	.cfi_restore %r9
	.cfi_restore %r14
	.cfi_restore %r15
	.cfi_def_cfa %r15, 160
	br	%r14
	.cfi_endproc
	.size	cfa_on_r9, . - cfa_on_r9

	.globl	cfa_on_r15
	.type	cfa_on_r15, @function
cfa_on_r15:
	.cfi_startproc
	stmg	%r14, %r15, 112(%r15)
	.cfi_rel_offset %r14, 112
	.cfi_rel_offset %r15, 120
	aghi	%r15, -160
	.cfi_adjust_cfa_offset 160
	basr	%r14, %r2
	lmg	%r14, %r15, 272(%r15)
	.cfi_restore %r14
	.cfi_restore %r15
	.cfi_adjust_cfa_offset -160
	br	%r14
	.cfi_endproc
	.size	cfa_on_r15, . - cfa_on_r15
#else
# error "a function with another register"
#endif
	.section .note.GNU-stack, "", @progbits
