/* A trace being taken, and the rules that earlier ones have left behind.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe; no lock, and no
   allocation or system call but the mmap of __sframe_cache_grow; no fault,
   whatever the stack holds.  */

#ifndef _SFRAME_TRACE_H
#define _SFRAME_TRACE_H

#include <sframe-cache.h>
#include <sframe-step.h>

struct sframe_trace
{
  void **array;
  int size;
  int count;
  /* How many objects had been unloaded when the trace began.  */
  uint64_t generation;
  /* The remembered frames so far, see sframe_cache_path.  */
  uint32_t path;
  /* Where rules are remembered: a number for __sframe_cache_table, or 0 in the
     first trace of a process, which is the only one of most that crash, and
     would pay for the memory.  */
  uint8_t table;
  /* What keeps the objects that this trace has found; see sframe-reader.h.  */
  uint8_t reader;
  /* Go by .eh_frame where possible, to know all registers.  Bits, because there
     is little stack.  */
  bool all_registers : 1;
  /* The rule of the frame was looked for, and is not remembered.  */
  bool missed : 1;
  /* A signal has interrupted one of the frames so far.  */
  bool in_handler : 1;
  /* The object of the last frame whose rule was not remembered, which is an
     sframe_module: this header does without loaders.  */
  const void *map;
  struct sframe_registers *registers;
  struct sframe_stack stack;
};

/* The rules of frames that were traced before, and which followed which: the
   first table.  */
extern union sframe_cache_first __sframe_cache attribute_hidden;

/* The number of the largest table that there is, and the table with NUMBER.
   Number 1 is that of __sframe_cache.  */
unsigned int __sframe_cache_largest (void) attribute_hidden;
struct sframe_cache *__sframe_cache_table (unsigned int number)
  attribute_hidden;

/* Have traces to come use a table that is larger than that with NUMBER, if
   there is none yet and memory for it.  This may call mmap, twice in the life
   of a process if that succeeds, and so seldom otherwise that it takes no
   time.  */
void __sframe_cache_grow (unsigned int number) attribute_hidden;

/* Remember RULE as that of the frame in TRACE's registers, if rules are.  Return
   it in a word, or 0 if it is not remembered.  */
uint64_t __sframe_remember (struct sframe_trace *trace,
			    const struct sframe_rule *rule) attribute_hidden;

/* Step to the caller by the rule WORD, or 0, in less time than __sframe_step
   takes, if the caller is where most callers are.  Return whether it is.  */
bool __sframe_step_remembered (struct sframe_trace *trace, uint64_t word)
  attribute_hidden;

/* Take the steps for which rules are remembered, as long as there is room, and
   the words are where the trace has found others.  The registers that are
   known then are SP and FP, as after any step by SFrame.  The result is
   SFRAME_STEP_OUTERMOST, or SFRAME_STEP_CALLER if the frame in TRACE's
   registers has to be looked at closely or TRACE is full.  */
enum sframe_step_status __sframe_walk_remembered (struct sframe_trace *trace)
  attribute_hidden;

#endif /* _SFRAME_TRACE_H  */
