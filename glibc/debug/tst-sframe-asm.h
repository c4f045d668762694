/* Functions in assembler for the tests of backtrace.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Some tests check that a table lookup is not off by one byte.  Then the
   function is next to a neighbor with another CFA rule, without padding, so
   that the mistake gives a wrong frame.  */

#ifndef _TST_SFRAME_ASM_H
#define _TST_SFRAME_ASM_H

#if defined __x86_64__ && defined __LP64__
# define HAVE_SFRAME_X86 1
#else
# define HAVE_SFRAME_X86 0
#endif
#ifdef __s390x__
# define HAVE_SFRAME_S390X 1
#else
# define HAVE_SFRAME_S390X 0
#endif
#ifdef __aarch64__
# define HAVE_SFRAME_AARCH64 1
#else
# define HAVE_SFRAME_AARCH64 0
#endif
#define HAVE_SFRAME_ASM \
  (HAVE_SFRAME_X86 || HAVE_SFRAME_S390X || HAVE_SFRAME_AARCH64)

/* The address VALUE without the signature that it may have.  */
#if HAVE_SFRAME_AARCH64
# define PLAIN_RA(value)						\
  ({ register void *lr_ asm ("x30") = (value);				\
     asm ("hint #7" : "+r" (lr_));					\
     lr_; })
#else
# define PLAIN_RA(value) (value)
#endif

/* The text of a function; several in one asm stay side by side.  */
#define ASM_TEXT(name, body)						\
  ".pushsection .text\n"						\
  ".type " #name ", @function\n"					\
  #name ":\n"								\
  ".cfi_startproc\n"							\
  body									\
  ".cfi_endproc\n"							\
  ".size " #name ", . - " #name "\n"					\
  ".popsection\n"

#if HAVE_SFRAME_X86

/* An instruction that traps with PC at itself, and its signal.  */
# define ASM_FAULT "ud2\n"
# define FAULT_SIZE 2
# define FAULT_SIGNAL SIGILL
/* An instruction that is none: SIGILL.  */
# define ASM_ILLEGAL "ud2\n"
# define ASM_RETURN "ret\n"
# define CONTEXT_PC(context) ((context)->uc_mcontext.gregs[REG_RIP])

/* Make a frame of an odd size, or one of an aligned size to call from.  */
# define ASM_GROW							\
  "sub $1032, %rsp\n"							\
  ".cfi_adjust_cfa_offset 1032\n"
# define ASM_FRAME							\
  "sub $24, %rsp\n"							\
  ".cfi_adjust_cfa_offset 24\n"
# define ASM_CALL(function) "call " #function "\n"

/* Call the argument with stack that the CFI does not mention, and with the CFA
   in a call-saved register, or in a call-clobbered one.  */
# define ASM_CFA_IN_SAVED						\
  "push %rbx\n"								\
  ".cfi_def_cfa_offset 16\n"						\
  ".cfi_offset %rbx, -16\n"						\
  "mov %rsp, %rbx\n"							\
  ".cfi_def_cfa_register %rbx\n"					\
  "sub $2048, %rsp\n"							\
  "call *%rdi\n"							\
  "mov %rbx, %rsp\n"							\
  ".cfi_def_cfa_register %rsp\n"					\
  "pop %rbx\n"								\
  ".cfi_def_cfa_offset 8\n"						\
  "ret\n"
# define ASM_CFA_IN_UNSAVED						\
  "mov %rsp, %r11\n"							\
  ".cfi_def_cfa_register %r11\n"					\
  "sub $2056, %rsp\n"							\
  "call *%rdi\n"							\
  "add $2056, %rsp\n"							\
  ".cfi_def_cfa %rsp, 8\n"						\
  "ret\n"
/* Change both registers.  */
# define CHANGE_CFA_REGISTERS()						\
  asm volatile ("xor %%ebx, %%ebx\n\txor %%r11d, %%r11d"		\
		::: "rbx", "r11")

/* The stack slots in which the current function has saved its caller's FP and
   its return address.  */
# define SAVED_FP ((void *volatile *) __builtin_frame_address (0))
# define SAVED_RA (SAVED_FP + 1)

#elif HAVE_SFRAME_S390X

# define ASM_FAULT "lg %r0, 0\n"
# define FAULT_SIZE 6
# define FAULT_SIGNAL SIGSEGV
/* PC is that of the next instruction.  */
# define ASM_ILLEGAL ".short 0\n"
# define ASM_RETURN "br %r14\n"
# define CONTEXT_PC(context) ((context)->uc_mcontext.psw.addr)

# define ASM_GROW							\
  "aghi %r15, -1032\n"							\
  ".cfi_adjust_cfa_offset 1032\n"
/* libgcc takes the CFA as the caller's SP unless SP is saved.  */
# define ASM_FRAME							\
  "stmg %r14, %r15, 112(%r15)\n"					\
  ".cfi_offset %r14, -48\n"						\
  ".cfi_offset %r15, -40\n"						\
  "aghi %r15, -176\n"							\
  ".cfi_adjust_cfa_offset 176\n"
# define ASM_CALL(function) "brasl %r14, " #function "\n"

# define ASM_CFA_IN_SAVED						\
  "stmg %r10, %r15, 80(%r15)\n"						\
  ".cfi_offset %r10, -80\n"						\
  ".cfi_offset %r14, -48\n"						\
  ".cfi_offset %r15, -40\n"						\
  "lgr %r10, %r15\n"							\
  ".cfi_def_cfa_register %r10\n"					\
  "aghi %r15, -2208\n"							\
  "basr %r14, %r2\n"							\
  "lmg %r10, %r15, 80(%r10)\n"						\
  ".cfi_def_cfa_register %r15\n"					\
  ".cfi_restore %r10\n"						\
  ".cfi_restore %r14\n"						\
  ".cfi_restore %r15\n"						\
  "br %r14\n"
# define ASM_CFA_IN_UNSAVED						\
  "stmg %r14, %r15, 112(%r15)\n"					\
  ".cfi_offset %r14, -48\n"						\
  ".cfi_offset %r15, -40\n"						\
  "lgr %r1, %r15\n"							\
  ".cfi_def_cfa_register %r1\n"					\
  "aghi %r15, -2208\n"							\
  "basr %r14, %r2\n"							\
  "lmg %r14, %r15, 2320(%r15)\n"					\
  ".cfi_def_cfa_register %r15\n"					\
  ".cfi_restore %r14\n"						\
  ".cfi_restore %r15\n"						\
  "br %r14\n"
# define CHANGE_CFA_REGISTERS()						\
  asm volatile ("lghi %%r10, 0\n\tlghi %%r1, 0" ::: "r10", "r1")

/* Register N is word N of the caller's save area if all are saved, as
   __builtin_unwind_init makes the compiler do.  */
# define SAVED_REGISTER(n)						\
  ({ __builtin_unwind_init ();						\
     (void *volatile *) __builtin_dwarf_cfa () - 20 + (n); })
# define SAVED_FP SAVED_REGISTER (11)
# define SAVED_RA SAVED_REGISTER (14)

#elif HAVE_SFRAME_AARCH64

# define ASM_FAULT "udf #0\n"
# define FAULT_SIZE 4
# define FAULT_SIGNAL SIGILL
# define ASM_ILLEGAL "udf #0\n"
# define ASM_RETURN "ret\n"
# define CONTEXT_PC(context) ((context)->uc_mcontext.pc)

# define ASM_GROW							\
  "sub sp, sp, #1040\n"						\
  ".cfi_adjust_cfa_offset 1040\n"
# define ASM_FRAME							\
  "stp x29, x30, [sp, #-32]!\n"						\
  ".cfi_adjust_cfa_offset 32\n"						\
  ".cfi_rel_offset x29, 0\n"						\
  ".cfi_rel_offset x30, 8\n"
# define ASM_CALL(function) "bl " #function "\n"

# define ASM_CFA_IN_SAVED						\
  "stp x19, x30, [sp, #-16]!\n"						\
  ".cfi_def_cfa_offset 16\n"						\
  ".cfi_offset x19, -16\n"						\
  ".cfi_offset x30, -8\n"						\
  "mov x19, sp\n"							\
  ".cfi_def_cfa_register x19\n"						\
  "sub sp, sp, #2048\n"							\
  "blr x0\n"								\
  "mov sp, x19\n"							\
  ".cfi_def_cfa_register sp\n"						\
  "ldp x19, x30, [sp], #16\n"						\
  ".cfi_restore x19\n"							\
  ".cfi_restore x30\n"							\
  ".cfi_def_cfa_offset 0\n"						\
  "ret\n"
# define ASM_CFA_IN_UNSAVED						\
  "str x30, [sp, #-16]!\n"						\
  ".cfi_def_cfa_offset 16\n"						\
  ".cfi_offset x30, -16\n"						\
  "mov x9, sp\n"							\
  ".cfi_def_cfa_register x9\n"						\
  "sub sp, sp, #2048\n"							\
  "blr x0\n"								\
  "add sp, sp, #2048\n"							\
  ".cfi_def_cfa_register sp\n"						\
  "ldr x30, [sp], #16\n"						\
  ".cfi_restore x30\n"							\
  ".cfi_def_cfa_offset 0\n"						\
  "ret\n"
# define CHANGE_CFA_REGISTERS()						\
  asm volatile ("mov x19, #0\n\tmov x9, #0" ::: "x19", "x9")

/* FP and the return address are saved side by side.  */
# define SAVED_FP ((void *volatile *) __builtin_frame_address (0))
# define SAVED_RA (SAVED_FP + 1)

#endif

#if HAVE_SFRAME_ASM

/* A neighbor that is never called and whose last byte has another CFA
   rule.  */
# define ASM_NEIGHBOR							\
  ASM_TEXT (neighbor,							\
	    ASM_GROW							\
	    ASM_FAULT							\
	    "neighbor_end:\n")

#endif

#endif /* _TST_SFRAME_ASM_H */
