/* Convert .eh_frame rules to SFrame rules where that is possible.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-add.h.

   Nothing is approximated: where SFrame cannot express a rule, or an unwinder
   would compute another value from it, that part of the function is left out.
   Only the rules for the CFA, RA, FP and SP are converted; all others are
   ignored.  */

#include <sframe-dwarf.h>

#include "cfi.h"

/* Expressions.  */

/* An expression that adds OFFSET to register REG and, if DEREFERENCED, reads
   the word at the sum.  */
struct sum
{
  uint64_t reg;
  int64_t offset;
  bool dereferenced;
};

/* Read DW_OP_bregN or DW_OP_bregx.  */
static bool
read_register (struct cursor *cursor, uint64_t *reg, int64_t *offset)
{
  unsigned int operation = read_unsigned (cursor, 1);

  if (operation == DW_OP_bregx)
    *reg = read_uleb128 (cursor);
  else if (operation >= DW_OP_breg0 && operation <= DW_OP_breg31)
    *reg = operation - DW_OP_breg0;
  else
    return false;
  *offset = read_sleb128 (cursor);
  return !cursor->failed;
}

/* Whether EXPRESSION is a sum.  If so, store it in *SUM.  */
static bool
read_sum (struct cursor expression, struct sum *sum)
{
  int64_t more;

  *sum = (struct sum) { 0 };
  if (!read_register (&expression, &sum->reg, &sum->offset))
    return false;
  while (expression.at < expression.end && !expression.failed
	 && !sum->dereferenced)
    switch (read_unsigned (&expression, 1))
      {
      case DW_OP_deref:
	sum->dereferenced = true;
	break;
      case DW_OP_plus_uconst:
	more = read_uleb128 (&expression);
	if (__builtin_add_overflow (sum->offset, more, &sum->offset))
	  return false;
	break;
      default:
	return false;
      }
  return !expression.failed && expression.at == expression.end;
}

/* Read an operation that pushes a constant, and store that in *VALUE.  */
static bool
read_constant (struct cursor *cursor, uint64_t *value)
{
  unsigned int operation = read_unsigned (cursor, 1);

  if (operation >= DW_OP_lit0 && operation <= DW_OP_lit31)
    *value = operation - DW_OP_lit0;
  else if (operation == DW_OP_const1u)
    *value = read_unsigned (cursor, 1);
  else
    return false;
  return !cursor->failed;
}

static bool
read_operation (struct cursor *cursor, unsigned int operation)
{
  return read_unsigned (cursor, 1) == operation && !cursor->failed;
}

/* The form that linkers write for PLTs on x86-64:
   SP + A + (((PC & M) >= T) << S), where M + 1 is a power of two.  */
bool
judge_alternation (const struct machine *machine, const struct state *state,
		   struct alternation *alternation)
{
  struct cursor cursor = state->cfa.expression;
  uint64_t reg, pc, mask, shift;
  int64_t nothing;

  if (state->cfa.kind != RULE_VAL_EXPRESSION
      || machine->elf != EM_X86_64
      || !read_register (&cursor, &reg, &alternation->offset)
      || reg != machine->sp
      || !read_register (&cursor, &pc, &nothing)
      || pc != machine->ra || nothing != 0
      || !read_constant (&cursor, &mask)
      || !read_operation (&cursor, DW_OP_and)
      || !read_constant (&cursor, &alternation->threshold)
      || !read_operation (&cursor, DW_OP_ge)
      || !read_constant (&cursor, &shift)
      || !read_operation (&cursor, DW_OP_shl)
      || !read_operation (&cursor, DW_OP_plus)
      || cursor.at != cursor.end)
    return false;
  alternation->size = mask + 1;
  alternation->pushed = INT64_C (1) << (shift & 31);
  return (shift < 16 && alternation->size <= UINT8_MAX
	  && (mask & alternation->size) == 0
	  && alternation->threshold > 0);
}

/* Rules.  */

/* DWARF's number of the first floating-point register of s390x.  */
#define FIRST_FPR 16

/* Fill *PLACE.  Return false if the machine has no register REG, or OFFSET
   does not fit in 32 bits.  */
static bool
set_place (const struct machine *machine, struct sframe_place *place,
	   enum sframe_place_kind kind, uint64_t reg, int64_t offset)
{
  if (reg >= machine->registers || offset != (int32_t) offset)
    return false;
  *place = (struct sframe_place) { .kind = kind, .reg = reg,
				   .offset = offset };
  return true;
}

/* Store the expression of RULE in *PLACE, or the word at its value if
   DEREFERENCE is set.  Return false if it is not a sum.  */
static bool
place_sum (const struct machine *machine, const struct dwarf_rule *rule,
	   bool dereference, struct sframe_place *place)
{
  struct sum sum;

  if (!read_sum (rule->expression, &sum)
      || (sum.dereferenced && dereference))
    return false;
  return set_place (machine, place,
		    (sum.dereferenced || dereference
		     ? SFRAME_REGISTER_MEMORY : SFRAME_REGISTER_VALUE),
		    sum.reg, sum.offset);
}

/* Convert RULE to *PLACE.  Return false if SFrame cannot express it.  */
static bool
find_place (const struct machine *machine, const struct dwarf_rule *rule,
	    struct sframe_place *place)
{
  switch (rule->kind)
    {
    case RULE_UNSET:
    case RULE_SAME_VALUE:
      *place = (struct sframe_place) { .kind = SFRAME_UNCHANGED };
      return true;
    case RULE_OFFSET:
      return set_place (machine, place, SFRAME_CFA_MEMORY, 0,
			rule->offset);
    case RULE_VAL_OFFSET:
      return set_place (machine, place, SFRAME_CFA_VALUE, 0, rule->offset);
    case RULE_REGISTER:
      return set_place (machine, place, SFRAME_REGISTER_VALUE,
			rule->reg, rule->offset);
    case RULE_EXPRESSION:
      return place_sum (machine, rule, true, place);
    case RULE_VAL_EXPRESSION:
      return place_sum (machine, rule, false, place);
    default:
      return false;
    }
}

/* The same for RA or FP.  The value CFA + offset cannot be expressed for them:
   its control word would be 0, which means padding.  */
static bool
find_saved (const struct machine *machine, const struct dwarf_rule *rule,
	    struct sframe_place *place)
{
  return (find_place (machine, rule, place)
	  && place->kind != SFRAME_CFA_VALUE);
}

/* Whether the CFA offset can be stored without loss.  */
static bool
is_storable (const struct machine *machine, int32_t offset)
{
  return (((int64_t) offset - machine->cfa_adjustment) % machine->cfa_scale
	  == 0);
}

static const char *
judge_cfa (const struct machine *machine, const struct dwarf_rule *rule,
	   struct sframe_place *cfa)
{
  if (rule->kind == RULE_UNSET)
    return "its CFA has no rule";
  if (!find_place (machine, rule, cfa)
      || !is_storable (machine, cfa->offset))
    return "SFrame cannot express its CFA";
  return NULL;
}

/* Whether .eh_frame gives the caller's SP the value that SFrame implies, the
   CFA + sp_offset.  Without a rule for SP, .eh_frame implies the CFA on
   x86-64 and AArch64, and an unchanged SP on s390x.  */
static bool
is_sp_implied (const struct machine *machine, const struct dwarf_rule *sp,
	    const struct sframe_place *cfa)
{
  bool no_frame = (cfa->kind == SFRAME_REGISTER_VALUE
		   && cfa->reg == machine->sp
		   && cfa->offset == -machine->sp_offset);
  struct sframe_place place;

  if (sp->kind == RULE_UNSET)
    return machine->sp_offset == 0 || no_frame;
  if (!find_place (machine, sp, &place))
    return false;
  switch (place.kind)
    {
    case SFRAME_CFA_VALUE:
      return place.offset == machine->sp_offset;
    case SFRAME_CFA_MEMORY:
      /* The slot where the ABI saves SP.  */
      return (machine->sp_saved_offset != 0
	      && place.offset == machine->sp_saved_offset);
    case SFRAME_REGISTER_VALUE:
      /* A leaf function of s390x may save SP in a floating-point register.
	 Just before SP is restored, GCC already has the CFA for the restored
	 SP (no_frame); then the register differs from what SFrame implies.  */
      if (machine->sp_offset != 0)
	return place.reg >= FIRST_FPR && place.offset == 0 && !no_frame;
      /* Fall through.  */
    default:
      /* In a signal trampoline SP has the same rule as the CFA.  */
      return (machine->sp_offset == 0 && place.kind == cfa->kind
	      && place.reg == cfa->reg && place.offset == cfa->offset);
    }
}

const char *
judge (const struct machine *machine, const struct state *state, bool signal,
       struct sframe_rule *rule)
{
  *rule = (struct sframe_rule)
    { .outermost = state->ra.kind == RULE_UNDEFINED, .signal = signal };
  if (rule->outermost)
    return NULL;
  if (state->ra_is_unclear)
    return "it has a rule that says whether its RA is signed";
  const char *why = judge_cfa (machine, &state->cfa, &rule->cfa);
  if (why != NULL)
    return why;
  if (!is_sp_implied (machine, &state->sp, &rule->cfa))
    return "SFrame implies another SP of the caller";
  if (!find_saved (machine, &state->ra, &rule->ra))
    return "SFrame cannot express its RA";
  if (machine->fixed_ra_offset != 0 && rule->ra.kind == SFRAME_UNCHANGED)
    return "its RA has no rule";
  if (state->fp.kind == RULE_UNDEFINED)
    return "its FP is undefined";
  if (!find_saved (machine, &state->fp, &rule->fp))
    return "SFrame cannot express its FP";
  return NULL;
}

/* Comparing.  */

static bool
same_place (const struct sframe_place *a, const struct sframe_place *b)
{
  return (a->kind == b->kind && a->reg == b->reg && a->offset == b->offset);
}

bool
same_rule (const struct sframe_rule *a, const struct sframe_rule *b)
{
  if (a->outermost || b->outermost)
    return a->outermost == b->outermost;
  return (a->signal == b->signal && same_place (&a->cfa, &b->cfa)
	  && same_place (&a->ra, &b->ra) && same_place (&a->fp, &b->fp));
}

bool
same_row (const struct row *a, const struct row *b)
{
  return (same_rule (&a->rule, &b->rule)
	  && (a->rule.outermost || a->key == b->key));
}
