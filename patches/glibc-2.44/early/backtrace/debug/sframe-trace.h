/* The state of a trace, as long as no rules are cached.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The functions below store nothing and find nothing; a later patch replaces
   this file by one with a cache.  */

#ifndef _SFRAME_TRACE_H
#define _SFRAME_TRACE_H

#include <sframe-step.h>

struct sframe_trace
{
  void **array;
  int size;
  int count;
  /* The count of unloaded objects when the trace began.  */
  uint64_t generation;
  /* Not used without a cache; TABLE is always 0: none.  */
  uint32_t path;
  uint8_t table;
  /* Keeps the objects that this trace has found; see sframe-pin.h.  */
  uint8_t pin;
  /* Prefer .eh_frame, which recovers all registers.  The flags are bit-fields
     to save stack.  */
  bool all_registers : 1;
  /* Not used without a cache.  */
  bool missed : 1;
  /* One of the frames so far was interrupted by a signal.  */
  bool in_handler : 1;
  /* How many steps have not raised SP, and PC and SP after one of them; see
     comes_again in sframe-backtrace.c.  */
  unsigned int turns;
  uintptr_t turn_pc;
  uintptr_t turn_sp;
  /* The object of the last frame: an sframe_module, of which this header must
     not know the type.  */
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

#define sframe_cache_prefault(cache) ((void) 0)
#define sframe_cache_start(cache) 0

static inline unsigned int
__sframe_cache_largest (void)
{
  return 0;
}

static inline uint64_t
__sframe_cache_rule (struct sframe_trace *trace,
		     const struct sframe_rule *rule)
{
  return 0;
}

static inline unsigned int
__sframe_drop_cached (const struct sframe_trace *trace,
		      const uintptr_t *words, uint8_t *indices,
		      unsigned int count, unsigned int room)
{
  return count < room ? count : room;
}

static inline bool
__sframe_step_cached (struct sframe_trace *trace, uint64_t word)
{
  return false;
}

static inline enum sframe_step_status
__sframe_walk_cached (struct sframe_trace *trace)
{
  return SFRAME_STEP_CALLER;
}

#endif /* _SFRAME_TRACE_H  */
