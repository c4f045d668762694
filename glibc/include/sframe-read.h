/* Read an SFrame section: find the rule for a PC.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: all functions are pure.  They use no memory but their arguments
   and the bytes of the section, no global state, no allocation, no lock and
   no system call; they are async-signal-safe and thread-safe.  No content of
   the section makes them read outside it, divide by zero, or run for longer
   than one pass over the FREs of one function (65,535 at most).

   libc and ld.so use these sources.  They can be compiled alone, for tests with
   any bytes as a section, so nothing here may depend on the C library's
   internals.  */

#ifndef _SFRAME_READ_H
#define _SFRAME_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef attribute_hidden
# define attribute_hidden
#endif

/* A section that __sframe_read_header has accepted.  FDES and FRES, with
   FDE_COUNT and FRE_LENGTH, were checked to lie inside the section, so readers
   check only against these bounds.  All zero: no section.  */
struct sframe_section
{
  const unsigned char *start;	/* First byte of the header.  */
  const unsigned char *fdes;	/* The FDE index, 4-byte aligned.  */
  const unsigned char *fres;	/* The FRE sub-section.  */
  uint32_t fde_count;		/* Entries in FDES; not 0.  */
  uint32_t fre_length;		/* Bytes in FRES.  */
  uint8_t flags;		/* SFRAME_F_*.  */
  uint8_t abi;			/* SFRAME_ABI_*.  */
  int8_t fixed_fp_offset;	/* 0: none.  */
  int8_t fixed_ra_offset;	/* 0: none.  */
};

/* Why a header was rejected; __sframe_header_message has the texts.  */
enum sframe_header_status
{
  SFRAME_HEADER_OK,
  SFRAME_HEADER_TRUNCATED,	/* The section is smaller than a header.  */
  SFRAME_HEADER_BYTE_ORDER,	/* Magic number of the other byte order.  */
  SFRAME_HEADER_MAGIC,		/* No SFrame section at all.  */
  SFRAME_HEADER_VERSION,	/* Not version 3.  */
  SFRAME_HEADER_FLAGS,		/* A flag that version 3 does not define.  */
  SFRAME_HEADER_ABI,		/* Made for another machine.  */
  SFRAME_HEADER_UNSORTED,	/* The index cannot be searched.  */
  SFRAME_HEADER_EMPTY,		/* No FDE.  */
  SFRAME_HEADER_ALIGNMENT,	/* Section or index not 4-byte aligned.  */
  SFRAME_HEADER_BOUNDS,		/* A sub-section leaves the section.  */
  SFRAME_HEADER_COUNTS		/* Fewer bytes of FREs than the FREs need.  */
};

/* How to recover one value of the calling frame.  */
enum sframe_place_kind
{
  /* The value is the same as in this frame.  */
  SFRAME_UNCHANGED,
  /* CFA + offset.  */
  SFRAME_CFA_VALUE,
  /* The word at CFA + offset.  */
  SFRAME_CFA_MEMORY,
  /* Register + offset.  */
  SFRAME_REGISTER_VALUE,
  /* The word at register + offset.  */
  SFRAME_REGISTER_MEMORY
};

struct sframe_place
{
  int32_t offset;
  /* DWARF number; meaningful for the two register kinds.  */
  uint16_t reg;
  /* enum sframe_place_kind.  */
  uint8_t kind;
};

/* The rule of one FRE.  If OUTERMOST is set, the frame has no caller and CFA,
   RA and FP are undefined.  The kind of CFA is always a register kind.  */
struct sframe_rule
{
  struct sframe_place cfa;
  struct sframe_place ra;
  struct sframe_place fp;
  bool outermost;
  /* The function is a signal trampoline: its caller was interrupted and did
     not make a call.  */
  bool signal;
  /* The FDE has PC type mask: its FREs describe a block of code, such as a PLT
     entry, that is repeated.  BLOCK_OFFSET is the offset of the PC in its
     block, otherwise 0.  */
  bool repeated;
  uint8_t block_offset;
};

enum sframe_find_status
{
  SFRAME_FOUND,
  /* No FDE or no FRE covers the PC.  */
  SFRAME_NOT_FOUND,
  /* The bytes that should describe the PC contradict the format.  */
  SFRAME_CORRUPT
};

/* The largest DWARF register number that a rule may name.  No supported ABI
   has more; a larger one in a table marks it corrupt.  */
#define SFRAME_REGISTER_MAX 127

/* The assembler writes FDEs for functions of size zero, and the order of FDEs
   with the same start is not defined.  A lookup skips at most this many to
   find one with a size; a table with more must not cost more time.  */
#define SFRAME_EMPTY_FDES_MAX 16

/* Check the header of the section of SIZE bytes at START, which must be
   readable and for ABI (SFRAME_ABI_*), and store the parsed header in
   *SECTION.  Only the header is read.  If the result is not SFRAME_HEADER_OK,
   *SECTION is all zero.  */
enum sframe_header_status
__sframe_read_header (const void *start, uint64_t size, unsigned int abi,
		      struct sframe_section *section) attribute_hidden;

/* Return a text for STATUS, without a newline.  */
const char *__sframe_header_message (enum sframe_header_status status)
  attribute_hidden;

/* Look up PC in SECTION and store the rule in *RULE.  PC is an offset from the
   start of the section, modulo 2**64.  SP and FP are the DWARF numbers of the
   stack pointer and the frame pointer.  *RULE is undefined unless the result
   is SFRAME_FOUND.  */
enum sframe_find_status
__sframe_find_rule (const struct sframe_section *section, uint64_t pc,
		    unsigned int sp, unsigned int fp,
		    struct sframe_rule *rule) attribute_hidden;

/* Store in *START the offset from the start of SECTION at which the first of
   its functions begins, and in *SIZE how far it is to the end of the last
   one.  */
void
__sframe_find_text (const struct sframe_section *section, uint64_t *start,
		    uint64_t *size) attribute_hidden;

/* The numbers of the FDEs of some PCs, in the order in which the PCs are
   looked up: 24 bits of each, least significant byte first, since backtrace
   has little stack.  Entries before NEXT are used.  All zero: none.  */
#define SFRAME_FUNCTIONS_MAX 20

struct sframe_functions
{
  uint8_t next;
  uint8_t count;
  uint8_t number[SFRAME_FUNCTIONS_MAX][3];
};

/* Find the FDEs of the COUNT PCs, at most SFRAME_FUNCTIONS_MAX, and store them
   in *FUNCTIONS.  In a large section this takes less time than one search
   after the other: the processor loads what they need in parallel.  It also
   begins to load what __sframe_find_rule_of needs.  */
void
__sframe_find_functions (const struct sframe_section *section,
			 const uint64_t *pcs, unsigned int count,
			 struct sframe_functions *functions) attribute_hidden;

/* The same as __sframe_find_rule, in less time if FUNCTIONS has the FDE of PC.
   FUNCTIONS may be of another section: its numbers only say which FDEs to try
   first.  */
enum sframe_find_status
__sframe_find_rule_of (const struct sframe_section *section,
		       struct sframe_functions *functions, uint64_t pc,
		       unsigned int sp, unsigned int fp,
		       struct sframe_rule *rule) attribute_hidden;

#endif /* _SFRAME_READ_H  */
