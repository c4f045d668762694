/* Functions with CFI of which GNU as 2.47 makes a wrong SFrame table.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

	.text
/* Two directives about the CFA at one place.  */
	.globl two_at_once
two_at_once:
	.cfi_startproc
	enter $64, $0
	.cfi_adjust_cfa_offset 8
	.cfi_offset %rbp, -16
	.cfi_def_cfa_register %rbp
	nop
	leave
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc

/* A large offset for RA, and a rule for SP.  */
	.globl context
context:
	.cfi_startproc
	nop
	.cfi_def_cfa %rdx, 0
	.cfi_offset %rsp, 160
	.cfi_offset %rip, 168
	nop
	ret
	.cfi_endproc

	.section .note.GNU-stack, "", @progbits
