/* Test what only AArch64 has: signed return addresses, PLT stubs, calls.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Instructions are given as numbers from Arm's manual, and not taken from
   sframe-machine.h.  The processor, or its emulator, must sign addresses.  */

#include <sframe-eh-step.h>
#include <sframe-machine.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

/* All words of the stack can be read.  */
bool
__sframe_stack_find (struct sframe_stack *stack, uintptr_t address)
{
  stack->current = (struct sframe_range) { address, address + 8 };
  return true;
}

bool
__sframe_same_stack (const struct sframe_stack *stack, uintptr_t a,
		     uintptr_t b)
{
  return true;
}

void
__sframe_stack_check (struct sframe_stack *stack, uintptr_t address)
{
}

/* ADDRESS as paciasp or pacibsp signs it.  */
static uintptr_t
sign (uintptr_t address, bool key_b)
{
  register uintptr_t lr asm ("x30") = address;

  if (key_b)
    asm volatile ("hint #27" : "+r" (lr));
  else
    asm volatile ("hint #25" : "+r" (lr));
  return lr;
}

static void
signatures (void)
{
  const uintptr_t plain[]
    = { 0, 4, 0x400000, 0x7ffff7fff000, (uintptr_t) signatures };
  unsigned int changed = 0;

  for (size_t i = 0; i < sizeof plain / sizeof plain[0]; ++i)
    for (int key_b = 0; key_b < 2; ++key_b)
      {
	uintptr_t signed_one = sign (plain[i], key_b);
	changed += signed_one != plain[i];
	CHECK (sframe_strip (signed_one) == plain[i]);
	CHECK (sframe_strip (plain[i]) == plain[i]);
      }
  CHECK (changed > 0);
}

/* A frame of 32 bytes whose record is at its start.  */
static uintptr_t frame[6];
static uintptr_t ra;

static void
fill_frame (struct sframe_registers *registers)
{
  ra = (uintptr_t) fill_frame + 8;
  frame[0] = 4711;
  frame[1] = sign (ra, false);
  CHECK (frame[1] != ra);
  memset (registers, 0, sizeof *registers);
  registers->value[31] = (uintptr_t) frame;
  registers->value[29] = (uintptr_t) frame;
  registers->known = UINT64_C (1) << 31 | UINT64_C (1) << 29;
}

static void
check_caller (const struct sframe_registers *registers)
{
  CHECK (registers->pc == ra);
  CHECK (registers->value[31] == (uintptr_t) (frame + 4));
  CHECK (registers->value[29] == 4711);
}

static void
step_by_sframe (void)
{
  struct sframe_registers registers;
  struct sframe_stack stack = { .doubt = sframe_ask_nothing };
  struct sframe_rule rule
    = { .cfa = { .kind = SFRAME_REGISTER_VALUE, .reg = 31, .offset = 32 },
	.ra = { .kind = SFRAME_CFA_MEMORY, .offset = -24 },
	.fp = { .kind = SFRAME_CFA_MEMORY, .offset = -32 } };

  fill_frame (&registers);
  CHECK (__sframe_step (&registers, &rule, &stack) == SFRAME_STEP_CALLER);
  check_caller (&registers);
  /* In a leaf that a signal has interrupted after paciasp.  */
  fill_frame (&registers);
  registers.known = UINT32_MAX;
  registers.interrupted = true;
  registers.value[30] = frame[1];
  rule.ra.kind = SFRAME_UNCHANGED;
  CHECK (__sframe_step (&registers, &rule, &stack) == SFRAME_STEP_CALLER);
  check_caller (&registers);
}

/* A CIE and an FDE for 64 bytes of code, and the table for them.  */
struct entry_bytes
{
  unsigned char header[4];
  int32_t eh_frame;
  uint32_t count;
  int32_t start, fde;
  uint32_t cie_length, cie_id;
  unsigned char version;
  char augmentation[4];
  unsigned char factors[3], augmentation_size, encoding;
  unsigned char initial[6];
  uint32_t fde_length, cie_pointer;
  uint64_t code, size;
  unsigned char fde_augmentation, program[15];
} __attribute__ ((packed));

static struct entry_bytes entry_bytes =
  {
    .header = { 1, 0x1b, 3, 0x3b },
    .count = 1,
    .cie_length = offsetof (struct entry_bytes, fde_length)
		  - offsetof (struct entry_bytes, cie_id),
    .version = 1,
    .factors = { 4, 0x78, 30 },
    .augmentation_size = 1,
    /* def_cfa SP, 32; X29 at CFA - 32; X30 at CFA - 24.  */
    .initial = { 0xc, 31, 32, 0x80 | 29, 4 },
    .fde_length = (sizeof entry_bytes
		   - offsetof (struct entry_bytes, cie_pointer)),
    .cie_pointer = offsetof (struct entry_bytes, cie_pointer)
		   - offsetof (struct entry_bytes, cie_length),
    .size = 64,
  };

/* Step from a frame at byte PC of the code.  */
static enum sframe_eh_status
step_by_eh (const char *augmentation, const unsigned char *program,
	    size_t size, uintptr_t pc, struct sframe_registers *registers)
{
  struct sframe_stack stack = { .doubt = sframe_ask_nothing };
  const unsigned char *start = (const unsigned char *) &entry_bytes;
  struct sframe_eh_table table
    = { .header = start, .header_size = sizeof entry_bytes,
	.memory = { start, start + sizeof entry_bytes } };
  struct sframe_eh_entry entry;
  struct sframe_eh_row row;

  entry_bytes.code = (uintptr_t) start + 4096;
  entry_bytes.start = 4096;
  entry_bytes.fde = offsetof (struct entry_bytes, fde_length);
  memcpy (entry_bytes.augmentation, augmentation, 4);
  memset (entry_bytes.program, 0, sizeof entry_bytes.program);
  memcpy (entry_bytes.program, program, size);
  fill_frame (registers);
  registers->pc = entry_bytes.code + pc;
  enum sframe_eh_status status
    = __sframe_eh_find (&table, registers->pc, &entry);
  if (status == SFRAME_EH_OK)
    status = __sframe_eh_find_row (&entry, registers->pc, &row);
  if (status == SFRAME_EH_OK)
    status = __sframe_eh_step (registers, &entry, &row, &stack);
  return status;
}

/* Augmentations B (key B) and G (memory tags), and the two instructions that
   change the state of the return address.  */
static void
steps_by_eh_frame (void)
{
  static const unsigned char
    program[] = { 0x40 | 1, 0x2d, 0x40 | 1, 0x2c, 0x80 | 30, 3 },
    unknown[] = { 0x80 | 30, 3, 0x2b };
  static const char augmentations[][4] = { "zRB", "zRG" };
  struct sframe_registers registers;

  for (size_t i = 0; i < 2; ++i)
    {
      CHECK (step_by_eh (augmentations[i], program, sizeof program, 12,
			 &registers) == SFRAME_EH_OK);
      check_caller (&registers);
      CHECK (step_by_eh (augmentations[i], unknown, sizeof unknown, 12,
			 &registers) == SFRAME_EH_NOT_UNDERSTOOD);
    }
  CHECK (step_by_eh ("zRQ", program, sizeof program, 12, &registers)
	 == SFRAME_EH_NOT_UNDERSTOOD);
}

enum { BTI = 0xd503245f, PUSH = 0xa9bf7bf0, ADRP = 0xb0000090,
       LDR = 0xf947fe11, ADD = 0x913fe210, AUT = 0xd503219f, BR = 0xd61f0220,
       NOP = 0xd503201f, RET = 0xd65f03c0 };

/* Check that the COUNT instructions of STUB, among others, are taken for a
   stub, which has pushed PUSHED bytes from instruction PUSHED_FROM on.  */
static void
check_stub (const uint32_t *stub, size_t count, size_t pushed_from)
{
  uint32_t code[32];

  for (size_t i = 0; i < 32; ++i)
    code[i] = RET;
  memcpy (code + 8, stub, count * sizeof *stub);
  for (size_t i = 7; i < 32 - 8; ++i)
    {
      bool inside = i >= 8 && i < 8 + count;
      int pushed = sframe_stub ((const unsigned char *) (code + i));
      CHECK (pushed == (!inside ? -1 : i - 8 < pushed_from ? 0 : 16));
    }
}

#define CHECK_STUB(pushed_from, ...)					\
  check_stub ((const uint32_t[]) { __VA_ARGS__ },			\
	      sizeof ((const uint32_t[]) { __VA_ARGS__ }) / 4, pushed_from)

/* The forms of GNU ld: plain, with BTI, with signed pointers, with both.  */
static void
stubs (void)
{
  CHECK_STUB (99, ADRP, LDR, ADD, BR);
  CHECK_STUB (99, BTI, ADRP, LDR, ADD, BR);
  CHECK_STUB (99, ADRP, LDR, ADD, AUT, BR);
  CHECK_STUB (99, BTI, ADRP, LDR, ADD, AUT, BR);
  CHECK_STUB (99, ADRP, LDR, NOP, BR);
  CHECK_STUB (99, BTI, ADRP, LDR, NOP, AUT, BR);
  CHECK_STUB (1, PUSH, ADRP, LDR, ADD, BR);
  CHECK_STUB (2, BTI, PUSH, ADRP, LDR, ADD, BR);
}

/* Neighbours, and pieces that are no stubs.  */
static void
no_stubs (void)
{
  const uint32_t pieces[][5]
    = { { ADRP, LDR, ADD, RET }, { LDR, ADD, BR }, { ADRP, ADD, BR },
	{ BTI, PUSH, BR }, { ADRP, LDR, NOP, ADD, BR } };
  const uint32_t two[] = { PUSH, ADRP, LDR, ADD, BR, NOP, NOP, NOP, ADRP, LDR,
			   ADD, BR, ADRP, LDR, ADD, BR };
  uint32_t code[32] = { 0 };

  for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; ++i)
    {
      memcpy (code + 8, pieces[i], sizeof pieces[i]);
      for (size_t j = 8; j < 12; ++j)
	CHECK (sframe_stub ((const unsigned char *) (code + j)) == -1);
    }
  memcpy (code + 8, two, sizeof two);
  CHECK (sframe_stub ((const unsigned char *) (code + 12)) == 16);
  CHECK (sframe_stub ((const unsigned char *) (code + 13)) == -1);
  for (size_t j = 16; j < 24; ++j)
    CHECK (sframe_stub ((const unsigned char *) (code + j)) == 0);
}

/* What sframe_call_before says of WORD before a return address, for PC.  */
static enum sframe_call
call (uint32_t word, uintptr_t pc, const struct sframe_registers *registers)
{
  static uint32_t code[2];

  code[0] = word;
  return sframe_call_before ((const unsigned char *) (code + 1), 4,
			     pc == 0 ? (uintptr_t) code + 16 : pc, registers,
			     NULL);
}

static void
calls (void)
{
  struct sframe_registers registers = { .value = { [17] = 0x123450 } };

  /* bl . + 16, . - 16; b . + 16.  */
  CHECK (call (0x94000004, 0, &registers) == SFRAME_CALL_TO_PC);
  CHECK (call (0x94000005, 0, &registers) == SFRAME_CALL_SOMEWHERE);
  CHECK (call (0x97fffffc, 0, &registers) == SFRAME_CALL_SOMEWHERE);
  CHECK (call (0x14000004, 0, &registers) == SFRAME_CALL_NONE);
  /* blr x17, blraaz x17, blrab x17, x3; br x17, braa x17, x3, ret.  */
  CHECK (call (0xd63f0220, 0x123450, &registers) == SFRAME_CALL_TO_PC);
  CHECK (call (0xd63f0220, 0x123454, &registers) == SFRAME_CALL_SOMEWHERE);
  CHECK (call (0xd63f0a3f, 0x123450, &registers) == SFRAME_CALL_TO_PC);
  CHECK (call (0xd73f0e23, 0x123450, &registers) == SFRAME_CALL_TO_PC);
  registers.value[17] = sign (0x123450, false);
  CHECK (call (0xd63f0a3f, 0x123450, &registers) == SFRAME_CALL_TO_PC);
  CHECK (call (0xd61f0220, 0x123450, &registers) == SFRAME_CALL_NONE);
  CHECK (call (0xd71f0a23, 0x123450, &registers) == SFRAME_CALL_NONE);
  CHECK (call (RET, 0x123450, &registers) == SFRAME_CALL_NONE);
  /* Too few bytes, and a return address that is none.  */
  static const uint32_t code[] = { 0x94000004, 0x94000004, 0 };
  CHECK (sframe_call_before ((const unsigned char *) (code + 1), 3, 0,
			     &registers, NULL) == SFRAME_CALL_NONE);
  CHECK (sframe_call_before ((const unsigned char *) (code + 1) + 2, 4, 0,
			     &registers, NULL) == SFRAME_CALL_NONE);
}

int
main (void)
{
  static const struct test_case cases[] =
    {
      { "signatures", signatures },
      { "a step by SFrame to a signed return address", step_by_sframe },
      { "steps by .eh_frame", steps_by_eh_frame },
      { "PLT stubs", stubs },
      { "what is no PLT stub", no_stubs },
      { "calls", calls },
    };

  return run_cases (cases, sizeof cases / sizeof cases[0]);
}
