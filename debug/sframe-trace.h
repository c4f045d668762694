/* A trace being taken, and the rules that earlier ones have left behind.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe; no allocation, no lock, no
   system call; no fault, whatever the stack holds.  */

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
  uint16_t path;
  /* Rules are remembered in __sframe_cache.  Not in the first trace of a
     process, which is the only one of most that crash, and would pay for the
     memory.  */
  bool remembers;
  /* Go by .eh_frame where possible, to know all registers.  */
  bool all_registers;
  /* The rule of the frame was looked for, and is not remembered.  */
  bool missed;
  /* A signal has interrupted one of the frames so far.  */
  bool in_handler;
  /* What keeps the objects that this trace has found; see sframe-reader.h.  */
  uint8_t reader;
  /* The object of the last frame whose rule was not remembered.  */
  const struct link_map *map;
  struct sframe_registers *registers;
  struct sframe_stack stack;
};

/* The rules of frames that were traced before, and which followed which.  */
extern struct sframe_cache __sframe_cache attribute_hidden;

/* Remember RULE as that of the frame in TRACE's registers, if rules are.  */
void __sframe_remember (struct sframe_trace *trace,
			const struct sframe_rule *rule) attribute_hidden;

/* Take the steps for which rules are remembered, as long as there is room, and
   the words are where the trace has found others.  The registers that are
   known then are SP and FP, as after any step by SFrame.  The result is
   SFRAME_STEP_OUTERMOST, or SFRAME_STEP_CALLER if the frame in TRACE's
   registers has to be looked at closely or TRACE is full.  */
enum sframe_step_status __sframe_walk_remembered (struct sframe_trace *trace)
  attribute_hidden;

#endif /* _SFRAME_TRACE_H  */
