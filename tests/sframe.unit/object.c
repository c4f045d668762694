/* The tables of a loaded object: which of them is looked up, and how its
   result is used.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The readers of the tables are simulated.  Expected results are those of
   debug/sframe-object.h and debug/sframe-eh-object.h.  */

#include <stdint.h>

#include <sframe-eh-object.h>
#include <sframe-eh-step.h>
#include <sframe-machine.h>
#include <sframe-object.h>

#include "check.h"

enum { PAGE = 4096, PC = 0x40001234, BIAS = 0x40000000, SIZE = 77 };

/* Where the section of SFrame is, which is not read.  */
static const unsigned char *const table = (const unsigned char *) 0x40003000;

static const ElfW(Phdr) headers[] = {
  { .p_type = PT_LOAD, .p_flags = PF_R, .p_vaddr = 0, .p_filesz = PAGE,
    .p_memsz = 2 * PAGE },
  { .p_type = PT_NOTE, .p_flags = PF_R, .p_vaddr = 0x5000, .p_filesz = PAGE },
  { .p_type = PT_LOAD, .p_flags = PF_X, .p_vaddr = 0x6000, .p_filesz = PAGE },
  { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = 0x2000,
    .p_filesz = PAGE + 8, .p_memsz = PAGE + 8 },
  /* Beyond the last one.  */
  { .p_type = PT_LOAD, .p_flags = PF_R, .p_vaddr = 0x8000, .p_filesz = PAGE },
};
static sframe_module object
  = { .headers = headers, .count = 4, .bias = BIAS };

static struct sframe_registers registers;
static struct sframe_trace trace;

/* Results of the simulated reader of SFrame, and its arguments.  */
static enum sframe_header_status header_status;
static uint64_t missing_from;
static bool repeated, block_is_good;
static uint64_t asked_for[2];
static unsigned int headers_read, rules_asked, blocks_asked;

/* Results of the simulated reader of .eh_frame, and its arguments.  */
static enum sframe_eh_status find_status, row_status, eh_step_status;
static bool is_signal, has_rule, may_cache;
static struct sframe_eh_table looked_in;
static const unsigned char *first_record;
static unsigned int finds, rows, eh_steps, stored;

enum sframe_header_status
__sframe_read_header (const void *start, uint64_t size, unsigned int abi,
		      struct sframe_section *section)
{
  ++headers_read;
  CHECK (start == table && size == SIZE && abi == SFRAME_MACHINE_ABI);
  *section = (struct sframe_section)
    { .start = start, .fde_count = header_status == SFRAME_HEADER_OK };
  return header_status;
}

enum sframe_find_status
__sframe_find_rule (const struct sframe_section *section, uint64_t pc,
		    unsigned int sp, unsigned int fp, struct sframe_rule *rule)
{
  CHECK (section->start == table && sp == SFRAME_MACHINE_SP
	 && fp == SFRAME_MACHINE_FP);
  *rule = (struct sframe_rule)
    { .cfa.offset = rules_asked, .repeated = repeated, .block_offset = 5 };
  asked_for[rules_asked++] = pc;
  return (rules_asked > missing_from
	  ? rules_asked == 1 ? SFRAME_NOT_FOUND : SFRAME_CORRUPT
	  : SFRAME_FOUND);
}

enum sframe_find_status
__sframe_find_rule_of (const struct sframe_section *section,
		       struct sframe_functions *functions, uint64_t pc,
		       unsigned int sp, unsigned int fp,
		       struct sframe_rule *rule)
{
  CHECK (functions == &trace.functions && rules_asked == 0);
  return __sframe_find_rule (section, pc, sp, fp, rule);
}

bool
sframe_block_rule (struct sframe_rule *rule, const struct sframe_rule *first)
{
  ++blocks_asked;
  CHECK (rule->cfa.offset == 0 && first->cfa.offset == 1);
  return block_is_good;
}

void
__sframe_eh_find_records (struct sframe_eh_table *in)
{
  CHECK (in->header_size != 0);
  in->records = first_record != NULL ? first_record : in->header;
}

enum sframe_eh_status
__sframe_eh_find (const struct sframe_eh_table *in, uintptr_t pc,
		  struct sframe_eh_entry *entry)
{
  ++finds;
  CHECK (pc == PC);
  looked_in = *in;
  *entry = (struct sframe_eh_entry) { .start = PC, .signal = is_signal };
  return find_status;
}

enum sframe_eh_status
__sframe_eh_find_row (const struct sframe_eh_entry *entry, uintptr_t pc,
		      struct sframe_eh_row *row)
{
  ++rows;
  CHECK (entry->start == PC && pc == PC);
  row->cfa_operand = 4711;
  return row_status;
}

enum sframe_eh_status
__sframe_eh_step (struct sframe_registers *from,
		  const struct sframe_eh_entry *entry,
		  struct sframe_eh_row *row, struct sframe_stack *stack)
{
  ++eh_steps;
  CHECK (from == &registers && stack == &trace.stack && entry->start == PC
	 && row->cfa_operand == 4711);
  return eh_step_status;
}

bool
__sframe_eh_rule (const struct sframe_eh_entry *entry,
		  const struct sframe_eh_row *row, struct sframe_rule *rule)
{
  CHECK (entry->start == PC && row->cfa_operand == 4711);
  rule->cfa.offset = 4712;
  return has_rule;
}

uint64_t
__sframe_cache_rule (struct sframe_trace *of, const struct sframe_rule *rule)
{
  ++stored;
  CHECK (of == &trace && rule->cfa.offset == 4712);
  return 1;
}

bool
sframe_module_may_cache (const sframe_module *module)
{
  CHECK (module == &object);
  return may_cache;
}

/* All is well with both tables.  */
static void
start (void)
{
  object.table = table;
  object.table_size = SIZE;
  trace = (struct sframe_trace) { .registers = &registers, .module = &object };
  header_status = SFRAME_HEADER_OK;
  missing_from = 2;
  repeated = false;
  block_is_good = true;
  headers_read = rules_asked = blocks_asked = 0;
  find_status = row_status = eh_step_status = SFRAME_EH_OK;
  is_signal = false;
  has_rule = may_cache = true;
  finds = rows = eh_steps = stored = 0;
}

static bool
has_sframe_rule (void)
{
  struct sframe_rule rule = { .cfa.offset = 1 };
  bool found = __sframe_object_rule (&trace, &object, PC, &rule);

  CHECK (!found || rule.cfa.offset == 0);
  return found;
}

static void
a_rule_of_sframe (void)
{
  start ();
  CHECK (has_sframe_rule () && rules_asked == 1 && blocks_asked == 0);
  CHECK (asked_for[0] == PC - (uintptr_t) table);
  start ();
  missing_from = 0;
  CHECK (!has_sframe_rule () && rules_asked == 1);
}

/* The header is read once for an object.  */
static void
a_section_read_before (void)
{
  start ();
  CHECK (has_sframe_rule () && headers_read == 1);
  rules_asked = 0;
  CHECK (has_sframe_rule () && headers_read == 1);
  trace.section.fde_count = 0;
  rules_asked = 0;
  CHECK (has_sframe_rule () && headers_read == 2);
}

static void
no_section_of_sframe (void)
{
  start ();
  object.table = NULL;
  CHECK (!has_sframe_rule () && headers_read == 0 && rules_asked == 0);
  start ();
  header_status = SFRAME_HEADER_TRUNCATED;
  CHECK (!has_sframe_rule () && headers_read == 1 && rules_asked == 0);
}

/* In a block that is repeated the rule at its start counts, too.  */
static void
a_repeated_block (void)
{
  start ();
  repeated = true;
  CHECK (has_sframe_rule () && rules_asked == 2 && blocks_asked == 1);
  CHECK (asked_for[1] == asked_for[0] - 5);
  start ();
  repeated = true;
  block_is_good = false;
  CHECK (!has_sframe_rule ());
  start ();
  repeated = true;
  missing_from = 1;
  CHECK (!has_sframe_rule () && blocks_asked == 0);
}

static enum sframe_step_status
step (uintptr_t header, bool signal)
{
  return __sframe_eh_object_step (&trace, &object, (const void *) header, PC,
				  signal);
}

static void
no_eh_frame (void)
{
  start ();
  CHECK (step (0, true) == SFRAME_STEP_UNSUPPORTED && finds == 0);
}

/* An object whose records are known, although it has no header.  */
static void
records_of_eh_frame (void)
{
  const unsigned char *records = (const unsigned char *) BIAS + 0x2004;

  start ();
  object.eh_records = records;
  CHECK (step (0, false) == SFRAME_STEP_CALLER && finds == 1);
  CHECK (looked_in.header == NULL && looked_in.records == records
	 && looked_in.memory.at == (unsigned char *) BIAS + 0x2000
	 && looked_in.memory.end == looked_in.memory.at + PAGE + 8);
  CHECK (step (BIAS, false) == SFRAME_STEP_CALLER
	 && looked_in.header == (unsigned char *) BIAS
	 && looked_in.records == looked_in.header);
  object.eh_records = (const void *) (BIAS + PAGE);
  CHECK (step (0, false) == SFRAME_STEP_BROKEN && finds == 2);
  object.eh_records = NULL;
}

/* The reader may read the file-backed part of the table's segment.  */
static void
the_memory_of_eh_frame (void)
{
  start ();
  CHECK (step (BIAS + 0x2000, false) == SFRAME_STEP_CALLER && finds == 1);
  CHECK (looked_in.header == (unsigned char *) BIAS + 0x2000
	 && looked_in.header_size == PAGE + 8
	 && looked_in.memory.at == (unsigned char *) BIAS + 0x2000
	 && looked_in.memory.end == looked_in.memory.at + PAGE + 8);
  CHECK (step (BIAS + 0x2000 + PAGE + 7, false) == SFRAME_STEP_CALLER
	 && finds == 2);
  CHECK (step (BIAS, false) == SFRAME_STEP_CALLER);
  CHECK (looked_in.memory.at == (unsigned char *) BIAS
	 && looked_in.memory.end == looked_in.memory.at + PAGE);
}

/* A writable .eh_frame is in another segment than its header.  */
static void
eh_frame_far_from_its_header (void)
{
  start ();
  first_record = (const unsigned char *) BIAS + 0x2010;
  CHECK (step (BIAS + 16, false) == SFRAME_STEP_CALLER && finds == 1);
  CHECK (looked_in.header_size == PAGE - 16
	 && looked_in.memory.at == (unsigned char *) BIAS + 0x2000
	 && looked_in.memory.end == looked_in.memory.at + PAGE + 8);
  first_record = (const unsigned char *) BIAS + PAGE;
  CHECK (step (BIAS + 16, false) == SFRAME_STEP_BROKEN && finds == 1);
  first_record = NULL;
}

static void
eh_frame_outside_of_the_object (void)
{
  const uintptr_t outside[] = {
    BIAS - 1, BIAS + PAGE, BIAS + 0x2000 - 1, BIAS + 0x2000 + PAGE + 8,
    BIAS + 0x5000, BIAS + 0x6000, BIAS + 0x8000, 0x2000
  };

  start ();
  for (unsigned int i = 0; i < sizeof outside / sizeof *outside; ++i)
    CHECK (step (outside[i], false) == SFRAME_STEP_BROKEN);
  CHECK (finds == 0 && rows == 0 && eh_steps == 0);
}

/* The entry of a trampoline is used only if that is wanted.  */
static void
a_signal_trampoline (void)
{
  start ();
  is_signal = true;
  CHECK (step (BIAS, false) == SFRAME_STEP_TRAMPOLINE);
  CHECK (rows == 0 && eh_steps == 0 && stored == 0);
  CHECK (step (BIAS, true) == SFRAME_STEP_CALLER && eh_steps == 1);
  find_status = SFRAME_EH_NO_ENTRY;
  CHECK (step (BIAS, false) == SFRAME_STEP_NO_RULE);
}

/* The status of the step for each status of the readers.  */
static void
statuses (void)
{
  static const enum sframe_step_status meaning[] = {
    [SFRAME_EH_OUTERMOST] = SFRAME_STEP_OUTERMOST,
    [SFRAME_EH_NO_ENTRY] = SFRAME_STEP_NO_RULE,
    [SFRAME_EH_NOT_UNDERSTOOD] = SFRAME_STEP_UNSUPPORTED,
    [SFRAME_EH_CORRUPT] = SFRAME_STEP_BROKEN,
    [SFRAME_EH_REGISTER] = SFRAME_STEP_UNKNOWN,
    [SFRAME_EH_BROKEN] = SFRAME_STEP_BROKEN,
  };

  for (unsigned int i = 1; i < sizeof meaning / sizeof *meaning; ++i)
    {
      start ();
      find_status = i;
      CHECK (step (BIAS, false) == meaning[i] && rows == 0);
      start ();
      row_status = i;
      CHECK (step (BIAS, false) == meaning[i] && rows == 1);
      CHECK (eh_steps == 0 && stored == 0);
      start ();
      eh_step_status = i;
      CHECK (step (BIAS, false) == meaning[i] && eh_steps == 1);
    }
}

/* A row is stored if SFrame can express it, by a trace that looks for stored
   ones, for an object whose rules may be.  */
static void
what_is_stored (void)
{
  for (int i = 0; i < 8; ++i)
    {
      start ();
      has_rule = i % 2 != 0;
      may_cache = i / 2 % 2 != 0;
      trace.all_registers = i / 4 == 0;
      CHECK (step (BIAS, false) == SFRAME_STEP_CALLER);
      CHECK (stored == (i == 7));
    }
}

static const struct test_case cases[] = {
  { "a rule of SFrame", a_rule_of_sframe },
  { "a section that was read before", a_section_read_before },
  { "no section of SFrame", no_section_of_sframe },
  { "a repeated block", a_repeated_block },
  { "no .eh_frame", no_eh_frame },
  { "records of .eh_frame without a header", records_of_eh_frame },
  { "the memory of .eh_frame", the_memory_of_eh_frame },
  { ".eh_frame far from its header", eh_frame_far_from_its_header },
  { ".eh_frame outside of the object", eh_frame_outside_of_the_object },
  { "a signal trampoline", a_signal_trampoline },
  { "statuses", statuses },
  { "what is stored", what_is_stored },
};

int
main (void)
{
  return run_cases (cases, sizeof cases / sizeof *cases);
}
