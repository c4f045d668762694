/* Read an .eh_frame section: find the rules for a PC.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: all functions are pure.  They use no memory but their arguments
   and the bytes of the table, no global state, no allocation, no lock and no
   system call; they are async-signal-safe and thread-safe.  No content of the
   table makes them read outside it or run for more than SFRAME_EH_STEPS_MAX
   instructions.  A search without search table reads each record once, and of
   its CIE at most SFRAME_EH_FIELDS_MAX bytes.

   As with sframe-read.h, libc uses these functions, and tests compile them
   alone.  sframe-eh-step.h applies the rules.  */

#ifndef _SFRAME_EH_H
#define _SFRAME_EH_H

#include <sframe-registers.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef attribute_hidden
# define attribute_hidden
#endif

/* How many CFA instructions may be read for one PC.  One that is read again
   counts again.  The longest program seen has fewer than 20,000.  Reading this
   many takes about a millisecond.  */
#define SFRAME_EH_STEPS_MAX (1 << 18)

/* How many DW_CFA_remember_state may be open at one PC: all instructions up to
   the PC are read for each.  Compilers leave one or two open.  */
#define SFRAME_EH_REMEMBERS_MAX 16

/* The size of a CIE without its instructions, at most.  All that compilers
   write have less than 40 bytes.  */
#define SFRAME_EH_FIELDS_MAX 256

/* Columns of a row: the tracked registers and the return address.  Rules for
   higher numbers (vector registers) are ignored.  */
#define SFRAME_EH_COLUMNS						\
  (SFRAME_MACHINE_RA < SFRAME_MACHINE_REGISTERS				\
   ? SFRAME_MACHINE_REGISTERS : SFRAME_MACHINE_RA + 1)

/* The readable bytes from AT up to, but not including, END.  */
struct sframe_eh_bytes
{
  const unsigned char *at;
  const unsigned char *end;
};

/* The result of looking for the caller of a frame.  */
enum sframe_eh_status
{
  /* Found.  */
  SFRAME_EH_OK,
  /* The frame has no caller: the return address is undefined.  */
  SFRAME_EH_OUTERMOST,
  /* The table has no entry for the PC.  */
  SFRAME_EH_NO_ENTRY,
  /* The table uses a feature that is not supported here.  */
  SFRAME_EH_NOT_UNDERSTOOD,
  /* The bytes of the table contradict the format.  */
  SFRAME_EH_CORRUPT,
  /* A rule depends on a register that is not known in this frame.  */
  SFRAME_EH_REGISTER,
  /* The stack contradicts the rules: a word cannot be read, or the frame does
     not lie above its callee.  */
  SFRAME_EH_BROKEN
};

/* The tables of an object.  */
struct sframe_eh_table
{
  /* The .eh_frame_hdr section and how many bytes may be read from its start
     on.  If HEADER is null, there is no search table: RECORDS is a record of
     .eh_frame, and those from it on are searched one by one.  */
  const unsigned char *header;
  size_t header_size;
  const unsigned char *records;
  /* What may be read of .eh_frame.  */
  struct sframe_eh_bytes memory;
};

/* An FDE with its CIE, all of whose bytes are inside the table's memory.  */
struct sframe_eh_entry
{
  /* The code that the FDE describes.  */
  uintptr_t start;
  uintptr_t size;
  /* The CFA instructions of the CIE and of the FDE.  */
  struct sframe_eh_bytes initial;
  struct sframe_eh_bytes program;
  /* The code and data alignment factors.  */
  uint32_t code_factor;
  int32_t data_factor;
  /* The pointer encoding of code addresses, DW_EH_PE_*.  */
  unsigned char encoding;
  /* Less than SFRAME_EH_COLUMNS.  */
  unsigned char ra_column;
  /* The FDE has augmentation data.  */
  bool augmented;
  /* The function is a signal trampoline: its caller was interrupted and did
     not make a call.  */
  bool signal;
};

/* How to recover the caller's value of a column.  */
enum sframe_eh_rule
{
  /* No rule: the ABI decides.  */
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
  /* The value of an expression, whose stack initially holds the CFA.  */
  SFRAME_EH_EXPRESSION_VALUE,
  /* The word at the value of such an expression.  */
  SFRAME_EH_EXPRESSION_MEMORY
};

/* The rules for one PC.  The operand for an expression is its address, inside
   the entry: the length as ULEB128, then that many bytes.  */
struct sframe_eh_row
{
  /* The CFA is an expression, or else CFA_REGISTER plus CFA_OPERAND.
     SFRAME_EH_COLUMNS stands for any register that is not tracked.  */
  bool cfa_expression;
  unsigned char cfa_register;
  /* enum sframe_eh_rule.  */
  unsigned char rule[SFRAME_EH_COLUMNS];
  uint64_t cfa_operand;
  uint64_t operand[SFRAME_EH_COLUMNS];
};

/* Set TABLE's records to the address of a record of .eh_frame to which its
   header leads, or to null if the header is not understood or has no
   functions.  .eh_frame may be far from the header: TABLE's memory is not
   used.  If the header has no search table, the records are all of .eh_frame,
   and TABLE's header becomes null.  */
void
__sframe_eh_find_records (struct sframe_eh_table *table) attribute_hidden;

/* Find the entry for PC in TABLE.  The result is SFRAME_EH_OK, NO_ENTRY,
   NOT_UNDERSTOOD or CORRUPT; *ENTRY is undefined unless it is OK.  */
enum sframe_eh_status
__sframe_eh_find (const struct sframe_eh_table *table, uintptr_t pc,
		  struct sframe_eh_entry *entry) attribute_hidden;

/* Store the rules of ENTRY for PC, which it covers, in *ROW.  The result is
   SFRAME_EH_OK, NOT_UNDERSTOOD or CORRUPT; *ROW is undefined unless it is
   OK.  */
enum sframe_eh_status
__sframe_eh_find_row (const struct sframe_eh_entry *entry, uintptr_t pc,
		      struct sframe_eh_row *row) attribute_hidden;

#endif /* _SFRAME_EH_H  */
