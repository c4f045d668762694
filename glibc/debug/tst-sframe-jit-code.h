/* Code outside all objects that calls a function, and its table for libgcc
   (__register_frame), as JIT compilers make them.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef _TST_SFRAME_JIT_CODE_H
#define _TST_SFRAME_JIT_CODE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <support/check.h>
#include <support/xdlfcn.h>
#include <support/xunistd.h>

#include "tst-sframe-asm.h"

#if HAVE_SFRAME_ASM

/* Functions to be copied, which call their argument.  table_template has the
   rule for what follows their first instructions.  */
extern const char code_call[], code_call_end[], code_jump[], code_jump_end[];
asm (".pushsection .rodata\n"
# if HAVE_SFRAME_X86
     "code_call:\n"
     "sub $8, %rsp\n"
     "call *%rdi\n"
     "add $8, %rsp\n"
     "ret\n"
     "code_call_end:\n"
     "code_jump:\n"
     "sub $8, %rsp\n"
     "lea 1f(%rip), %rax\n"
     "push %rax\n"
     "jmp *%rdi\n"
     "nop; nop; nop; nop; nop; nop; nop; nop\n"
     "1: add $8, %rsp\n"
     "ret\n"
     "code_jump_end:\n"
# elif HAVE_SFRAME_AARCH64
     ".balign 4\n"
     "code_call:\n"
     "stp x29, x30, [sp, #-16]!\n"
     "blr x0\n"
     "ldp x29, x30, [sp], #16\n"
     "ret\n"
     "code_call_end:\n"
     "code_jump:\n"
     "stp x29, x30, [sp, #-16]!\n"
     "adr x30, 1f\n"
     "br x0\n"
     "nop; nop\n"
     "1: ldp x29, x30, [sp], #16\n"
     "ret\n"
     "code_jump_end:\n"
# else
     ".balign 2\n"
     "code_call:\n"
     "stmg %r14, %r15, 112(%r15)\n"
     "aghi %r15, -160\n"
     "basr %r14, %r2\n"
     "lmg %r14, %r15, 272(%r15)\n"
     "br %r14\n"
     "code_call_end:\n"
     "code_jump:\n"
     "stmg %r14, %r15, 112(%r15)\n"
     "aghi %r15, -160\n"
     "larl %r14, 1f\n"
     "br %r2\n"
     "nopr; nopr; nopr\n"
     "1: lmg %r14, %r15, 272(%r15)\n"
     "br %r14\n"
     "code_jump_end:\n"
# endif
     ".popsection");

/* A CIE and an FDE, and the zero that ends them.  */
struct frame_table
{
  uint32_t cie_length;
  uint32_t cie_id;
  uint8_t version;
  char augmentation[1];
  uint8_t code_alignment;
  uint8_t data_alignment;
  uint8_t ra_column;
  uint8_t cie_program[11];
  uint32_t fde_length;
  uint32_t cie_pointer;
  uint64_t start;
  uint64_t size;
  uint8_t fde_program[16];
  uint32_t end;
} __attribute__ ((packed));

/* DW_CFA_def_cfa, DW_CFA_offset and DW_CFA_def_cfa_offset.  The row is right
   for all of the code except its first instructions, where no trace is
   taken.  */
static const struct frame_table table_template =
  {
    .cie_length = offsetof (struct frame_table, fde_length) - 4,
    .version = 1,
    .code_alignment = 1,
    .data_alignment = 0x78,
# if HAVE_SFRAME_X86
    .ra_column = 16,
    .cie_program = { 0x0c, 7, 16, 0x80 | 16, 1 },
# elif HAVE_SFRAME_AARCH64
    .ra_column = 30,
    .cie_program = { 0x0c, 31, 16, 0x80 | 29, 2, 0x80 | 30, 1 },
# else
    .ra_column = 14,
    .cie_program = { 0x0c, 15, 0xc0, 2, 0x80 | 14, 6, 0x80 | 15, 5 },
# endif
    .fde_length = (offsetof (struct frame_table, end)
		   - offsetof (struct frame_table, cie_pointer)),
    .cie_pointer = offsetof (struct frame_table, cie_pointer),
  };

/* Write to *TABLE that of the SIZE bytes of code at START.  */
static inline void
make_table (struct frame_table *table, void *start, size_t size)
{
  *table = table_template;
  table->start = (uintptr_t) start;
  table->size = size;
}

/* Return a copy of code_call, and write its table to *TABLE.  */
static inline void *
make_code (struct frame_table *table)
{
  size_t size = code_call_end - code_call;
  void *code = xmmap (NULL, size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1);

  memcpy (code, code_call, size);
  xmprotect (code, size, PROT_READ | PROT_EXEC);
  make_table (table, code, size);
  return code;
}

/* Register TABLE with libgcc_s, which HANDLE stands for.  */
static inline void
register_table (void *handle, struct frame_table *table)
{
  void (*add) (void *) = xdlsym (handle, "__register_frame");
  const void *(*find) (void *, void **) = xdlsym (handle, "_Unwind_Find_FDE");
  void *bases[3];

  add (table);
  if (find ((void *) table->start, bases) == NULL)
    FAIL_UNSUPPORTED ("libgcc_s does not find what it was told of");
}
#endif

#endif /* _TST_SFRAME_JIT_CODE_H  */
