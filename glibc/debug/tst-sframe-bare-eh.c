/* tst-sframe-qsort in a program without SFrame whose .eh_frame_hdr has no
   search table.

   SPDX-License-Identifier: LGPL-2.1-or-later

   GNU ld makes none if it does not understand a part of .eh_frame, here a CIE
   of a version that does not exist.  */

asm (".section .eh_frame, \"a\", %progbits\n\
	.balign	8\n\
	.4byte	2f - 1f\n\
1:	.4byte	0\n\
	.byte	2\n\
	.zero	7\n\
2:	.text");

#include "tst-sframe-qsort.c"
