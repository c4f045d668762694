/* Test that backtrace does not ask libgcc about a function without unwind
   tables in a static program.

   SPDX-License-Identifier: LGPL-2.1-or-later

   libgcc would call malloc.  The program has no .eh_frame_hdr, and in its
   .eh_frame is a CIE that libc does not understand: the column of its return
   address is too large.  */

#define TEST_STATIC

asm (".pushsection .text\n"
     "odd_column:\n"
     ".cfi_startproc\n"
     ".cfi_return_column 100\n"
     ".skip 16\n"
     ".cfi_endproc\n"
     ".popsection");

#include "tst-sframe-no-cfi.c"
