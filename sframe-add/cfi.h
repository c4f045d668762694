/* The unwind rules that CFA instructions give for a PC, and how cursor.c,
   eh-frame.c, cfi.c and judge.c find them.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-add.h.  */

#ifndef _CFI_H
#define _CFI_H

#include "sframe-add.h"

/* The readable bytes from AT up to, but not including, END.  A read that does
   not fit returns 0, moves AT to END and sets FAILED, so one check after
   several reads is enough.  */
struct cursor
{
  const unsigned char *at;
  const unsigned char *end;
  bool big_endian;
  bool failed;
};

uint64_t read_unsigned (struct cursor *cursor, unsigned int width);
uint64_t read_signed (struct cursor *cursor, unsigned int width);
uint64_t read_uleb128 (struct cursor *cursor);
uint64_t read_sleb128 (struct cursor *cursor);
/* Skip SIZE bytes of CURSOR and return a cursor for them.  */
struct cursor read_block (struct cursor *cursor, uint64_t size);
/* Read a number of FORMAT (an encoding & DW_EH_PE_format_mask); an unknown
   format sets FAILED.  */
uint64_t read_formatted (struct cursor *cursor, unsigned int format);
/* Read an address of ENCODING (DW_EH_PE_*) in OBJECT's file; BASE is that of
   data-relative ones.  */
uint64_t read_address (const struct object *object, struct cursor *cursor,
		       unsigned int encoding, uint64_t base);
/* The address at which the byte AT of OBJECT's file is loaded.  */
uint64_t address_of (const struct object *object, const unsigned char *at);

/* An FDE with the data of its CIE.  */
struct entry
{
  uint64_t start, size;
  struct cursor initial, program;
  uint64_t code_factor;
  int64_t data_factor;
  uint64_t ra;
  unsigned char encoding;
  bool augmented, signal;
  enum ra_key key;		/* If a function signs its RA.  */
  uint64_t work;		/* Bytes of its records.  */
};

/* Run the instructions of ENTRY, whose bytes are code, and add its rows to
   CONVERSION.  Return null, or why it has none.  */
const char *convert_entry (const struct object *object,
			   const struct entry *entry,
			   struct conversion *conversion);
/* Record that the SIZE bytes at START are left out, and why.  */
void leave_out (struct conversion *conversion, uint64_t start, uint64_t size,
		const char *reason);

/* How to compute the caller's value of a register, or the CFA; the names are
   those of DWARF.  */
enum rule_kind
{
  RULE_UNSET,			/* No rule.  */
  RULE_SAME_VALUE,
  RULE_UNDEFINED,
  RULE_OFFSET,			/* The word at CFA + offset.  */
  RULE_VAL_OFFSET,		/* CFA + offset.  */
  RULE_REGISTER,		/* Register + offset.  */
  RULE_EXPRESSION,		/* The word at the expression's value.  */
  RULE_VAL_EXPRESSION
};

/* A rule of DWARF for a register or the CFA.  */
struct dwarf_rule
{
  enum rule_kind kind;
  uint64_t reg;
  int64_t offset;
  struct cursor expression;
};

/* The rules of an FDE for one PC.  */
struct state
{
  struct dwarf_rule cfa, ra, fp, sp;
  bool ra_is_signed;
  /* A rule, which is not evaluated, says whether the RA is signed.  */
  bool ra_is_unclear;
};

/* A CFA that alternates: SP + OFFSET in the first THRESHOLD bytes of each
   block of SIZE bytes, a power of two; SP + OFFSET + PUSHED in the rest.
   Linkers write such an expression for a PLT.  */
struct alternation
{
  int64_t offset, pushed;
  uint64_t size, threshold;
};

/* judge.c: convert STATE to the SFrame rule *RULE.  Return null, or why SFrame
   cannot express it.  */
const char *judge (const struct machine *machine, const struct state *state,
		   bool signal, struct sframe_rule *rule);
/* Whether the CFA of STATE alternates.  If so, store it in *ALTERNATION.  */
bool judge_alternation (const struct machine *machine,
			const struct state *state,
			struct alternation *alternation);

#endif /* _CFI_H  */
