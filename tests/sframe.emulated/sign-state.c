/* A function whose CFI has a rule of its own for whether its RA is signed: for
   one instruction DW_CFA_val_expression of register 34, and then
   DW_CFA_restore_extended.

   SPDX-License-Identifier: LGPL-2.1-or-later */

asm (".text\n"
     ".globl signed\n"
     ".type signed, %function\n"
     "signed:\n"
     "	.cfi_startproc\n"
     "	paciasp\n"
     "	.cfi_escape 0x16, 34, 1, 0x31\n"
     "	autiasp\n"
     "	.cfi_escape 0x06, 34\n"
     "	ret\n"
     "	.cfi_endproc\n"
     "	.size signed, . - signed\n");
