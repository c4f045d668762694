/* What call frame instructions say of a place in a function.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-add.h.  */

#ifndef _CFI_H
#define _CFI_H

#include "sframe-add.h"

/* The readable bytes from AT up to, not including, END.  What does not fit
   reads as 0, takes all bytes and is remembered in FAILED, so that one check
   after some reads is enough.  */
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
/* A cursor for the next SIZE bytes, which CURSOR steps over.  */
struct cursor read_block (struct cursor *cursor, uint64_t size);

/* How to recover the caller's value of a register, or CFA.  */
enum way
{
  WAY_UNSET,			/* Nothing was said.  */
  WAY_SAME,
  WAY_UNDEFINED,
  WAY_CFA_MEMORY,		/* The word at CFA + offset.  */
  WAY_CFA_VALUE,
  WAY_REGISTER,			/* Register + offset.  */
  WAY_EXPRESSION_MEMORY,	/* The word at what the expression gives.  */
  WAY_EXPRESSION_VALUE
};

struct location
{
  enum way way;
  uint64_t reg;
  int64_t offset;
  struct cursor expression;
};

/* What an FDE says at one place.  */
struct state
{
  struct location cfa, ra, fp, sp;
};

/* A CFA that alternates: SP + OFFSET at the first THRESHOLD bytes of each
   block of SIZE, a power of two, SP + OFFSET + PUSHED in the rest.  Linkers
   write one expression for all entries of a PLT.  */
struct alternation
{
  int64_t offset, pushed;
  uint64_t size, threshold;
};

/* judge.c: store what STATE says in *RULE, in the words of SFrame.  Return
   null, or why there are no such words.  */
const char *judge (const struct machine *machine, const struct state *state,
		   bool signal, struct sframe_rule *rule);
/* Whether the CFA of STATE alternates; then *ALTERNATION tells how.  */
bool judge_alternation (const struct machine *machine,
			const struct state *state,
			struct alternation *alternation);

#endif /* _CFI_H  */
