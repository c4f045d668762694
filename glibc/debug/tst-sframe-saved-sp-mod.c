/* A function with an SFrame table, but without .eh_frame.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tst-sframe-saved-sp.h"

#if HAVE_SFRAME_S390X
asm (".cfi_sections .sframe\n"
     ".globl keep_sp_alone\n"
     ASM_KEEP_SP (keep_sp_alone, f2));
#endif
