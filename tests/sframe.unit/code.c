/* Steps by the code at the PC, on a simulated machine with simulated objects.

   SPDX-License-Identifier: LGPL-2.1-or-later

   A table has the instructions of the machine.  The test records which bytes
   of code are read, and whether they may be read.  Expected results are those
   of debug/sframe-code.h.  */

#include <stdint.h>

#include <sframe-code.h>
#include <sframe-machine.h>
#include <sframe-system.h>

#include "check.h"

enum { PAGE = 4096, TEXT = 2 * PAGE, LOOK = 16 };
enum { NEXT_PC = 0x1234, FOUND_SP = 3, SIGNAL_PC = 0x4321 };

/* The first object is mapped here, with its code between two other segments.
   The second object begins with its code.  */
static const uintptr_t bias = 0x40000000, text = 0x40001000;
static const uintptr_t other = 0x50000000;

static const ElfW(Phdr) headers[] = {
  { .p_type = PT_LOAD, .p_flags = PF_R, .p_vaddr = 0, .p_memsz = PAGE },
  { .p_type = PT_NOTE, .p_flags = PF_R | PF_X, .p_vaddr = 0x8000,
    .p_memsz = PAGE },
  { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = 0x1000,
    .p_memsz = TEXT },
  { .p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_vaddr = 0x3000,
    .p_memsz = PAGE },
  /* Beyond the last one.  */
  { .p_type = PT_LOAD, .p_flags = PF_X, .p_vaddr = 0x9000, .p_memsz = PAGE },
};
/* The return address of a wild call is in the middle of its code.  */
static const sframe_module caller
  = { .headers = headers + 2, .count = 1, .bias = NEXT_PC - 0x1100 };
static const sframe_module object
  = { .headers = headers, .count = 4, .bias = bias };
static const sframe_module second
  = { .headers = headers + 2, .count = 1, .bias = other };
/* The object that contains the signal trampoline.  */
static const sframe_module *signal_object;

static struct sframe_registers registers;
static struct sframe_stack stack;

/* Code that cannot be read, although the program headers permit it.  */
static uintptr_t dark_from, dark_to;
/* The addresses of the kinds of code, the kind of call before a return
   address, and the bytes that were read last.  */
static uintptr_t own, trampoline, stub, start, entry;
/* What sframe_stub has told.  */
static int pushed;
static enum sframe_call call;
static uintptr_t looked_at;
static size_t looked_size, asked_size;
static uintptr_t asked_at;
static unsigned int steps, asked;
static enum sframe_step_status step_status;
static uintptr_t next_sp;
static bool is_signal_frame;

/* The target of the simulated call, and the address of the last lookup of an
   object.  */
static uintptr_t called, looked_up;
static const sframe_module *found_object;

bool
__sframe_readable (uintptr_t address, size_t size, bool *checked)
{
  CHECK (checked == &stack.checked);
  ++asked;
  asked_size = size;
  asked_at = address;
  return address >= dark_to || address + size <= dark_from;
}

/* SP is in a range that is known.  */
bool
__sframe_stack_find (struct sframe_stack *where, uintptr_t address)
{
  return false;
}

static void
look (const unsigned char *code, size_t size)
{
  looked_at = (uintptr_t) code;
  looked_size = size;
}

void
sframe_call_rule (struct sframe_rule *rule)
{
  *rule = (struct sframe_rule) { .cfa.offset = 4711 };
}

enum sframe_step_status
__sframe_step (struct sframe_registers *from, const struct sframe_rule *rule,
	       struct sframe_stack *where)
{
  CHECK (from == &registers && where == &stack
	 && rule->cfa.offset == 4711 + pushed);
  ++steps;
  from->pc = NEXT_PC;
  return step_status;
}

int
sframe_stub (const unsigned char *code)
{
  look (code - SFRAME_MACHINE_STUB_SIZE, 2 * SFRAME_MACHINE_STUB_SIZE);
  if ((uintptr_t) code != stub)
    return -1;
  return pushed = code - (const unsigned char *) text;
}

unsigned int
sframe_find_sp (const unsigned char *code, size_t size)
{
  look (code, size);
  return FOUND_SP;
}

bool
sframe_entry_return (const unsigned char *code)
{
  look (code, SFRAME_MACHINE_CODE_ALIGN);
  return (uintptr_t) code == entry;
}

enum sframe_call
sframe_call_before (const unsigned char *ra, size_t available, uintptr_t pc,
		    const struct sframe_registers *of,
		    struct sframe_stack *where)
{
  look (ra - available, available);
  called = pc;
  CHECK (of->pc == pc && where == &stack);
  return call;
}

const sframe_module *
sframe_module_find (uintptr_t pc, const void **eh_header)
{
  looked_up = pc;
  return found_object;
}

bool
sframe_module_starts (const sframe_module *module, uintptr_t pc, size_t size)
{
  return module == &object && pc - start < size;
}

bool
sframe_own_trampoline (uintptr_t pc)
{
  return pc == own;
}

bool
sframe_signal_trampoline (const unsigned char *code)
{
  look (code, SFRAME_SIGNAL_TRAMPOLINE_SIZE);
  return (uintptr_t) code == trampoline;
}

bool
sframe_signal_frame (uintptr_t sp, struct sframe_stack *where)
{
  CHECK (sp == registers.value[SFRAME_MACHINE_SP] && where == &stack);
  return is_signal_frame;
}

bool
sframe_signal_object (const sframe_module *module)
{
  return module == signal_object;
}

enum sframe_step_status
sframe_signal_step (struct sframe_registers *from, struct sframe_stack *where)
{
  ++steps;
  from->pc = SIGNAL_PC;
  from->value[SFRAME_MACHINE_SP] = next_sp;
  return step_status;
}

/* Be at PC, with nothing special there, all code readable, and nothing looked
   at.  */
static void
be_at (uintptr_t pc)
{
  registers = (struct sframe_registers) { .pc = pc, .interrupted = true };
  registers.value[SFRAME_MACHINE_SP] = 0x7000;
  next_sp = 0x7100;
  stack = (struct sframe_stack) { .doubt = sframe_ask_nothing };
  dark_from = dark_to = 0;
  own = trampoline = stub = start = entry = -1;
  pushed = 0;
  looked_at = looked_size = asked_size = steps = asked = 0;
  looked_up = called = 0;
  found_object = &object;
  call = SFRAME_CALL_NONE;
  step_status = SFRAME_STEP_CALLER;
  is_signal_frame = false;
}

/* Code from FROM up to TO cannot be read.  */
static void
darken (uintptr_t from, uintptr_t to)
{
  dark_from = from;
  dark_to = to;
}

static bool
saw (uintptr_t at, size_t size)
{
  return looked_at == at && looked_size == size;
}

/* Whether the step was refused without any change.  */
static bool
stayed (uintptr_t pc)
{
  return steps == 0 && registers.pc == pc && looked_size == 0;
}

static void
what_is_code (void)
{
  CHECK (__sframe_is_code (&object, text)
	 && __sframe_is_code (&object, text + TEXT - 1));
  CHECK (!__sframe_is_code (&object, text - 1)
	 && !__sframe_is_code (&object, text + TEXT));
  CHECK (!__sframe_is_code (&object, bias)
	 && !__sframe_is_code (&object, bias + 0x8000)
	 && !__sframe_is_code (&object, bias + 0x9000));
  CHECK (!__sframe_is_code (&object, text - bias));
  CHECK (__sframe_is_code (&second, other + 0x1000)
	 && !__sframe_is_code (&second, other + 0x1000 + TEXT));
}

static bool
trampoline_at (const sframe_module *module, uintptr_t pc)
{
  trampoline = pc;
  return (__sframe_step_trampoline (module, &registers, &stack)
	  == SFRAME_STEP_CALLER);
}

static void
a_trampoline_in_an_object (void)
{
  be_at (text + 8);
  CHECK (trampoline_at (&object, text + 8) && steps == 1);
  CHECK (registers.pc == SIGNAL_PC && saw (text + 8, 4) && asked == 1
	 && asked_size == 4);
  be_at (text + 8);
  CHECK (!trampoline_at (&object, text + 9) && saw (text + 8, 4));
  CHECK (steps == 0 && registers.pc == text + 8);
  be_at (text + TEXT - 4);
  CHECK (trampoline_at (&object, text + TEXT - 4));
  be_at (text + TEXT - 3);
  CHECK (!trampoline_at (&object, text + TEXT - 3)
	 && stayed (text + TEXT - 3));
  be_at (text - 1);
  CHECK (!trampoline_at (&object, text - 1) && stayed (text - 1));
  be_at (text + 8);
  darken (text, text + 9);
  CHECK (!trampoline_at (&object, text + 8) && stayed (text + 8));
}

/* Its code can always be read.  */
static void
a_trampoline_in_the_vdso (void)
{
  signal_object = &object;
  be_at (text + 8);
  CHECK (trampoline_at (&object, text + 8) && asked == 0);
  be_at (text + TEXT);
  CHECK (!trampoline_at (&object, text + TEXT) && stayed (text + TEXT));
  be_at (text + TEXT - 3);
  CHECK (!trampoline_at (&object, text + TEXT - 3)
	 && stayed (text + TEXT - 3));
  be_at (text + 8);
  CHECK (!trampoline_at (&object, 0) && saw (text + 8, 4) && steps == 0);
}

static void
the_own_trampoline (void)
{
  be_at (text + 8);
  own = text + 8;
  CHECK (__sframe_step_trampoline (NULL, &registers, &stack)
	 == SFRAME_STEP_CALLER);
  CHECK (steps == 1 && asked == 0 && looked_size == 0);
}

/* Outside of all objects a trampoline lies within a readable word of the
   signal frame.  */
static void
a_trampoline_on_the_stack (void)
{
  static const uintptr_t word[3];
  const uintptr_t at = (uintptr_t) &word[1];

  for (unsigned int i = 0; i < sizeof *word; ++i)
    {
      be_at (at + i);
      is_signal_frame = true;
      stack.current = (struct sframe_range) { at, at + sizeof *word };
      bool fits = i + SFRAME_SIGNAL_TRAMPOLINE_SIZE <= sizeof *word;
      CHECK (trampoline_at (NULL, at + i) == fits);
      CHECK (fits ? saw (at + i, 4) : stayed (at + i));
      CHECK (asked == 0);
    }
  be_at (at);
  stack.current = (struct sframe_range) { at, at + sizeof *word };
  CHECK (!trampoline_at (NULL, at) && stayed (at));
  is_signal_frame = true;
  stack.current.low += sizeof *word;
  CHECK (!trampoline_at (NULL, at) && stayed (at));
}

/* A step that leaves SP where it was would be made for ever.  */
static void
a_trampoline_that_leads_nowhere (void)
{
  be_at (text);
  own = text;
  next_sp = registers.value[SFRAME_MACHINE_SP];
  CHECK (__sframe_step_trampoline (NULL, &registers, &stack)
	 == SFRAME_STEP_BROKEN);
  be_at (text);
  own = text;
  step_status = SFRAME_STEP_UNKNOWN;
  CHECK (__sframe_step_trampoline (NULL, &registers, &stack)
	 == SFRAME_STEP_UNKNOWN);
}

static void
the_start_of_the_program (void)
{
  be_at (text + 20);
  start = text;
  entry = text + 20;
  CHECK (__sframe_is_start (&object, &registers, &stack));
  CHECK (saw (text + 20, 2) && asked == 1 && asked_size == 2);
  CHECK (!__sframe_is_start (&second, &registers, &stack));
  start = text + 20 - SFRAME_MACHINE_ENTRY_SIZE;
  CHECK (!__sframe_is_start (&object, &registers, &stack));
  start = text;
  entry = text + 22;
  CHECK (!__sframe_is_start (&object, &registers, &stack));
  entry = text + 20;
  looked_size = 0;
  darken (text, text + PAGE);
  CHECK (!__sframe_is_start (&object, &registers, &stack) && looked_size == 0);
  registers.pc = text + TEXT;
  start = entry = text + TEXT;
  CHECK (!__sframe_is_start (&object, &registers, &stack) && looked_size == 0);
}

static enum sframe_step_status
step_stub (void)
{
  return __sframe_step_stub (&object, &registers, &stack);
}

static void
a_stub (void)
{
  const uintptr_t first = text + SFRAME_MACHINE_STUB_SIZE;
  const uintptr_t last = text + TEXT - SFRAME_MACHINE_STUB_SIZE;

  for (uintptr_t pc = first - 1; pc <= last + 1; ++pc)
    {
      bool inside = pc >= first && pc <= last;
      be_at (pc);
      stub = pc;
      CHECK (step_stub () == (inside ? SFRAME_STEP_CALLER
			      : SFRAME_STEP_NO_RULE));
      CHECK (inside ? registers.pc == NEXT_PC && steps == 1 : stayed (pc));
    }
  be_at (first);
  CHECK (step_stub () == SFRAME_STEP_NO_RULE && steps == 0);
  CHECK (saw (text, 2 * SFRAME_MACHINE_STUB_SIZE));
  be_at (first);
  stub = first;
  registers.interrupted = false;
  CHECK (step_stub () == SFRAME_STEP_NO_RULE && stayed (first));
  be_at (first);
  stub = first;
  step_status = SFRAME_STEP_BROKEN;
  CHECK (step_stub () == SFRAME_STEP_BROKEN);
  be_at (first);
  stub = first;
  darken (text + 2 * SFRAME_MACHINE_STUB_SIZE - 1, text + PAGE);
  CHECK (step_stub () == SFRAME_STEP_NO_RULE && stayed (first));
}

/* Where the code ends soon, half of it is looked at, and half of that.  */
static void
a_cfa_that_is_corrected (void)
{
  for (unsigned int left = 0; left <= SFRAME_MACHINE_SP_LOOK; ++left)
    {
      struct sframe_rule rule = { .cfa.reg = 2 };
      size_t size = SFRAME_MACHINE_SP_LOOK;
      while (size > left)
	size /= 2;
      be_at (text + TEXT - left);
      CHECK (__sframe_correct_cfa (&object, &registers, &stack, &rule) == (size > 0));
      CHECK (rule.cfa.reg == (size > 0 ? FOUND_SP : 2));
      CHECK (saw (size > 0 ? text + TEXT - left : 0, size));
    }
  struct sframe_rule rule = { .cfa.reg = 2 };
  be_at (text);
  darken (text, text + PAGE);
  CHECK (!__sframe_correct_cfa (&object, &registers, &stack, &rule));
  CHECK (rule.cfa.reg == 2 && looked_size == 0);
}

static bool
follows_call (uintptr_t pc)
{
  return __sframe_follows_call (pc, &registers, &stack);
}

/* The PC may be the first byte of another object.  */
static void
after_a_call (void)
{
  be_at (0x4711);
  CHECK (!follows_call (text + 100) && looked_up == text + 99);
  CHECK (saw (text + 100 - SFRAME_MACHINE_CALL_SIZE,
	      SFRAME_MACHINE_CALL_SIZE) && called == 0x4711);
  call = SFRAME_CALL_SOMEWHERE;
  CHECK (follows_call (text + 100));
  call = SFRAME_CALL_TO_PC;
  CHECK (follows_call (text + 100));
  CHECK (follows_call (text + TEXT)
	 && saw (text + TEXT - SFRAME_MACHINE_CALL_SIZE,
		 SFRAME_MACHINE_CALL_SIZE));
  CHECK (!follows_call (text + TEXT + 1) && !follows_call (text));
  found_object = NULL;
  CHECK (!follows_call (text + 100));
}

/* Near the start of a page, and of the code, there is less to look at.  */
static void
after_a_call_at_the_start_of_a_page (void)
{
  for (unsigned int i = 0; i <= SFRAME_MACHINE_CALL_SIZE + 2; ++i)
    for (int page = 0; page < 2; ++page)
      {
	uintptr_t begin = text + page * PAGE, from = begin;
	be_at (0x4711);
	call = SFRAME_CALL_SOMEWHERE;
	if (page == 1)
	  darken (text, begin);
	if (i > SFRAME_MACHINE_CALL_SIZE)
	  from = begin + i - SFRAME_MACHINE_CALL_SIZE;
	CHECK (follows_call (begin + i) == (i > 0));
	CHECK (i == 0 ? looked_size == 0 : saw (from, begin + i - from));
      }
  be_at (0x4711);
  call = SFRAME_CALL_SOMEWHERE;
  darken (text, text + PAGE);
  CHECK (!follows_call (text + 3) && !follows_call (text + 100));
  /* The bytes after the return address are not read.  */
  darken (text, text + 1);
  CHECK (!follows_call (text + 3) && looked_size == 0);
}

static enum sframe_step_status
wild (enum sframe_call what, bool exactly)
{
  be_at (0x4711);
  found_object = &caller;
  call = what;
  registers.fetch_failed = true;
  enum sframe_step_status status
    = __sframe_step_wild (&registers, &stack, exactly);
  CHECK (steps == 1 && registers.pc == NEXT_PC && !registers.fetch_failed);
  CHECK (called == 0x4711 && looked_up == NEXT_PC - 1);
  return status;
}

static void
a_wild_call (void)
{
  CHECK (wild (SFRAME_CALL_TO_PC, true) == SFRAME_STEP_CALLER);
  CHECK (wild (SFRAME_CALL_TO_PC, false) == SFRAME_STEP_CALLER);
  CHECK (wild (SFRAME_CALL_SOMEWHERE, true) == SFRAME_STEP_BROKEN);
  CHECK (wild (SFRAME_CALL_SOMEWHERE, false) == SFRAME_STEP_CALLER);
  CHECK (wild (SFRAME_CALL_NONE, true) == SFRAME_STEP_BROKEN);
  CHECK (wild (SFRAME_CALL_NONE, false) == SFRAME_STEP_BROKEN);
  be_at (0x4711);
  call = SFRAME_CALL_TO_PC;
  step_status = SFRAME_STEP_UNKNOWN;
  CHECK (__sframe_step_wild (&registers, &stack, false)
	 == SFRAME_STEP_BROKEN);
  CHECK (looked_up == 0);
}

static enum sframe_step_status
foreign (enum sframe_step_status status)
{
  return __sframe_step_foreign (&registers, &stack, status);
}

/* Code that no table describes.  After a fault, and for libgcc, as much of it
   must be readable as an instruction has at most.  */
static void
foreign_code (void)
{
  for (int doubt = sframe_ask_nothing; doubt <= sframe_ask_always; ++doubt)
    for (int i = 0; i < 4; ++i)
      {
	enum sframe_step_status status
	  = i / 2 == 0 ? SFRAME_STEP_FOREIGN : SFRAME_STEP_UNSUPPORTED;
	be_at (text);
	registers.interrupted = i % 2 != 0;
	stack.doubt = doubt;
	bool faulted = registers.interrupted && doubt == sframe_ask_always;
	bool much = faulted || status == SFRAME_STEP_UNSUPPORTED;
	CHECK (foreign (status) == status && asked == 1);
	CHECK (asked_size == (much ? LOOK : 1) && steps == 0);
	/* The call before a return address may be the last instruction.  */
	CHECK (asked_at == text - (!much && !registers.interrupted));
      }
}

static void
foreign_code_that_cannot_be_read (void)
{
  be_at (0x4711);
  darken (0x4711, 0x4712);
  found_object = &caller;
  call = SFRAME_CALL_SOMEWHERE;
  CHECK (foreign (SFRAME_STEP_FOREIGN) == SFRAME_STEP_CALLER && steps == 1);
  be_at (0x4711);
  darken (0x4710, 0x4711);
  registers.interrupted = false;
  CHECK (foreign (SFRAME_STEP_FOREIGN) == SFRAME_STEP_BROKEN && steps == 0);
  /* Only the byte after the call cannot be read, which libgcc does not read if
     it has a table.  */
  be_at (0x4711);
  darken (0x4711, 0x4712);
  registers.interrupted = false;
  CHECK (foreign (SFRAME_STEP_FOREIGN) == SFRAME_STEP_FOREIGN && steps == 0);
  CHECK (foreign (SFRAME_STEP_UNSUPPORTED) == SFRAME_STEP_BROKEN
	 && steps == 0);
}

static const struct test_case cases[] = {
  { "what is code", what_is_code },
  { "a trampoline in an object", a_trampoline_in_an_object },
  { "a trampoline in the vDSO", a_trampoline_in_the_vdso },
  { "the own trampoline", the_own_trampoline },
  { "a trampoline on the stack", a_trampoline_on_the_stack },
  { "a trampoline that leads nowhere", a_trampoline_that_leads_nowhere },
  { "the start of the program", the_start_of_the_program },
  { "a stub", a_stub },
  { "a CFA that is corrected", a_cfa_that_is_corrected },
  { "after a call", after_a_call },
  { "after a call at the start of a page",
    after_a_call_at_the_start_of_a_page },
  { "a wild call", a_wild_call },
  { "foreign code", foreign_code },
  { "foreign code that cannot be read", foreign_code_that_cannot_be_read },
};

int
main (void)
{
  return run_cases (cases, sizeof cases / sizeof *cases);
}
