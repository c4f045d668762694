/* Evaluate libdw's rules for a frame with made-up values.

   SPDX-License-Identifier: LGPL-2.1-or-later

   For oracles that compare with libdw.  Each register and each word of memory
   (see sframe-stack.h) has a made-up value: two rules are equal if they give
   equal values.

   libdw's names of the constants are those of sframe-dwarf.h, so no file can
   include both.  */

#ifndef LIBDW_ROW_H
#define LIBDW_ROW_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <sframe-machine.h>
#include <sframe-stack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Make a frame at PC with a made-up value in each register.  SP is the lowest,
   so that the caller is above it.  FP is next, so that the words near it are
   in the frame: otherwise libc assumes that FP is already the caller's, but
   libdw evaluates only the CFI.  */
static inline void
make_registers (struct sframe_registers *registers, uintptr_t pc)
{
  memset (registers, 0, sizeof *registers);
  for (unsigned int i = 0; i < SFRAME_MACHINE_REGISTERS; ++i)
    registers->value[i] = (word_at (i + 1) & 0x7fffffffffc0) | 1UL << 47;
  registers->value[SFRAME_MACHINE_SP] = 0x700000000000;
  registers->value[SFRAME_MACHINE_FP] = 0x700012345640;
  registers->known = (UINT64_C (1) << SFRAME_MACHINE_REGISTERS) - 1;
  registers->pc = pc;
  registers->interrupted = true;
}

/* The kinds of libdw's rules for a column.  */
enum told { told_value, told_unchanged, told_undefined, told_unevaluated };

struct machine
{
  const struct sframe_registers *registers;
  uint64_t cfa;
};

static inline uint64_t
register_of (const struct machine *machine, uint64_t number)
{
  return (number < SFRAME_MACHINE_REGISTERS
	  ? machine->registers->value[number] : machine->registers->pc);
}

/* Apply the operation ATOM to the top values of a stack, of which *TOP is the
   last.  Return the new top, null if this file does not know it.  */
static inline uint64_t *
binary (uint64_t *top, unsigned int atom)
{
  uint64_t b = *top--, a = *top;

  switch (atom)
    {
    case DW_OP_plus: *top = a + b; return top;
    case DW_OP_minus: *top = a - b; return top;
    case DW_OP_mul: *top = a * b; return top;
    case DW_OP_and: *top = a & b; return top;
    case DW_OP_or: *top = a | b; return top;
    case DW_OP_shl: *top = a << (b & 63); return top;
    case DW_OP_shr: *top = a >> (b & 63); return top;
    case DW_OP_ge: *top = (int64_t) a >= (int64_t) b; return top;
    case DW_OP_lt: *top = (int64_t) a < (int64_t) b; return top;
    default:
      printf ("libdw's operation %#x is not computed here\n", atom);
      return NULL;
    }
}

/* Evaluate COUNT operations.  A result is an address in memory unless the
   operations say otherwise.  */
static inline enum told
compute (const struct machine *machine, const Dwarf_Op *ops, size_t count,
	 bool is_place, uint64_t *value)
{
  uint64_t values[64] = { 0 }, *top = values;

  if (count == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
    {
      *value = register_of (machine, ops[0].atom - DW_OP_reg0);
      return told_value;
    }
  if (count == 1 && ops[0].atom == DW_OP_regx)
    {
      *value = register_of (machine, ops[0].number);
      return told_value;
    }
  for (size_t i = 0; i < count && top != NULL && top < values + 62; ++i)
    {
      unsigned int atom = ops[i].atom;
      if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
	*++top = register_of (machine, atom - DW_OP_breg0) + ops[i].number;
      else if (atom == DW_OP_bregx)
	*++top = register_of (machine, ops[i].number) + ops[i].number2;
      else if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
	*++top = atom - DW_OP_lit0;
      else if (atom >= DW_OP_const1u && atom <= DW_OP_consts)
	*++top = ops[i].number;
      else if (atom == DW_OP_call_frame_cfa)
	*++top = machine->cfa;
      else if (atom == DW_OP_plus_uconst)
	*top += ops[i].number;
      else if (atom == DW_OP_deref)
	*top = word_at (*top);
      else if (atom == DW_OP_drop)
	--top;
      else if (atom == DW_OP_stack_value)
	is_place = false;
      else
	top = binary (top, atom);
    }
  if (top == NULL || top <= values)
    return told_unevaluated;
  *value = is_place ? word_at (*top) : *top;
  return told_value;
}

static inline enum told
oracle_register (Dwarf_Frame *frame, const struct machine *machine,
		 unsigned int number, uint64_t *value)
{
  Dwarf_Op memory[3], *ops;
  size_t count;

  if (dwarf_frame_register (frame, number, memory, &ops, &count) != 0)
    return told_unevaluated;
  if (count == 0 && ops == memory)
    return told_undefined;
  if (count == 0)
    {
      *value = register_of (machine, number);
      return told_unchanged;
    }
  return compute (machine, ops, count, true, value);
}

/* Whether register NUMBER has a rule at an offset from FP that is outside of
   the frame: at the last instructions of a function that has realigned the
   stack, when SP is above the saved registers.  Then the registers are already
   the caller's, whatever the CFI says.  */
static inline bool
is_restored (Dwarf_Frame *frame, const struct machine *machine,
	     unsigned int number)
{
  const uint64_t *values = machine->registers->value;
  Dwarf_Op memory[3], *ops;
  size_t count;

  return (dwarf_frame_register (frame, number, memory, &ops, &count) == 0
	  && count == 2 && ops[0].atom == DW_OP_call_frame_cfa
	  && ops[1].atom == DW_OP_breg0 + SFRAME_MACHINE_FP
	  && (values[SFRAME_MACHINE_FP] + ops[1].number
	      - values[SFRAME_MACHINE_SP]
	      >= machine->cfa - values[SFRAME_MACHINE_SP]));
}

/* libdw adds rules of the ABI where a table has none, but uses the number of
   RAX for RBX.  */
static inline enum told
corrected (enum told told, unsigned int number __attribute__ ((unused)))
{
#ifdef __x86_64__
  if (told == told_unchanged && number == 0)
    return told_undefined;
  if (told == told_undefined && number == 3)
    return told_unchanged;
#endif
  return told;
}

/* The caller's value of register NUMBER, for which there is no rule.  On s390x
   the CFA is 160 bytes above the caller's SP: where another register gives the
   CFA, SP may have been lowered.  */
static inline uint64_t
unchanged (Dwarf_Frame *frame __attribute__ ((unused)),
	   const struct machine *machine, unsigned int number)
{
#ifdef __s390x__
  Dwarf_Op *ops;
  size_t count;

  if (number == 15 && dwarf_frame_cfa (frame, &ops, &count) == 0
      && count > 0 && ops[0].atom != DW_OP_breg15)
    return machine->cfa - 160;
#endif
  return machine->registers->value[number];
}

#endif /* LIBDW_ROW_H  */
