/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Machine dependencies of the tests.
 *
 * ARCH_ABI, ARCH_FIXED_RA	fields of a table's header
 * ARCH_TOUCH, ARCH_ADDRESS	write to a byte; the constraint of its address
 * ARCH_MOVE			an instruction without effect, not a NOP
 * ARCH_OTHER, ARCH_FOREIGN	an unwinder of this machine, and of another
 * ARCH_OTHER_NR, ARCH_FOREIGN_NR	their numbers
 * USE_SAVED_REGS()		overwrite the call-saved registers
 * __saves_fp			attribute of a function that does: it saves FP
 * SYSTEM_CALL(after, nr, a, b)	make a system call; label @after follows it
 * THUNK, THUNK_AFTER_CALL	code with a frame that calls its argument; the
 *				offset of the return address
 * THUNK_ROWS, THUNK_NR_ROWS	its rows in a table, and their number
 * THUNK_INFO			offset in the rows of the information byte of
 *				the row for the call
 */
#ifndef SFRAME_ARCH_H
#define SFRAME_ARCH_H

#ifdef __x86_64__

#define ARCH_ABI	3
#define ARCH_OTHER	"fp"
#define ARCH_FOREIGN	"backchain"
#define ARCH_OTHER_NR	PR_UNWIND_FP
#define ARCH_FOREIGN_NR PR_UNWIND_BACKCHAIN
#define ARCH_FIXED_RA	(-8)
#define ARCH_TOUCH	"movb $1, (%0)"
#define ARCH_ADDRESS	"r"
#define ARCH_MOVE	"mov %%rsp, %%rsp"

#define USE_SAVED_REGS()						\
	asm volatile("mov $1, %%ebp\n\t"				\
		     "xor %%ebx, %%ebx\n\t"				\
		     "xor %%r12d, %%r12d"				\
		     : : : "rbp", "rbx", "r12", "memory")

#define SYSTEM_CALL(after, nr, a, b) do {				\
	long ret_ = (nr);						\
									\
	asm volatile("syscall\n"					\
		     ".globl " #after "\n"				\
		     #after ":"						\
		     : "+a" (ret_) : "D" ((long)(a)), "S" ((long)(b))	\
		     : "rcx", "r11", "memory");				\
} while (0)

/* sub $24, %rsp; call *%rdi; add $24, %rsp; ret */
#define THUNK		0x48, 0x83, 0xec, 0x18, 0xff, 0xd7,		\
			0x48, 0x83, 0xc4, 0x18, 0xc3
#define THUNK_AFTER_CALL 6
#define THUNK_ROWS	0, 3, 8, 4, 3, 32, 10, 3, 8
#define THUNK_NR_ROWS	3
#define THUNK_INFO	4

#elif defined(__s390x__)

#define ARCH_ABI	4
#define ARCH_OTHER	"backchain"
#define ARCH_FOREIGN	"fp"
#define ARCH_OTHER_NR	PR_UNWIND_BACKCHAIN
#define ARCH_FOREIGN_NR PR_UNWIND_FP
#define ARCH_FIXED_RA	0
#define ARCH_TOUCH	"mvi 0(%0), 1"
#define ARCH_ADDRESS	"a"
#define ARCH_MOVE	"lgr %%r15, %%r15"

#define USE_SAVED_REGS()						\
	asm volatile("lghi %%r11, 1\n\t"				\
		     "lghi %%r6, 0\n\t"					\
		     "lghi %%r10, 0"					\
		     : : : "r11", "r6", "r10", "memory")

#define SYSTEM_CALL(after, nr, a, b) do {				\
	long first_ = (long)(a), second_ = (long)(b);			\
	register long nr_ asm("1") = (nr);				\
	register long a_ asm("2") = first_;				\
	register long b_ asm("3") = second_;				\
									\
	asm volatile("svc 0\n"						\
		     ".globl " #after "\n"				\
		     #after ":"						\
		     : "+d" (a_) : "d" (nr_), "d" (b_) : "memory");	\
} while (0)

/*
 * stmg %r14,%r15,112(%r15); lay %r15,-160(%r15); mvghi 0(%r15),0: no back
 * chain; basr %r14,%r2; lmg %r14,%r15,272(%r15); br %r14
 */
#define THUNK		0xeb, 0xef, 0xf0, 0x70, 0x00, 0x24,		\
			0xe3, 0xf0, 0xff, 0x60, 0xff, 0x71,		\
			0xe5, 0x48, 0xf0, 0x00, 0x00, 0x00,		\
			0x0d, 0xe2, 0xeb, 0xef, 0xf1, 0x10, 0x00, 0x04,	\
			0x07, 0xfe
#define THUNK_AFTER_CALL 20
#define THUNK_ROWS	0, 3, 0, 6, 5, 0, 0xd0, 12, 5, 20, 0xd0, 26, 3, 0
#define THUNK_NR_ROWS	4
#define THUNK_INFO	8

#elif defined(__aarch64__)

#define ARCH_ABI	2
#define ARCH_OTHER	"fp"
#define ARCH_FOREIGN	"backchain"
#define ARCH_OTHER_NR	PR_UNWIND_FP
#define ARCH_FOREIGN_NR PR_UNWIND_BACKCHAIN
#define ARCH_FIXED_RA	0
#define ARCH_TOUCH	"strb wzr, [%0]"
#define ARCH_ADDRESS	"r"
#define ARCH_MOVE	"mov sp, sp"

/* GCC saves FP only in a frame record. */
#define __saves_fp	__attribute__((optimize("no-omit-frame-pointer")))
#define USE_SAVED_REGS()						\
	asm volatile("mov x29, #1\n\t"					\
		     "mov x19, #0\n\t"					\
		     "mov x20, #0"					\
		     : : : "x19", "x20", "memory")

#define SYSTEM_CALL(after, nr, a, b) do {				\
	long first_ = (long)(a), second_ = (long)(b);			\
	register long nr_ asm("x8") = (nr);				\
	register long a_ asm("x0") = first_;				\
	register long b_ asm("x1") = second_;				\
									\
	asm volatile("svc #0\n"						\
		     ".globl " #after "\n"				\
		     #after ":"						\
		     : "+r" (a_) : "r" (nr_), "r" (b_) : "memory");	\
} while (0)

/*
 * stp x29, x30, [sp, #-32]!; blr x0; ldp x29, x30, [sp], #32; ret: no frame
 * pointer
 */
#define THUNK		0xfd, 0x7b, 0xbe, 0xa9, 0x00, 0x00, 0x3f, 0xd6,	\
			0xfd, 0x7b, 0xc2, 0xa8, 0xc0, 0x03, 0x5f, 0xd6
#define THUNK_AFTER_CALL 8
#define THUNK_ROWS	0, 3, 0, 4, 7, 32, 0xe8, 0xe0, 12, 3, 0
#define THUNK_NR_ROWS	3
#define THUNK_INFO	4

#endif

#ifndef __saves_fp
#define __saves_fp
#endif

#endif /* SFRAME_ARCH_H */
