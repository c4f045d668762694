/* The state of a trace, and steps by the rules that earlier traces cached.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe; no lock; no allocation and no
   system call, except the mmap in __sframe_cache_grow; no fault, whatever the
   stack holds, except in the cases that sframe-stack.h lists.  */

#ifndef _SFRAME_TRACE_H
#define _SFRAME_TRACE_H

#include <sframe-cache.h>
#include <sframe-step.h>

struct sframe_trace
{
  void **array;
  int size;
  int count;
  /* The count of unloaded objects when the trace began.  */
  uint64_t generation;
  /* A hash of the cached frames so far, see sframe_cache_path.  */
  uint32_t path;
  /* The cache table of this trace: a number for __sframe_cache_table, or 0:
     none.  The first trace of a process uses none, to touch no page of it: a
     crash handler often takes only one trace.  */
  uint8_t table;
  /* Keeps the objects that this trace has found; see sframe-pin.h.  */
  uint8_t pin;
  /* Prefer .eh_frame, which recovers all registers.  The flags are bit-fields
     to save stack.  */
  bool all_registers : 1;
  /* The last lookup in the cache found no rule.  */
  bool missed : 1;
  /* One of the frames so far was interrupted by a signal.  */
  bool in_handler : 1;
  /* How many steps have not raised SP, and PC and SP after one of them; see
     comes_again in sframe-backtrace.c.  */
  unsigned int turns;
  uintptr_t turn_pc;
  uintptr_t turn_sp;
  /* The object of the last frame whose rule was not cached: an sframe_module,
     of which this header must not know the type.  */
  const void *module;
  /* Its section.  All zero if the section was not read yet.  */
  struct sframe_section section;
  /* Up to here the stack was searched for return addresses, and the functions
     of those that were found; see sframe-ahead.h.  */
  uintptr_t ahead;
  struct sframe_functions functions;
  struct sframe_registers *registers;
  struct sframe_stack stack;
};

/* The first cache table.  */
extern union sframe_cache_first __sframe_cache attribute_hidden;

/* The number of the largest cache table, and the table with NUMBER.  Table 1
   is __sframe_cache.  */
unsigned int __sframe_cache_largest (void) attribute_hidden;
struct sframe_cache *__sframe_cache_table (unsigned int number)
  attribute_hidden;

/* Allocate a table larger than table NUMBER for later traces, if there is none
   yet.  This calls mmap, at most twice in the life of a process if it
   succeeds and no two threads do it at the same time.  After a failure it
   tries again when the slots have been stored twice as many times.  */
void __sframe_cache_grow (unsigned int number) attribute_hidden;

/* Cache RULE as that of the frame in TRACE's registers, if TRACE has a table.
   Return RULE as a word, or 0 if it was not cached.  */
uint64_t __sframe_cache_rule (struct sframe_trace *trace,
			      const struct sframe_rule *rule) attribute_hidden;

/* Drop those of the COUNT INDICES of WORDS for which a rule seems to be
   cached, and return how many are left, at most ROOM.  WORDS are return
   addresses.  */
unsigned int __sframe_drop_cached (const struct sframe_trace *trace,
				   const uintptr_t *words, uint8_t *indices,
				   unsigned int count, unsigned int room)
  attribute_hidden;

/* Step to the caller by the rule WORD, faster than __sframe_step.  Return
   false and leave TRACE alone if WORD is 0 or the frame needs more checks than
   a cached rule has.  */
bool __sframe_step_cached (struct sframe_trace *trace, uint64_t word)
  attribute_hidden;

/* Step by cached rules and store the PCs, until the array is full, a frame has
   no cached rule, or a frame lies outside the memory known to be readable.  SP
   and FP are known then, as after any step by SFrame.  The result is
   SFRAME_STEP_OUTERMOST, or SFRAME_STEP_CALLER if the array is full or another
   kind of step is needed from the frame in TRACE's registers.  */
enum sframe_step_status __sframe_walk_cached (struct sframe_trace *trace)
  attribute_hidden;

#endif /* _SFRAME_TRACE_H  */
