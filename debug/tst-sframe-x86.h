/* Functions in assembler for the tests of backtrace, x86-64 only.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Where a test is about a table looked up one byte off, the function
   stands beside a neighbor with another CFA rule and no padding between,
   so that the mistake gives a wrong frame and not, by luck, the right
   one.  */

#ifndef _TST_SFRAME_X86_H
#define _TST_SFRAME_X86_H

#if defined __x86_64__ && defined __LP64__

# define HAVE_SFRAME_X86 1

/* The text of a function; several in one asm stay side by side.  */
# define ASM_TEXT(name, body)						\
  ".pushsection .text\n"						\
  ".type " #name ", @function\n"					\
  #name ":\n"								\
  ".cfi_startproc\n"							\
  body									\
  ".cfi_endproc\n"							\
  ".size " #name ", . - " #name "\n"					\
  ".popsection\n"

/* A neighbor never called, whose last byte has a CFA of its own.  */
# define ASM_NEIGHBOR							\
  ASM_TEXT (neighbor,							\
	    "sub $1032, %rsp\n"						\
	    ".cfi_adjust_cfa_offset 1032\n"				\
	    "ud2\n"							\
	    "neighbor_end:\n")

#else
# define HAVE_SFRAME_X86 0
#endif

#endif /* _TST_SFRAME_X86_H */
