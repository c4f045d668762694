/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program with 32-bit pointers, i386 or x32: it tries to register a table,
 * touches a page three frames deep, and exits with the error number.
 *
 * The return addresses are 0x100, 0x200, the access to the page 0x300, and the
 * two functions 0x180 and 0x280 bytes from the start.
 */
#ifdef __i386__
#define SYSCALL	int	$0x80
#define NR_exit		1
#define NR_prctl	172
#define ARG1	%ebx
#define ARG2	%ecx
#define ARG3	%edx
#define ARG4	%esi
#define ARG5	%edi
#define SP	%esp
#define FP	%ebp
#define STATUS	%ebp
#else
#define SYSCALL	syscall
#define NR_exit		(0x40000000 + 60)
#define NR_prctl	(0x40000000 + 157)
#define ARG1	%edi
#define ARG2	%esi
#define ARG3	%edx
#define ARG4	%r10d
#define ARG5	%r8d
#define SP	%rsp
#define FP	%rbp
#endif

	.text
	.globl	_start
_start:
	mov	$NR_prctl, %eax
	mov	$0x53460001, ARG1
	mov	$table, ARG2
	mov	$(table_end - table), ARG3
	mov	$_start, ARG4
	mov	$(text_end - _start), ARG5
	SYSCALL
	neg	%eax
	mov	%eax, status
	xor	%ebp, %ebp
	jmp	1f
	.org	_start + 0x100 - 5
1:	call	outer
	mov	$NR_exit, %eax
	mov	status, ARG1
	SYSCALL

	.org	_start + 0x180
outer:	push	FP
	mov	SP, FP
	jmp	1f
	.org	_start + 0x200 - 5
1:	call	inner
	pop	FP
	ret

	.org	_start + 0x280
inner:	push	FP
	mov	SP, FP
	jmp	1f
	.org	_start + 0x300
1:	movb	$1, page
	pop	FP
	ret
text_end:

	.data
status:	.long	0

	/* Header, one function, one row. */
	.balign	4
table:	.value	0xdee2
	.byte	3, 1, 3, 0, -8, 0
	.long	1, 1, 8, 0, 16
	.long	_start - table, -1
	.long	text_end - _start, 0
	.value	1
	.byte	0, 0, 0, 0, 3, 8
table_end:

	.bss
	.balign	4096
	.skip	4096
page:	.skip	4096

	.section .note.GNU-stack, "", @progbits
