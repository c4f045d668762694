/* Test backtrace at every instruction of functions with valid but unusual CFI:
   registers saved in other registers, a CFA far away or in another register,
   expressions.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <array_length.h>

#include "tst-sframe-step.h"

#if HAVE_SFRAME_X86

static void FRAME __attribute__ ((used))
leaf (void)
{
  KEEP_FRAME ();
}

# define LEAF "call leaf\n"

/* The return address is popped from the stack.  */
extern void ra_popped (void);
extern void ra_in_rbx (void);
asm (ASM_TEXT (ra_popped,
	       "pop %r11\n"
	       ".cfi_def_cfa_offset 0\n"
	       ".cfi_register %rip, %r11\n"
	       "nop\n"
	       "push %r11\n"
	       ".cfi_def_cfa_offset 8\n"
	       ".cfi_offset %rip, -8\n"
	       "ret\n")
     ASM_TEXT (ra_in_rbx,
	       "push %rbx\n"
	       ".cfi_def_cfa_offset 16\n"
	       ".cfi_offset %rbx, -16\n"
	       "mov 8(%rsp), %rbx\n"
	       ".cfi_register %rip, %rbx\n"
	       "movq $0, 8(%rsp)\n"
	       "sub $8, %rsp\n"
	       ".cfi_def_cfa_offset 24\n"
	       LEAF
	       "add $8, %rsp\n"
	       ".cfi_def_cfa_offset 16\n"
	       "mov %rbx, 8(%rsp)\n"
	       ".cfi_offset %rip, -8\n"
	       "pop %rbx\n"
	       ".cfi_restore %rbx\n"
	       ".cfi_def_cfa_offset 8\n"
	       "ret\n"));

/* The CFA is in a register other than SP and FP, or at an offset from it.  */
extern void cfa_in_r12 (void);
extern void cfa_below_r15 (void);
asm (ASM_TEXT (cfa_in_r12,
	       "push %r12\n"
	       ".cfi_def_cfa_offset 16\n"
	       ".cfi_offset %r12, -16\n"
	       "lea 16(%rsp), %r12\n"
	       ".cfi_def_cfa %r12, 0\n"
	       "sub $8, %rsp\n"
	       LEAF
	       "lea -16(%r12), %rsp\n"
	       ".cfi_def_cfa %rsp, 16\n"
	       "pop %r12\n"
	       ".cfi_restore %r12\n"
	       ".cfi_def_cfa_offset 8\n"
	       "ret\n")
     ASM_TEXT (cfa_below_r15,
	       "push %r15\n"
	       ".cfi_def_cfa_offset 16\n"
	       ".cfi_offset %r15, -16\n"
	       "lea 1000(%rsp), %r15\n"
	       ".cfi_def_cfa %r15, -984\n"
	       "and $-16, %rsp\n"
	       LEAF
	       "lea -1000(%r15), %rsp\n"
	       ".cfi_def_cfa %rsp, 16\n"
	       "pop %r15\n"
	       ".cfi_restore %r15\n"
	       ".cfi_def_cfa_offset 8\n"
	       "ret\n"));

/* FP is in a register, or a page below the CFA, and needed by the caller.  */
extern void fp_in_rbx (void);
extern void fp_far_down (void);
extern void needs_fp (void);
asm (ASM_TEXT (fp_in_rbx,
	       "push %rbx\n"
	       ".cfi_def_cfa_offset 16\n"
	       ".cfi_offset %rbx, -16\n"
	       "mov %rbp, %rbx\n"
	       ".cfi_register %rbp, %rbx\n"
	       "xor %ebp, %ebp\n"
	       "sub $8, %rsp\n"
	       ".cfi_def_cfa_offset 24\n"
	       LEAF
	       "add $8, %rsp\n"
	       ".cfi_def_cfa_offset 16\n"
	       "mov %rbx, %rbp\n"
	       ".cfi_restore %rbp\n"
	       "pop %rbx\n"
	       ".cfi_restore %rbx\n"
	       ".cfi_def_cfa_offset 8\n"
	       "ret\n")
     ASM_TEXT (fp_far_down,
	       "sub $4104, %rsp\n"
	       ".cfi_def_cfa_offset 4112\n"
	       "mov %rbp, 16(%rsp)\n"
	       ".cfi_offset %rbp, -4096\n"
	       "mov $-1, %rbp\n"
	       LEAF
	       "mov 16(%rsp), %rbp\n"
	       ".cfi_restore %rbp\n"
	       "add $4104, %rsp\n"
	       ".cfi_def_cfa_offset 8\n"
	       "ret\n")
     ASM_TEXT (needs_fp,
	       "push %rbp\n"
	       ".cfi_def_cfa_offset 16\n"
	       ".cfi_offset %rbp, -16\n"
	       "mov %rsp, %rbp\n"
	       ".cfi_def_cfa_register %rbp\n"
	       "sub $64, %rsp\n"
	       "call fp_in_rbx\n"
	       "call fp_far_down\n"
	       "call ra_popped\n"
	       "leave\n"
	       ".cfi_def_cfa %rsp, 8\n"
	       "ret\n"));

/* Frames of more than a megabyte, with the CFA from SP and from FP.  */
extern void huge_by_sp (void);
extern void huge_by_fp (void);
asm (ASM_TEXT (huge_by_sp,
	       "sub $0x100008, %rsp\n"
	       ".cfi_def_cfa_offset 0x100010\n"
	       LEAF
	       "add $0x100008, %rsp\n"
	       ".cfi_def_cfa_offset 8\n"
	       "ret\n")
     ASM_TEXT (huge_by_fp,
	       "push %rbp\n"
	       ".cfi_def_cfa_offset 16\n"
	       ".cfi_offset %rbp, -16\n"
	       "mov %rsp, %rbp\n"
	       ".cfi_def_cfa_register %rbp\n"
	       "sub $0x200000, %rsp\n"
	       LEAF
	       "leave\n"
	       ".cfi_def_cfa %rsp, 8\n"
	       "ret\n"));

/* DW_CFA_expression for RA: CFA - 8; DW_CFA_val_expression: rbx; and
   DW_CFA_def_cfa_expression: rsp + (rbx << 3).  */
extern void ra_by_expression (void);
extern void ra_by_value (void);
extern void cfa_by_expression (void);
asm (ASM_TEXT (ra_by_expression,
	       ".cfi_escape 0x10, 16, 2, 0x38, 0x1c\n"
	       "sub $24, %rsp\n"
	       ".cfi_def_cfa_offset 32\n"
	       LEAF
	       "add $24, %rsp\n"
	       ".cfi_def_cfa_offset 8\n"
	       "ret\n")
     ASM_TEXT (ra_by_value,
	       "push %rbx\n"
	       ".cfi_def_cfa_offset 16\n"
	       ".cfi_offset %rbx, -16\n"
	       "mov 8(%rsp), %rbx\n"
	       ".cfi_escape 0x16, 16, 2, 0x73, 0\n"
	       "sub $8, %rsp\n"
	       ".cfi_def_cfa_offset 24\n"
	       LEAF
	       "add $8, %rsp\n"
	       ".cfi_def_cfa_offset 16\n"
	       ".cfi_offset %rip, -8\n"
	       "pop %rbx\n"
	       ".cfi_restore %rbx\n"
	       ".cfi_def_cfa_offset 8\n"
	       "ret\n")
     ASM_TEXT (cfa_by_expression,
	       "push %rbx\n"
	       ".cfi_def_cfa_offset 16\n"
	       ".cfi_offset %rbx, -16\n"
	       "sub $64, %rsp\n"
	       ".cfi_def_cfa_offset 80\n"
	       "mov $10, %ebx\n"
	       ".cfi_escape 0x0f, 7, 0x77, 0, 0x73, 0, 0x33, 0x24, 0x22\n"
	       LEAF
	       ".cfi_def_cfa %rsp, 80\n"
	       "add $64, %rsp\n"
	       ".cfi_def_cfa_offset 16\n"
	       "pop %rbx\n"
	       ".cfi_restore %rbx\n"
	       ".cfi_def_cfa_offset 8\n"
	       "ret\n"));

/* The CFA is in a call-clobbered register, which a local function keeps, as in
   OpenSSL's code for AES-GCM.  Only where a signal has interrupted the local
   function itself is the register found.  */
extern void keeps_rax (void);
extern void cfa_in_rax (void);
asm (ASM_TEXT (keeps_rax,
	       "push %rcx\n"
	       ".cfi_def_cfa_offset 16\n"
	       "pop %rcx\n"
	       ".cfi_def_cfa_offset 8\n"
	       "ret\n")
     ASM_TEXT (cfa_in_rax,
	       "lea (%rsp), %rax\n"
	       ".cfi_def_cfa_register %rax\n"
	       "sub $72, %rsp\n"
	       "and $-128, %rsp\n"
	       "call keeps_rax\n"
	       "mov %rax, %rsp\n"
	       ".cfi_def_cfa_register %rsp\n"
	       "ret\n"));

static void (*const functions[]) (void) =
  {
    ra_popped, ra_in_rbx, cfa_in_r12, cfa_below_r15, fp_in_rbx, fp_far_down,
    needs_fp, huge_by_sp, huge_by_fp, ra_by_expression, ra_by_value,
    cfa_by_expression, cfa_in_rax
  };

/* In how many traces each function was found.  */
static int traces[array_length (functions)];

static void
note_functions (const struct trace *trace)
{
  for (size_t i = 0; i < array_length (functions); ++i)
    traces[i] += count_frames (trace, functions[i]) > 0;
}

static void FRAME
run (void)
{
  step_start ();
  for (size_t i = 0; i < array_length (functions); ++i)
    functions[i] ();
  step_stop ();
  KEEP_FRAME ();
}

static int
do_test (void)
{
  step_prepare (run);
  step.visit = note_functions;
  run ();
  step_check (100);
  for (size_t i = 0; i < array_length (functions); ++i)
    TEST_VERIFY (traces[i] > 4);
  check_no_fallback ();
  return 0;
}

#else
static int
do_test (void)
{
  FAIL_UNSUPPORTED ("needs a trap flag");
}
#endif

#include <support/test-driver.c>
