/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions whose CFA is in a register that is known only in the topmost frame
 * (the second one makes a call), one that traps, one behind a system call, one
 * without a table, and two with code that the kernel's trampolines for probes
 * have, too.
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

/* A function that ends with a trap; the next one has other rows, may fault. */
	.globl	trap_at_end, after_trap
	.type	trap_at_end, @function
trap_at_end:
	.cfi_startproc
	sub	$24, %rsp
	.cfi_adjust_cfa_offset 24
	int3
	.cfi_endproc
	.size	trap_at_end, . - trap_at_end
	.type	after_trap, @function
after_trap:
	.cfi_startproc
	movb	$1, (%rdi)
	ret
	.cfi_endproc
	.size	after_trap, . - after_trap

/* A function that ends with a system call; the next one handles signals. */
	.globl	handle_after_call
	.type	call_at_end, @function
call_at_end:
	.cfi_startproc
	sub	$24, %rsp
	.cfi_adjust_cfa_offset 24
	syscall
	.cfi_endproc
	.size	call_at_end, . - call_at_end
	.type	handle_after_call, @function
handle_after_call:
	.cfi_startproc
	ret
	.cfi_endproc
	.size	handle_after_call, . - handle_after_call

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

/*
 * Code like that of a JIT compiler, to be copied to its own page: frames with
 * FP, a return address after a call at the start of the page, and a return
 * address that was not left by a call.
 */
	.globl	jit_code, jit_called, jit_by_call, jit_pushed, jit_by_push
	.globl	jit_code_end
jit_code:
	call	1f
jit_called:
	pop	%rbp
	ret
1:	push	%rbp
	mov	%rsp, %rbp
	call	*%rdi
	pop	%rbp
	ret
jit_by_call:
	push	%rbp
	mov	%rsp, %rbp
	jmp	jit_code
jit_by_push:
	push	%rbp
	mov	%rsp, %rbp
	lea	jit_pushed(%rip), %rax
	push	%rax
	jmp	1b
	.rept	8
	nop
	.endr
jit_pushed:
	pop	%rbp
	ret
jit_code_end:

	.globl	like_uretprobe, like_uretprobe_end
	.type	like_uretprobe, @function
like_uretprobe:
	.cfi_startproc
	push	%rcx
	.cfi_adjust_cfa_offset 8
	push	%r11
	.cfi_adjust_cfa_offset 8
like_uretprobe_end:
	pop	%r11
	.cfi_adjust_cfa_offset -8
	pop	%rcx
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size	like_uretprobe, . - like_uretprobe

	.globl	like_uprobe, like_uprobe_end
	.type	like_uprobe, @function
like_uprobe:
	.cfi_startproc
	push	%rcx
	.cfi_adjust_cfa_offset 8
	push	%r11
	.cfi_adjust_cfa_offset 8
	push	%rax
	.cfi_adjust_cfa_offset 8
like_uprobe_end:
	pop	%rax
	.cfi_adjust_cfa_offset -8
	pop	%r11
	.cfi_adjust_cfa_offset -8
	pop	%rcx
	.cfi_adjust_cfa_offset -8
	ret	$128
	.cfi_endproc
	.size	like_uprobe, . - like_uprobe

	.section .note.GNU-stack, "", @progbits
