/* Read words of the traced stack, at addresses that may be invalid.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe; no allocation, no lock; errno
   is left alone.  The initial stack of a thread is assumed to be readable from
   the stack pointer up, until there is a reason for doubt.  So reading faults
   only if the program has made pages in the middle of that stack unreadable,
   if the thread's descriptor, which has the bounds of the stack, was
   overwritten, or if another thread unmaps memory after its probe.

   All reads of the traced stack go through this file, or lie in the range that
   it has found to be readable (CURRENT).  Most words lie in the
   stack of the thread, whose bounds are known without a system call.  Other
   words are on the alternate signal stack or on a stack that the program has
   made (makecontext, coroutines); each of its pages is probed once in a trace.

   Reasons for doubt: after a signal frame of a fault, every page is probed,
   wherever it is; a step over a frame that is larger than SFRAME_LEAP probes
   the end of that frame.

   Rejected designs: probing each page always (a system call costs as much as
   many frames); asking for the bounds of the alternate stack, except before
   libgcc is used (fewer seccomp filters permit sigaltstack than the probe);
   caching pages between traces (they may be unmapped meanwhile); mincore and
   msync (they accept unreadable pages); a pipe (it may leak, and uses up
   descriptors of the program); a SIGSEGV handler (it belongs to the program,
   and to the whole process); process_vm_readv (many seccomp filters forbid
   it).  */

#ifndef _SFRAME_STACK_H
#define _SFRAME_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef attribute_hidden
# define attribute_hidden
#endif

/* The result of a probe; see sframe-probe.h.  */
enum sframe_probe
{
  sframe_readable,
  sframe_unreadable,
  /* The probe gives no answer.  */
  sframe_unknown
};

/* The words from LOW up to, but not including, HIGH.  */
struct sframe_range
{
  uintptr_t low;
  uintptr_t high;
};

/* Which words to probe in memory that is known to be readable.  */
enum sframe_doubt
{
  sframe_ask_nothing,
  sframe_ask_once,
  sframe_ask_always
};

/* What the signal actions say about the handlers of signals that report a
   fault.  */
enum sframe_handlers
{
  /* There is none, and there never was.  */
  sframe_handlers_none,
  /* Each has a siginfo_t.  */
  sframe_handlers_told,
  sframe_handlers_unknown
};

/* What one trace knows about readable memory.  */
struct sframe_stack
{
  /* A readable range; it holds the last word that __sframe_stack_find
     found.  */
  struct sframe_range current;
  /* The bounds of the thread's initial stack.  */
  struct sframe_range window;
  /* The window is known to be readable from here up: the whole window, or for
     the main thread only the part above some word in use.  */
  uintptr_t known_low;
  enum sframe_doubt doubt;
  /* The answers of probes can be trusted; see sframe-probe.h.  */
  bool checked;
};

/* Begin a trace of the calling thread.  SP is its current stack pointer.  */
void __sframe_stack_init (struct sframe_stack *stack, uintptr_t sp)
  attribute_hidden;

/* From now on, probe all words, or the next one, as DOUBT says, even in memory
   that is known to be readable.  A stronger doubt than DOUBT stays.  */
void __sframe_stack_doubt (struct sframe_stack *stack,
			   enum sframe_doubt doubt) attribute_hidden;

/* Probe the word at ADDRESS, to which a leap has led (sframe_stack_leap).  If
   it cannot be read, probe all words from now on.  */
void __sframe_stack_check (struct sframe_stack *stack, uintptr_t address)
  attribute_hidden;

/* Return whether the aligned word at ADDRESS can be read.  If so, store a
   readable range that holds it in STACK->current.  */
bool __sframe_stack_find (struct sframe_stack *stack, uintptr_t address)
  attribute_hidden;

/* Whether A and B, which need not be readable, are both on the initial stack
   of the thread.  */
bool __sframe_same_stack (const struct sframe_stack *stack, uintptr_t a,
			  uintptr_t b) attribute_hidden;

/* Whether the SIZE bytes at ADDRESS are readable; SIZE is 1 to the size of a
   page.  For memory other than the stack: each call probes.  The result is
   false if the probe gives no answer.  *CHECKED is as in struct
   sframe_stack.  */
bool __sframe_readable (uintptr_t address, size_t size, bool *checked)
  attribute_hidden;

/* Read the word at ADDRESS to *WORD.  Return false and leave *WORD alone if
   it is misaligned or not readable.  */
static inline bool
__sframe_stack_read (struct sframe_stack *stack, uintptr_t address,
		     uintptr_t *word)
{
  if (address % sizeof *word != 0)
    return false;
  if (!(address >= stack->current.low && address < stack->current.high)
      && !__sframe_stack_find (stack, address))
    return false;
  *word = *(const uintptr_t *) address;
  return true;
}

/* The largest frame that causes no doubt.  Traces must not need system calls,
   and buffers of PATH_MAX or 64 KiB are common.  */
#define SFRAME_LEAP (128 * 1024)

/* Whether CALLER_SP is so far above SP, or below it, that it must be probed.
   FP comes from the stack, which may be overwritten; so does the PC, whose
   rule gives the size of the frame.  */
static inline bool
sframe_stack_leap (uintptr_t sp, uintptr_t caller_sp)
{
  return caller_sp - sp > SFRAME_LEAP;
}

#endif /* _SFRAME_STACK_H  */
