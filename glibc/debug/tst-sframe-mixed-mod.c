/* Functions to be built without SFrame, which call back.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tst-sframe-asm.h"

int
call_without_sframe (void (*function) (void), int size)
{
  /* Variable in size, so that its caller is not found by chance.  */
  volatile char buffer[size];
  buffer[0] = size;
  function ();
  return buffer[0];
}

struct aligned
{
  volatile char byte[64];
} __attribute__ ((aligned (64)));

/* Realigned as well, so that the CFA is saved in a slot of the frame.  */
int
call_without_sframe_aligned (void (*function) (void), int size)
{
  struct aligned local;
  volatile char buffer[size];
  local.byte[0] = buffer[0] = size;
  function ();
  return local.byte[0] + buffer[0] - size;
}

#if HAVE_SFRAME_ASM

/* Keeps its caller's FP in another register.  */
extern int call_with_fp_in_register (void (*function) (void), int size);
# if HAVE_SFRAME_X86
asm (".globl call_with_fp_in_register\n"
     ASM_TEXT (call_with_fp_in_register,
	       "push %rbx\n"
	       ".cfi_def_cfa_offset 16\n"
	       ".cfi_offset %rbx, -16\n"
	       "mov %rbp, %rbx\n"
	       ".cfi_register %rbp, %rbx\n"
	       "xor %ebp, %ebp\n"
	       "push %rsi\n"
	       ".cfi_def_cfa_offset 24\n"
	       "push %rsi\n"
	       ".cfi_def_cfa_offset 32\n"
	       "call *%rdi\n"
	       "pop %rax\n"
	       ".cfi_def_cfa_offset 24\n"
	       "pop %rax\n"
	       ".cfi_def_cfa_offset 16\n"
	       "mov %rbx, %rbp\n"
	       ".cfi_restore %rbp\n"
	       "pop %rbx\n"
	       ".cfi_restore %rbx\n"
	       ".cfi_def_cfa_offset 8\n"
	       "ret\n"));
# elif HAVE_SFRAME_AARCH64
asm (".globl call_with_fp_in_register\n"
     ASM_TEXT (call_with_fp_in_register,
	       "stp x19, x30, [sp, #-32]!\n"
	       ".cfi_def_cfa_offset 32\n"
	       ".cfi_offset x19, -32\n"
	       ".cfi_offset x30, -24\n"
	       "str x1, [sp, #16]\n"
	       "mov x19, x29\n"
	       ".cfi_register x29, x19\n"
	       "mov x29, #0\n"
	       "blr x0\n"
	       "ldr x0, [sp, #16]\n"
	       "mov x29, x19\n"
	       ".cfi_restore x29\n"
	       "ldp x19, x30, [sp], #32\n"
	       ".cfi_restore x19\n"
	       ".cfi_restore x30\n"
	       ".cfi_def_cfa_offset 0\n"
	       "ret\n"));
# else
asm (".globl call_with_fp_in_register\n"
     ASM_TEXT (call_with_fp_in_register,
	       "stmg %r10, %r15, 80(%r15)\n"
	       ".cfi_offset %r10, -80\n"
	       ".cfi_offset %r14, -48\n"
	       ".cfi_offset %r15, -40\n"
	       "lgr %r10, %r11\n"
	       ".cfi_register %r11, %r10\n"
	       "lghi %r11, 0\n"
	       "aghi %r15, -168\n"
	       ".cfi_def_cfa_offset 328\n"
	       "stg %r3, 160(%r15)\n"
	       "basr %r14, %r2\n"
	       "lg %r2, 160(%r15)\n"
	       "lgr %r11, %r10\n"
	       ".cfi_restore %r11\n"
	       "lg %r10, 248(%r15)\n"
	       ".cfi_restore %r10\n"
	       "lmg %r14, %r15, 280(%r15)\n"
	       ".cfi_restore %r15\n"
	       ".cfi_restore %r14\n"
	       ".cfi_def_cfa_offset 160\n"
	       "br %r14\n"));
# endif

#endif
