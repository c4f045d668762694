/* Which kind of step a trace takes at a frame, and where it ends.

   SPDX-License-Identifier: LGPL-2.1-or-later

   All kinds of steps are simulated: each records a letter, and returns the
   result that the case has set.  A case is the sequence of letters expected.
   The expected order of the kinds is in the first comment of
   debug/sframe-backtrace.c.  */

#include <stdint.h>
#include <string.h>

#include <sframe-ahead.h>
#include <sframe-backtrace.h>
#include <sframe-code.h>
#include <sframe-eh-object.h>
#include <sframe-machine.h>
#include <sframe-object.h>
#include <sframe-pin.h>
#include <sframe-system.h>

#include "check.h"

enum { PC = 0x5000, CALLER = 0x6000, FRAME = 0x100, ROOM = 16, WORDS = 8 };

/* The words of the thread's stack above SP.  */
static uintptr_t stack_words[WORDS];
#define SP ((uintptr_t) stack_words)

static const uint64_t all_known
  = (UINT64_C (1) << SFRAME_MACHINE_REGISTERS) - 1;

union sframe_cache_first __sframe_cache;

/* The letters.  R: look up an SFrame rule; r: cache it; o: cache that of an
   outermost frame.  p, P: step by it, with and without the fast path.  E, e:
   step by .eh_frame, e also by the entry of a trampoline.  T: trampoline.  C:
   is it code?  S: is it _start?  B: PLT stub.  W, w: wild call, w only one
   that calls this address.  F: code outside of all tables.  A: correct a CFA.
   L: does a call precede?  K: capture registers.  k: cached rules.  M: find an
   object.  H: find functions ahead.  */
static char notes[256];
static enum sframe_step_status answer[128];
/* The letter whose answer holds once.  */
static char once;

static sframe_module object;
static const sframe_module vdso;
/* The object of each PC.  */
static const sframe_module *here;
static struct sframe_rule rule;
static uintptr_t looked_up, own, start_of_context;
static uintptr_t asked_for;
static bool has_pc, may_store, moves_down, may_be_fetched;
static unsigned int number_of_tables, begun, ended;
static int setting = 1, cached_frames;
/* The caller's PC, and whether it was interrupted: then all registers are
   known.  */
static uintptr_t caller;
static bool caller_interrupted;
static uintptr_t frame_size;
static enum sframe_doubt doubt;
static uintptr_t stack_from;
static uint32_t path;
static struct sframe_unloads unloads;
/* The thread's stack: whether SP is on it, whether its words are readable, the
   word that looks like a signal frame, and the results for that frame.  If SP
   is on the alternate stack, its end.  */
static bool own_stack, readable, fault, unsure, blocks_fault;
static uintptr_t alternate_end;
static enum sframe_handlers handlers;
static const uintptr_t *signal_frame;

static struct sframe_registers registers;
static void *array[ROOM];
static int count;
static enum sframe_help help;

static enum sframe_step_status
note (char letter)
{
  size_t length = strlen (notes);

  require (length + 1 < sizeof notes, "fewer notes");
  notes[length] = letter;
  enum sframe_step_status status = answer[(unsigned char) letter];
  if (letter == once)
    answer[(unsigned char) letter] = SFRAME_STEP_NO_RULE;
  return status;
}

/* The same for a step.  */
static enum sframe_step_status
take_step (char letter, struct sframe_registers *from)
{
  enum sframe_step_status status = note (letter);

  if (status != SFRAME_STEP_CALLER)
    return status;
  from->pc = caller;
  caller += 2;
  from->value[SFRAME_MACHINE_SP] += frame_size;
  from->known = caller_interrupted ? all_known : 3;
  from->interrupted = caller_interrupted;
  from->moved_down |= moves_down;
  if (!may_be_fetched)
    CHECK (!from->fetch_failed);
  return status;
}

static bool
yes (char letter)
{
  return note (letter) == SFRAME_STEP_CALLER;
}

const sframe_module *
sframe_module_find (uintptr_t pc, const void **eh_header)
{
  note ('M');
  looked_up = pc;
  *eh_header = &vdso;
  return here;
}

bool
sframe_module_has (const sframe_module *module, uintptr_t pc)
{
  CHECK (module == &object || module == &vdso);
  return has_pc;
}

bool
sframe_module_may_cache (const sframe_module *module)
{
  CHECK (module == here);
  return may_store;
}

void
sframe_pin_begin (uint8_t *pin)
{
  if (*pin == 0)
    ++begun;
  *pin = 2;
}

void
sframe_pin_end (uint8_t pin)
{
  ++ended;
  CHECK (pin == (begun == 0 ? 0 : 2));
}

int
sframe_setting (void)
{
  return setting;
}

struct sframe_unloads *
sframe_unloads (void)
{
  return &unloads;
}

unsigned int
__sframe_cache_largest (void)
{
  return number_of_tables;
}

struct sframe_cache *
__sframe_cache_table (unsigned int number)
{
  CHECK (number == number_of_tables);
  return &__sframe_cache.head;
}

uint64_t
__sframe_cache_rule (struct sframe_trace *trace,
		     const struct sframe_rule *stored)
{
  note (stored->outermost ? 'o' : 'r');
  return 4711;
}

bool
__sframe_step_cached (struct sframe_trace *trace, uint64_t word)
{
  return (word == 4711
	  && take_step ('p', trace->registers) == SFRAME_STEP_CALLER);
}

enum sframe_step_status
__sframe_walk_cached (struct sframe_trace *trace)
{
  path = trace->path;
  for (int i = 0; i < cached_frames && trace->count < trace->size; ++i)
    trace->array[trace->count++] = (void *) 0x1111;
  return note ('k');
}

void
__sframe_look_ahead (struct sframe_trace *trace, const sframe_module *module)
{
  CHECK (module == here && trace->section.fde_count == 0);
  note ('H');
  trace->ahead = trace->registers->value[SFRAME_MACHINE_SP] + FRAME + 1;
}

bool
__sframe_object_rule (struct sframe_trace *trace,
		      const sframe_module *module, uintptr_t pc,
		      struct sframe_rule *found)
{
  CHECK (module == here && trace->module == here && pc == looked_up);
  /* The section is not that of the frame before.  */
  CHECK (has_pc || pc == asked_for || trace->section.fde_count == 0);
  asked_for = pc;
  trace->section.fde_count = 1;
  *found = rule;
  return yes ('R');
}

enum sframe_step_status
__sframe_step (struct sframe_registers *from, const struct sframe_rule *by,
	       struct sframe_stack *stack)
{
  return take_step ('P', from);
}

enum sframe_step_status
__sframe_eh_object_step (struct sframe_trace *trace,
			 const sframe_module *module, const void *header,
			 uintptr_t pc, bool signal)
{
  CHECK (module == here && header == &vdso && pc == looked_up);
  return take_step (signal ? 'e' : 'E', trace->registers);
}

bool
__sframe_is_code (const sframe_module *module, uintptr_t pc)
{
  CHECK (module == here);
  return yes ('C');
}

enum sframe_step_status
__sframe_step_trampoline (const sframe_module *module,
			  struct sframe_registers *from,
			  struct sframe_stack *stack)
{
  CHECK (module == (from->pc == own ? NULL : here));
  return take_step ('T', from);
}

bool
__sframe_is_start (const sframe_module *module,
		   const struct sframe_registers *from,
		   struct sframe_stack *stack)
{
  CHECK (module == here);
  return yes ('S');
}

enum sframe_step_status
__sframe_step_stub (const sframe_module *module, struct sframe_registers *from,
		    struct sframe_stack *stack)
{
  CHECK (module == here);
  return take_step ('B', from);
}

bool
__sframe_correct_cfa (const sframe_module *module,
		      const struct sframe_registers *from,
		      struct sframe_stack *stack,
		      struct sframe_rule *corrected)
{
  CHECK (module == here);
  return yes ('A');
}

bool
__sframe_follows_call (uintptr_t pc, const struct sframe_registers *from,
		       struct sframe_stack *stack)
{
  CHECK (pc == caller - 2);
  return yes ('L');
}

enum sframe_step_status
__sframe_step_wild (struct sframe_registers *from, struct sframe_stack *stack,
		    bool exactly)
{
  return take_step (exactly ? 'w' : 'W', from);
}

enum sframe_step_status
__sframe_step_foreign (struct sframe_registers *from,
		       struct sframe_stack *stack,
		       enum sframe_step_status status)
{
  note ('F');
  return status;
}

void
__sframe_stack_init (struct sframe_stack *stack, uintptr_t sp)
{
  *stack = (struct sframe_stack)
    { .doubt = doubt, .window = { SP, SP + sizeof stack_words } };
  stack_from = sp;
}

void
__sframe_stack_doubt (struct sframe_stack *stack, enum sframe_doubt reason)
{
  stack->doubt = reason;
}

bool
__sframe_same_stack (const struct sframe_stack *stack, uintptr_t a,
		     uintptr_t b)
{
  return own_stack;
}

/* Each word is probed, and none above the stack.  */
bool
__sframe_stack_find (struct sframe_stack *stack, uintptr_t address)
{
  CHECK (stack->doubt == sframe_ask_always);
  return readable && address - SP < sizeof stack_words;
}

enum sframe_handlers
sframe_signal_handlers (void)
{
  return handlers;
}

bool
sframe_signal_stack (uintptr_t sp, uintptr_t *end)
{
  if (alternate_end == 0)
    return false;
  *end = alternate_end;
  return true;
}

bool
sframe_signal_search (uintptr_t address, enum sframe_handlers known,
		      struct sframe_stack *stack, uintptr_t *sp)
{
  CHECK (known == handlers);
  *sp = address + 1;
  return address == (uintptr_t) signal_frame;
}

void
sframe_signal_doubt (uintptr_t sp, struct sframe_stack *stack)
{
  CHECK (sp == (uintptr_t) signal_frame + 1);
  if (fault)
    __sframe_stack_doubt (stack, sframe_ask_always);
}

bool
sframe_signal_unsure (uintptr_t sp, enum sframe_handlers known,
		      struct sframe_stack *stack)
{
  CHECK (known == handlers);
  CHECK (sp == (uintptr_t) signal_frame + 1);
  return unsure;
}

bool
sframe_signal_blocks_fault (void)
{
  return blocks_fault;
}

/* Of the frame that begins a trace again, which is below that of SP.  */
void
sframe_capture_caller (struct sframe_registers *from)
{
  note ('K');
  *from = (struct sframe_registers) { .pc = PC, .known = 3 };
  from->value[SFRAME_MACHINE_SP] = SP - 3 * FRAME;
}

bool
sframe_own_trampoline (uintptr_t pc)
{
  return pc == own;
}

bool
sframe_context_start (uintptr_t pc)
{
  return pc == start_of_context;
}

bool
sframe_signal_object (const sframe_module *module)
{
  return module == &vdso;
}

/* LETTERS are answered by a caller or by yes, all others by the want of a
   rule.  */
static void
let (const char *letters)
{
  for (unsigned int i = 0; i < sizeof answer / sizeof *answer; ++i)
    answer[i] = (i != 0 && strchr (letters, i) != NULL
		 ? SFRAME_STEP_CALLER : SFRAME_STEP_NO_RULE);
}

/* Be in a frame that has made a call, where LETTERS have an answer.  */
static void
be_in (const char *letters)
{
  let (letters);
  registers = (struct sframe_registers) { .pc = PC, .known = 3 };
  registers.value[SFRAME_MACHINE_SP] = SP;
  rule = (struct sframe_rule)
    { .cfa = { .kind = SFRAME_REGISTER_VALUE, .reg = SFRAME_MACHINE_SP,
	       .offset = -SFRAME_MACHINE_SP_OFFSET + 8 } };
  here = &object;
  own = start_of_context = 1;
  asked_for = 0;
  has_pc = moves_down = caller_interrupted = may_be_fetched = false;
  may_store = true;
  caller = CALLER;
  doubt = sframe_ask_nothing;
  own_stack = readable = true;
  fault = unsure = blocks_fault = false;
  signal_frame = NULL;
  alternate_end = 0;
  frame_size = FRAME;
  handlers = sframe_handlers_unknown;
  begun = ended = 0;
  memset (notes, 0, sizeof notes);
}

/* The same for a frame that a signal has interrupted.  */
static void
be_interrupted_in (const char *letters)
{
  be_in (letters);
  registers.known = all_known;
  registers.interrupted = true;
}

static void
trace_some (int size)
{
  memset (array, 0, sizeof array);
  count = -1;
  help = __sframe_backtrace (array, size, &registers, &count);
}

/* Trace the first two frames; return whether COUNT frames were found by the
   steps MEANS.  */
static bool
went (const char *means, int frames)
{
  trace_some (2);
  if (strcmp (notes, means) != 0 || count != frames)
    printf ("%s, %d frames, not %s, %d\n", notes, count, means, frames);
  return (strcmp (notes, means) == 0 && count == frames
	  && array[0] == (void *) PC
	  && array[1] == (frames == 2 ? (void *) CALLER : NULL));
}

static void
by_sframe (void)
{
  be_in ("Rp");
  CHECK (went ("MRrp", 2) && looked_up == PC - 1 && stack_from == SP);
  CHECK (begun == 1 && ended == 1 && help == SFRAME_HELP_NONE);
  be_in ("RP");
  CHECK (went ("MRrpP", 2));
  be_in ("RP");
  may_store = false;
  CHECK (went ("MRP", 2));
  be_interrupted_in ("Rp");
  CHECK (went ("MRrp", 2) && looked_up == PC);
  be_in ("RP");
  answer['P'] = SFRAME_STEP_BROKEN;
  CHECK (went ("MRrpP", 1) && help == SFRAME_HELP_NONE);
}

/* Only in a large table, and not twice in the same part of the stack.  */
static void
by_sframe_ahead (void)
{
  be_in ("Rp");
  object = (sframe_module) { .table = &object,
			     .table_size = SFRAME_AHEAD_TABLE - 1 };
  CHECK (went ("MRrp", 2));
  be_in ("Rp");
  object.table_size = SFRAME_AHEAD_TABLE;
  CHECK (went ("MHRrp", 2));
  be_in ("Rp");
  trace_some (4);
  CHECK (strcmp (notes, "MHRrpMRrpMHRrp") == 0);
  object = (sframe_module) { .table_size = SFRAME_AHEAD_TABLE };
  be_in ("Rp");
  CHECK (went ("MRrp", 2));
  object = (sframe_module) { };
}

static void
by_eh_frame (void)
{
  be_in ("E");
  CHECK (went ("MRME", 2));
  be_in ("");
  answer['E'] = SFRAME_STEP_OUTERMOST;
  CHECK (went ("MRME", 1) && help == SFRAME_HELP_NONE);
}

/* The code of a trampoline is preferred to its rule, and .eh_frame to
   SFrame.  */
static void
a_rule_of_a_trampoline (void)
{
  be_in ("RTCe");
  rule.signal = true;
  CHECK (went ("MRT", 2));
  be_in ("RCe");
  rule.signal = true;
  CHECK (went ("MRTCSMe", 2));
  be_in ("RCp");
  rule.signal = true;
  CHECK (went ("MRTCSMeRrp", 2));
  be_in ("RCp");
  rule.signal = true;
  answer['e'] = SFRAME_STEP_UNSUPPORTED;
  CHECK (went ("MRTCSMeRrp", 2));
  be_in ("RCp");
  rule.signal = true;
  answer['e'] = SFRAME_STEP_BROKEN;
  CHECK (went ("MRTCSMe", 1));
  be_in ("Ce");
  answer['E'] = SFRAME_STEP_TRAMPOLINE;
  CHECK (went ("MRMETCSMe", 2));
}

/* A rule with an unchanged SP.  */
static void
doubt_sp (const char *letters)
{
  be_interrupted_in (letters);
  rule.cfa.offset = -SFRAME_MACHINE_SP_OFFSET;
}

static void
a_doubtful_rule (void)
{
  doubt_sp ("RE");
  CHECK (went ("MRME", 2));
  doubt_sp ("RCAp");
  CHECK (went ("MRMETCSRArp", 2));
  doubt_sp ("RCp");
  CHECK (went ("MRMETCSRA", 1) && help == SFRAME_HELP_NONE);
  doubt_sp ("Rp");
  registers.interrupted = false;
  CHECK (went ("MRrp", 2));
  doubt_sp ("RT");
  rule.signal = true;
  CHECK (went ("MRT", 2));
  doubt_sp ("RP");
  rule.outermost = true;
  answer['P'] = SFRAME_STEP_OUTERMOST;
  CHECK (went ("MRopP", 1));
  doubt_sp ("Rp");
  rule.cfa.kind = SFRAME_REGISTER_MEMORY;
  CHECK (went ("MRrp", 2));
  doubt_sp ("Rp");
  rule.cfa.reg = SFRAME_MACHINE_FP;
  CHECK (went ("MRrp", 2));
}

static void
in_start (void)
{
  be_in ("CS");
  CHECK (went ("MRMETCSo", 1) && help == SFRAME_HELP_NONE);
  be_in ("TCS");
  CHECK (went ("MRMET", 2));
}

static void
in_a_stub (void)
{
  be_in ("CB");
  CHECK (went ("MRMETCSRB", 2));
  be_in ("C");
  answer['B'] = SFRAME_STEP_BROKEN;
  CHECK (went ("MRMETCSRB", 1));
}

/* Between functions: only in an interrupted frame can the call be checked.  */
static void
in_no_function (void)
{
  be_interrupted_in ("Cw");
  CHECK (went ("MRMETCSRBw", 2));
  be_interrupted_in ("C");
  answer['w'] = SFRAME_STEP_BROKEN;
  CHECK (went ("MRMETCSRBw", 1) && help == SFRAME_HELP_NONE);
  be_in ("Cw");
  CHECK (went ("MRMETCSRB", 1) && help == SFRAME_HELP_NONE);
  be_interrupted_in ("w");
  CHECK (went ("MRMETCF", 1) && help == SFRAME_HELP_IF_LOADED);
}

/* The trace ends there: libgcc would read the same table.  */
static void
an_unsupported_table (void)
{
  be_in ("Cw");
  answer['E'] = SFRAME_STEP_UNSUPPORTED;
  CHECK (went ("MRMETCSRBF", 1) && help == SFRAME_HELP_NONE);
  be_in ("CB");
  answer['E'] = SFRAME_STEP_UNSUPPORTED;
  CHECK (went ("MRMETCSRB", 2) && help == SFRAME_HELP_NONE);
}

static void
be_in_foreign_code (void)
{
  be_in ("");
  here = NULL;
}

static void
foreign_code_after_a_fault (void)
{
  be_in_foreign_code ();
  doubt = sframe_ask_always;
  CHECK (went ("MTF", 1) && help == SFRAME_HELP_NONE);
}

/* A signal frame on the stack, whether or not the trace has reached it.  */
static void
searched_for_handlers (void)
{
  for (int i = 0; i < WORDS; ++i)
    {
      be_in_foreign_code ();
      signal_frame = stack_words + i;
      CHECK (went ("MTF", 1) && help == SFRAME_HELP_IF_LOADED);
      be_in_foreign_code ();
      signal_frame = stack_words + i;
      fault = true;
      CHECK (went ("MTF", 1) && help == SFRAME_HELP_NONE);
      be_in_foreign_code ();
      signal_frame = stack_words + i;
      unsure = true;
      CHECK (went ("MTF", 1) && help == SFRAME_HELP_NONE);
    }
  be_in_foreign_code ();
  signal_frame = stack_words + WORDS;
  blocks_fault = true;
  CHECK (went ("MTF", 1) && help == SFRAME_HELP_IF_LOADED);
  be_in_foreign_code ();
  readable = false;
  CHECK (went ("MTF", 1) && help == SFRAME_HELP_IF_LOADED);
}

/* Handlers may run there.  */
static void
searched_on_another_stack (void)
{
  be_in_foreign_code ();
  own_stack = false;
  CHECK (went ("MTF", 1) && help == SFRAME_HELP_IF_LOADED);
  be_in_foreign_code ();
  own_stack = false;
  blocks_fault = true;
  CHECK (went ("MTF", 1) && help == SFRAME_HELP_NONE);
  /* What lies above is another's.  */
  be_in_foreign_code ();
  own_stack = false;
  signal_frame = stack_words;
  fault = true;
  CHECK (went ("MTF", 1) && help == SFRAME_HELP_IF_LOADED);
}

static void
searched_on_the_alternate_stack (void)
{
  for (int end = 0; end <= WORDS; ++end)
    for (int i = 0; i < WORDS; ++i)
      {
	be_in_foreign_code ();
	own_stack = false;
	alternate_end = (uintptr_t) (stack_words + end);
	signal_frame = stack_words + i;
	fault = true;
	CHECK (went ("MTF", 1)
	       && help == (i < end ? SFRAME_HELP_NONE
			   : SFRAME_HELP_IF_LOADED));
      }
}

/* If there can be no handler of a fault, nothing is searched for.  */
static void
no_handlers_of_faults (void)
{
  be_in_foreign_code ();
  handlers = sframe_handlers_none;
  signal_frame = stack_words;
  fault = blocks_fault = true;
  own_stack = false;
  CHECK (went ("MTF", 1) && help == SFRAME_HELP_IF_LOADED);
}

/* A trace begins in a handler, whose signal frame may be on another stack.  */
static void
begin_in_a_handler (void)
{
  be_in ("T");
  own = PC;
  once = 'T';
  caller_interrupted = true;
  here = NULL;
}

/* On a stack that is not known search one frame of SIZE bytes, which has the
   signal frame in word WORD.  Return whether it is found.  */
static bool
finds_in_one_frame (uintptr_t size, int word)
{
  begin_in_a_handler ();
  own_stack = false;
  frame_size = size;
  signal_frame = stack_words + word;
  trace_some (ROOM);
  CHECK (count == 2);
  return help == SFRAME_HELP_IF_LOADED;
}

static void
searched_up_to_where_a_trace_ends (void)
{
  for (int words = 0; words < WORDS; ++words)
    for (int i = 0; i < WORDS; ++i)
      CHECK (finds_in_one_frame (words * sizeof *stack_words, i)
	     == (i < words));
  CHECK (finds_in_one_frame (64 * 1024, 0));
  CHECK (!finds_in_one_frame (64 * 1024 + 1, 0));
  CHECK (!finds_in_one_frame (-8, 0));
}

/* After a signal frame libgcc is not to be loaded.  */
static void
foreign_code_in_a_handler (void)
{
  begin_in_a_handler ();
  trace_some (ROOM);
  CHECK (strcmp (notes, "TMTF") == 0 && count == 2);
  CHECK (help == SFRAME_HELP_NONE);
  begin_in_a_handler ();
  signal_frame = stack_words + 1;
  trace_some (ROOM);
  CHECK (strcmp (notes, "TMTF") == 0 && count == 2);
  CHECK (help == SFRAME_HELP_IF_LOADED);
}

static void
outside_of_all_objects (void)
{
  be_in ("T");
  here = NULL;
  CHECK (went ("MT", 2) && begun == 1);
  be_in ("");
  here = NULL;
  CHECK (went ("MTF", 1) && help == SFRAME_HELP_IF_LOADED);
  be_in ("");
  here = NULL;
  answer['T'] = SFRAME_STEP_BROKEN;
  CHECK (went ("MT", 1) && help == SFRAME_HELP_NONE);
  be_in ("T");
  own = PC;
  CHECK (went ("T", 2) && begun == 0 && ended == 1);
}

/* A return address in the vDSO may be the first byte of its trampoline.  */
static void
in_the_vdso (void)
{
  be_in ("TRp");
  here = &vdso;
  CHECK (went ("MT", 2));
  be_in ("Rp");
  here = &vdso;
  CHECK (went ("MTRrp", 2));
}

static void
a_new_context (void)
{
  be_in ("Rp");
  start_of_context = PC;
  CHECK (went ("", 1) && help == SFRAME_HELP_NONE);
  be_interrupted_in ("Rp");
  start_of_context = PC;
  CHECK (went ("MRrp", 2));
}

/* A PC at which no instruction can have been executed.  */
static void
not_fetched (void)
{
  be_interrupted_in ("RpW");
  registers.pc = PC + 1;
  trace_some (2);
  CHECK (strcmp (notes, "MW") == 0 && count == 2);
  be_in ("RpW");
  registers.pc = PC + 1;
  trace_some (2);
  CHECK (strcmp (notes, "MRrp") == 0 && count == 2);
  be_interrupted_in ("RpW");
  registers.fetch_failed = may_be_fetched = true;
  CHECK (went ("MCW", 2));
  be_interrupted_in ("W");
  registers.fetch_failed = may_be_fetched = true;
  here = NULL;
  CHECK (went ("MW", 2));
  be_interrupted_in ("RpCW");
  registers.fetch_failed = true;
  CHECK (went ("MCRrp", 2) && !registers.fetch_failed);
}

/* A step to a lower SP is made only to where a call was made, or by a signal
   frame.  */
static void
another_stack (void)
{
  be_in ("RpL");
  moves_down = true;
  CHECK (went ("MRrpL", 2));
  be_in ("Rp");
  moves_down = true;
  CHECK (went ("MRrpL", 1) && help == SFRAME_HELP_NONE);
  be_in ("Rp");
  registers.moved_down = true;
  CHECK (went ("MRrp", 2));
  be_in ("T");
  own = PC;
  moves_down = caller_interrupted = true;
  CHECK (went ("T", 2));
}

/* The object of the frame before is tried first.  */
static void
the_same_object (void)
{
  be_in ("Rp");
  trace_some (4);
  CHECK (strcmp (notes, "MRrpMRrpMRrp") == 0 && begun == 1 && ended == 1);
  be_in ("RP");
  has_pc = true;
  answer['R'] = SFRAME_STEP_CALLER;
  looked_up = PC - 1;
  trace_some (2);
  CHECK (strcmp (notes, "MRrpP") == 0 && count == 2);
}

static void
each_size (void)
{
  for (int size = 1; size < ROOM; ++size)
    {
      be_in ("Rp");
      trace_some (size);
      CHECK (count == size && array[size - 1] != NULL && array[size] == NULL);
      CHECK (array[0] == (void *) PC && help == SFRAME_HELP_NONE);
      CHECK (strlen (notes) == 4 * (size_t) (size - 1));
    }
}

/* The return address of code without a caller; but a call through a null
   pointer has led to an interrupted frame there.  */
static void
a_pc_of_0 (void)
{
  be_in ("Rp");
  caller = 0;
  CHECK (went ("MRrp", 1) && help == SFRAME_HELP_NONE);
  be_in ("T");
  own = PC;
  caller = 0;
  caller_interrupted = true;
  trace_some (2);
  CHECK (count == 2 && array[1] == NULL);
}

/* A rule needs a register that is not known: from backtrace on, .eh_frame
   recovers all.  */
static void
begun_again (void)
{
  be_in ("RPE");
  answer['P'] = SFRAME_STEP_UNKNOWN;
  caller = PC - 4;
  trace_some (3);
  /* Three steps up to SP, and two from there.  */
  CHECK (strcmp (notes, "MRrpPKMMEMMEMMEMMEMME") == 0);
  CHECK (count == 3 && array[0] == (void *) PC
	 && array[2] == (void *) (PC + 4));
  CHECK (stack_from == SP - 3 * FRAME);
  /* It helps no more than once.  */
  be_in ("R");
  answer['P'] = answer['E'] = SFRAME_STEP_UNKNOWN;
  CHECK (went ("MRrpPKMME", 1) && help == SFRAME_HELP_NONE);
}

/* The way from there to SP is not long.  */
static void
begun_again_in_vain (void)
{
  be_in ("RE");
  answer['P'] = SFRAME_STEP_UNKNOWN;
  registers.value[SFRAME_MACHINE_SP] = SP + FRAME;
  caller = PC - 6;
  trace_some (2);
  CHECK (strcmp (notes, "MRrpPKMMEMMEMMEMMEMME") == 0 && count == 2);
  be_in ("RE");
  answer['P'] = SFRAME_STEP_UNKNOWN;
  registers.value[SFRAME_MACHINE_SP] = SP + 2 * FRAME;
  CHECK (went ("MRrpPKMMEMMEMMEMME", 1) && help == SFRAME_HELP_NONE);
}

static void
switched_off (void)
{
  setting = 0;
  be_in ("Rp");
  trace_some (2);
  CHECK (notes[0] == '\0' && count == 0 && help == SFRAME_HELP_LOAD);
  CHECK (array[0] == NULL && ended == 0);
}

/* The first trace of a process uses no stored rules; the second prepares their
   table, which the others leave alone.  */
static void
stored_rules (void)
{
  sframe_cache_entry *entry = sframe_cache_entries (&__sframe_cache.head);

  number_of_tables = 1;
  for (int i = 0; i < 4; ++i)
    {
      be_in ("kRp");
      *entry = 1;
      path = 0;
      trace_some (2);
      CHECK (strcmp (notes, i == 0 ? "MRrp" : "kMRrp") == 0 && count == 2);
      CHECK (*entry == (i != 1));
      CHECK (i == 0 || path == sframe_cache_start (&__sframe_cache.head));
    }
  be_in ("Rp");
  answer['k'] = SFRAME_STEP_OUTERMOST;
  CHECK (went ("k", 1) && help == SFRAME_HELP_NONE);
  for (cached_frames = 1; cached_frames < ROOM; ++cached_frames)
    {
      be_in ("kRp");
      trace_some (4);
      CHECK (count == 4 && array[4] == NULL && array[3] != NULL);
      CHECK (cached_frames != 1 || strcmp (notes, "kMRrpk") == 0);
      CHECK (cached_frames < 3 || strcmp (notes, "k") == 0);
    }
}

/* Stored rules do not recover all registers.  */
static void
begun_again_with_stored_rules (void)
{
  number_of_tables = 1;
  for (int i = 0; i < 2; ++i)
    {
      be_in ("kRE");
      answer['P'] = SFRAME_STEP_UNKNOWN;
      trace_some (3);
      CHECK (strcmp (notes, i == 0 ? "MRrpPKMMEMMEMMEMMEMME"
		     : "kMRrpPKMMEMMEMMEMMEMME") == 0);
    }
}

static const struct test_case cases[] = {
  { "by SFrame", by_sframe },
  { "by SFrame in a large table", by_sframe_ahead },
  { "by .eh_frame", by_eh_frame },
  { "a rule of a trampoline", a_rule_of_a_trampoline },
  { "a doubtful rule", a_doubtful_rule },
  { "in _start", in_start },
  { "in a stub", in_a_stub },
  { "in no function", in_no_function },
  { "an unsupported table", an_unsupported_table },
  { "foreign code after a fault", foreign_code_after_a_fault },
  { "foreign code in a handler", foreign_code_in_a_handler },
  { "searched for handlers", searched_for_handlers },
  { "searched on another stack", searched_on_another_stack },
  { "searched on the alternate stack", searched_on_the_alternate_stack },
  { "searched up to where a trace ends", searched_up_to_where_a_trace_ends },
  { "no handlers of faults", no_handlers_of_faults },
  { "outside of all objects", outside_of_all_objects },
  { "in the vDSO", in_the_vdso },
  { "a new context", a_new_context },
  { "not fetched", not_fetched },
  { "another stack", another_stack },
  { "the same object", the_same_object },
  { "each size", each_size },
  { "a PC of 0", a_pc_of_0 },
  { "begun again", begun_again },
  { "begun again in vain", begun_again_in_vain },
  { "switched off", switched_off },
  { "stored rules", stored_rules },
  { "begun again with stored rules", begun_again_with_stored_rules },
};

int
main (void)
{
  return run_cases (cases, sizeof cases / sizeof *cases);
}
