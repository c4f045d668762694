/* A function that saves SP in a floating-point register, as gcc writes them.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef _TST_SFRAME_SAVED_SP_H
#define _TST_SFRAME_SAVED_SP_H

#include "tst-sframe-asm.h"

#if HAVE_SFRAME_S390X
/* The rows are those that gcc 16 writes: the last but one begins before
   lgdr.  */
# define ASM_KEEP_SP(function, fpr)					\
  ASM_TEXT (function,							\
	    "ldgr %" #fpr ", %r15\n"					\
	    ".cfi_register %r15, %" #fpr "\n"				\
	    "aghi %r15, -192\n"						\
	    ".cfi_def_cfa_offset 352\n"					\
	    "xc 160(32, %r15), 160(%r15)\n"				\
	    ".cfi_def_cfa_offset 160\n"					\
	    ASM_FAULT							\
	    "lgr %r2, %r2\n"						\
	    "lgdr %r15, %" #fpr "\n"					\
	    ".cfi_restore %r15\n"					\
	    ASM_RETURN)
#endif

#endif /* _TST_SFRAME_SAVED_SP_H */
