/* Decode the call instruction before a return address on x86-64.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe; operands in memory are read through
   sframe-stack.h, and only those bytes of code that the caller has found
   readable.

   x86 code cannot be decoded backwards without doubt: the end of another
   instruction may look like a call.

   Document: Intel's manual, volume 2, "ModR/M and SIB Bytes".  */

#ifndef _SFRAME_CALL_H
#define _SFRAME_CALL_H

#include <sframe-step.h>
#include <string.h>

/* A REX prefix, the opcode, a ModRM byte, a SIB byte and a displacement.  */
#define SFRAME_MACHINE_CALL_SIZE 8
#define SFRAME_MACHINE_CALL_SIZE_MIN 2

/* The opcode of a direct call, and its size with the displacement.  */
#define SFRAME_DIRECT_CALL 0xe8
#define SFRAME_DIRECT_CALL_SIZE 5

/* The size of int3, with which some linkers fill gaps: when it traps, PC is
   already that of the next byte.  */
#define SFRAME_TRAP_SIZE 1

#define SFRAME_REX_B 1
#define SFRAME_REX_X 2

static inline bool
sframe_is_target (uintptr_t target, uintptr_t pc)
{
  return target == pc || target + SFRAME_TRAP_SIZE == pc;
}

/* Whether the SIZE bytes at CODE, at least two, are an indirect call, without
   a prefix.  */
static inline bool
sframe_is_indirect_call (const unsigned char *code, unsigned int size)
{
  unsigned int mod = code[1] >> 6, rm = code[1] & 7;
  unsigned int head = mod != 3 && rm == 4 ? 3 : 2;

  if (code[0] != 0xff || (code[1] >> 3 & 7) != 2 || size < head)
    return false;
  if (mod == 3)
    return size == head;
  if (mod == 0)
    return size == head + (rm == 5 || (rm == 4 && (code[2] & 7) == 5) ? 4 : 0);
  return size == head + (mod == 1 ? 1 : 4);
}

/* The displacement of SIZE bytes (0, 1 or 4) before RA.  */
static inline intptr_t
sframe_displacement (const unsigned char *ra, unsigned int size)
{
  int32_t word;

  if (size == 0)
    return 0;
  if (size == 1)
    return (signed char) ra[-1];
  memcpy (&word, ra - sizeof word, sizeof word);
  return word;
}

/* The value of the register with NUMBER in machine code, before the call
   pushed the return address.  */
static inline uintptr_t
sframe_call_register (const struct sframe_registers *registers,
		      unsigned int number)
{
  /* DWARF numbers the first eight registers in another order.  */
  static const unsigned char dwarf[] = { 0, 2, 1, 3, 7, 6, 4, 5 };

  if (number == 4)
    return registers->value[dwarf[number]] + sizeof (uintptr_t);
  return registers->value[number < sizeof dwarf ? dwarf[number] : number];
}

/* The address of the memory operand of the indirect call of SIZE bytes before
   RA with the prefix REX.  */
static inline uintptr_t
sframe_call_address (const unsigned char *ra, unsigned int size,
		     unsigned int rex,
		     const struct sframe_registers *registers)
{
  const unsigned char *code = ra - size;
  unsigned int mod = code[1] >> 6, base = code[1] & 7;
  bool sib = base == 4;
  intptr_t address = sframe_displacement (ra, size - 2 - sib);

  if (sib)
    {
      unsigned int index
	= (code[2] >> 3 & 7) + ((rex & SFRAME_REX_X) != 0 ? 8 : 0);
      /* The number of SP means no index.  */
      if (index != 4)
	address += sframe_call_register (registers, index) << (code[2] >> 6);
      base = code[2] & 7;
    }
  if (mod == 0 && base == 5)
    return sib ? address : (uintptr_t) ra + address;
  if ((rex & SFRAME_REX_B) != 0)
    base += 8;
  return address + sframe_call_register (registers, base);
}

/* Whether the indirect call of SIZE bytes before RA with the prefix REX calls
   PC.  */
static inline bool
sframe_indirect_call_to (const unsigned char *ra, unsigned int size,
			 unsigned int rex,
			 const struct sframe_registers *registers,
			 struct sframe_stack *stack, uintptr_t pc)
{
  unsigned int modrm = ra[1 - (int) size];
  uintptr_t target;

  if (modrm >> 6 == 3)
    target = sframe_call_register (registers, (modrm & 7)
				   + ((rex & SFRAME_REX_B) != 0 ? 8 : 0));
  else if (!__sframe_stack_read (stack, sframe_call_address (ra, size, rex,
							     registers),
				 &target))
    return false;
  return sframe_is_target (target, pc);
}

/* Described in sysdeps/generic/sframe-machine.h.  */
static inline enum sframe_call
sframe_call_before (const unsigned char *ra, size_t available, uintptr_t pc,
		    const struct sframe_registers *registers,
		    struct sframe_stack *stack)
{
  enum sframe_call found = SFRAME_CALL_NONE;

  if (available >= SFRAME_DIRECT_CALL_SIZE
      && ra[-SFRAME_DIRECT_CALL_SIZE] == SFRAME_DIRECT_CALL)
    {
      if (sframe_is_target ((uintptr_t) ra + sframe_displacement (ra, 4), pc))
	return SFRAME_CALL_TO_PC;
      found = SFRAME_CALL_SOMEWHERE;
    }
  for (unsigned int size = SFRAME_MACHINE_CALL_SIZE_MIN;
       size < SFRAME_MACHINE_CALL_SIZE && size <= available; ++size)
    if (sframe_is_indirect_call (ra - size, size))
      {
	/* The byte before may be a REX prefix or the end of another
	   instruction.  */
	unsigned int rex = size < available ? ra[-1 - (int) size] : 0;
	if (sframe_indirect_call_to (ra, size, 0, registers, stack, pc)
	    || (rex >> 4 == 4
		&& sframe_indirect_call_to (ra, size, rex, registers, stack,
					    pc)))
	  return SFRAME_CALL_TO_PC;
	found = SFRAME_CALL_SOMEWHERE;
      }
  return found;
}

#endif /* _SFRAME_CALL_H  */
