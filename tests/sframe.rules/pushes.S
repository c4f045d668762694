/* Functions with wrong CFI, and one that is right: pushes.py must tell them apart.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

	.text
	.globl	no_cfi, no_restore, right

	.type	no_cfi, @function
no_cfi:
	.cfi_startproc
	push	%rbx
	nop
	pop	%rbx
	ret
	.cfi_endproc
	.size	no_cfi, . - no_cfi

	.type	no_restore, @function
no_restore:
	.cfi_startproc
	sub	$24, %rsp
	.cfi_adjust_cfa_offset 24
	nop
	add	$24, %rsp
	ret
	.cfi_endproc
	.size	no_restore, . - no_restore

	.type	right, @function
right:
	.cfi_startproc
	push	%rbx
	.cfi_adjust_cfa_offset 8
	ret
	.cfi_endproc
	.size	right, . - right
