/* tst-sframe-qsort in a program without SFrame whose .eh_frame is writable.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The linker then puts .eh_frame into another segment than .eh_frame_hdr.  */

asm (".section .eh_frame, \"aw\", %progbits\n"
     ".text");

#include "tst-sframe-qsort.c"
