/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A 32-bit program, with its ELF header: it tries to register a table, touches
 * a page three frames deep, and exits with the error number.
 *
 * The return addresses are 0x100 and 0x200 bytes from the start, the access to
 * the page 0x300. Words of 0 are instructions without effect. The frames are
 * those that arm64 unwinds for perf: FP points at the last word of FP, SP, LR
 * and PC.
 */
#define BASE	0x7ff000
#define START	0x1000
#define SIZE	0x2000
#define PAGE	0x3000

	.text
file:	.byte	0x7f, 'E', 'L', 'F', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0
	.2byte	2, 40			/* ET_EXEC, EM_ARM */
	.4byte	1, BASE + START, 52, 0, 0x05000200	/* EABI 5 */
	.2byte	52, 32, 1, 40, 0, 0
	.4byte	1, 0, BASE, BASE, SIZE, PAGE + 0x1000, 7, 0x1000

	.org	file + START
start:	.4byte	0xe3a070ac		/* mov r7, #172: prctl */
	.4byte	0xe59f0010		/* ldr r0, [start + 0x1c] */
	.4byte	0xe59f1010		/* ldr r1, [start + 0x20] */
	.4byte	0xe3a02001		/* mov r2, #1 */
	.4byte	0xe3a03020		/* mov r3, #32 */
	.4byte	0xe3a04000		/* mov r4, #0 */
	.4byte	0xea000001		/* b start + 0x24 */
	.4byte	0x53460001		/* PR_ADD_SFRAME */
	.4byte	BASE + PAGE
	.4byte	0xef000000		/* svc #0 */
	.4byte	0xe2606000		/* rsb r6, r0, #0 */
	.org	start + 0xfc
	.4byte	0xeb00001f		/* bl start + 0x180 */
	.4byte	0xe3a07001		/* mov r7, #1: exit */
	.4byte	0xe1a00006		/* mov r0, r6 */
	.4byte	0xef000000		/* svc #0 */

	.org	start + 0x180
	.4byte	0xe1a0c00d		/* mov ip, sp */
	.4byte	0xe92dd800		/* push {fp, ip, lr, pc} */
	.4byte	0xe24cb004		/* sub fp, ip, #4 */
	.org	start + 0x1fc
	.4byte	0xeb00001f		/* bl start + 0x280 */
	.4byte	0xe91ba800		/* ldmdb fp, {fp, sp, pc} */

	.org	start + 0x280
	.4byte	0xe1a0c00d		/* mov ip, sp */
	.4byte	0xe92dd800		/* push {fp, ip, lr, pc} */
	.4byte	0xe24cb004		/* sub fp, ip, #4 */
	.4byte	0xe59f1000		/* ldr r1, [start + 0x294] */
	.4byte	0xea000000		/* b start + 0x298 */
	.4byte	BASE + PAGE
	.org	start + 0x300
	.4byte	0xe5c12000		/* strb r2, [r1] */
	.4byte	0xe91ba800		/* ldmdb fp, {fp, sp, pc} */
	.org	file + SIZE
