/* Reading an .eh_frame section: bytes in, the rules for a PC out.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: all functions are pure.  They use no memory but their arguments
   and the bytes of the table, no global state, no allocation, no lock and no
   system call; they are async-signal-safe and thread-safe.  No content of the
   table makes them read outside it or run for more than SFRAME_EH_STEPS_MAX
   instructions.

   Like sframe-read.h, for libc and for tests that compile it alone.  What a
   rule says is carried out by sframe-eh-step.h.  */

#ifndef _SFRAME_EH_H
#define _SFRAME_EH_H

#include <sframe-registers.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef attribute_hidden
# define attribute_hidden
#endif

/* How many CFA instructions are looked at for one PC, those looked at twice
   included.  The longest program that was seen has under 20,000; this
   many take about a millisecond.  */
#define SFRAME_EH_STEPS_MAX (1 << 18)

/* Columns of a row: the registers that are kept track of and the return
   address.  Rules for higher numbers (vector registers) are read and
   forgotten.  */
#define SFRAME_EH_COLUMNS						\
  (SFRAME_MACHINE_RA < SFRAME_MACHINE_REGISTERS				\
   ? SFRAME_MACHINE_REGISTERS : SFRAME_MACHINE_RA + 1)

/* The readable bytes from AT up to, not including, END.  */
struct sframe_eh_bytes
{
  const unsigned char *at;
  const unsigned char *end;
};

/* What became of an attempt to find the caller of a frame.  */
enum sframe_eh_status
{
  /* Found.  */
  SFRAME_EH_OK,
  /* The frame has no caller: the return address is undefined.  */
  SFRAME_EH_OUTERMOST,
  /* The table has no entry for the PC.  */
  SFRAME_EH_NO_ENTRY,
  /* Perhaps valid, but beyond what is implemented here.  */
  SFRAME_EH_NOT_UNDERSTOOD,
  /* The bytes of the table contradict the format.  */
  SFRAME_EH_CORRUPT,
  /* A rule depends on a register that is not known in this frame.  */
  SFRAME_EH_REGISTER,
  /* The stack is not as the rules say it is: a word cannot be read, or the
     frame does not lie above its callee.  */
  SFRAME_EH_BROKEN
};

/* The .eh_frame_hdr section of an object and all that may be read for it: a
   part of the object's memory, which has the .eh_frame section too.  */
struct sframe_eh_table
{
  const unsigned char *header;
  struct sframe_eh_bytes memory;
};

/* An FDE with its CIE, all of whose bytes are inside the table's memory.  */
struct sframe_eh_entry
{
  /* The code that it describes.  */
  uintptr_t start;
  uintptr_t size;
  /* The CFA instructions of the CIE and of the FDE.  */
  struct sframe_eh_bytes initial;
  struct sframe_eh_bytes program;
  /* What advances and offsets are multiplied with.  */
  uint32_t code_factor;
  int32_t data_factor;
  /* How the addresses of code are written, DW_EH_PE_*.  */
  unsigned char encoding;
  /* Under SFRAME_EH_COLUMNS.  */
  unsigned char ra_column;
  /* There is augmentation data in the FDE.  */
  bool augmented;
  /* The function is a signal trampoline: its caller was interrupted, not
     called from.  */
  bool signal;
};

/* How to recover the caller's value of a column.  */
enum sframe_eh_rule
{
  /* Nothing was said: as the ABI has it.  */
  SFRAME_EH_UNSET,
  /* The same as in this frame.  */
  SFRAME_EH_SAME,
  /* Lost.  */
  SFRAME_EH_UNDEFINED,
  /* CFA + operand.  */
  SFRAME_EH_CFA_VALUE,
  /* The word at CFA + operand.  */
  SFRAME_EH_CFA_MEMORY,
  /* The register that the operand numbers.  */
  SFRAME_EH_IN_REGISTER,
  /* The value of an expression, which begins with CFA on its stack.  */
  SFRAME_EH_EXPRESSION_VALUE,
  /* The word at that value.  */
  SFRAME_EH_EXPRESSION_MEMORY
};

/* The rules for one PC.  The operand for an expression is the address of its
   bytes: their length as ULEB128, then that many; all are inside the
   entry.  */
struct sframe_eh_row
{
  /* CFA is a register plus CFA_OPERAND, or else an expression.  The number
     SFRAME_EH_COLUMNS stands for registers that are not kept track of.  */
  bool cfa_expression;
  unsigned char cfa_register;
  /* enum sframe_eh_rule.  */
  unsigned char rule[SFRAME_EH_COLUMNS];
  uint64_t cfa_operand;
  uint64_t operand[SFRAME_EH_COLUMNS];
};

/* Find the entry for PC in TABLE.  The result is SFRAME_EH_OK, NO_ENTRY,
   NOT_UNDERSTOOD or CORRUPT; *ENTRY is undefined unless OK.  */
enum sframe_eh_status
__sframe_eh_find (const struct sframe_eh_table *table, uintptr_t pc,
		  struct sframe_eh_entry *entry) attribute_hidden;

/* Store the rules of ENTRY for PC, which it covers, in *ROW.  The result is
   SFRAME_EH_OK, NOT_UNDERSTOOD or CORRUPT; *ROW is undefined unless OK.  */
enum sframe_eh_status
__sframe_eh_find_row (const struct sframe_eh_entry *entry, uintptr_t pc,
		      struct sframe_eh_row *row) attribute_hidden;

#endif /* _SFRAME_EH_H  */
