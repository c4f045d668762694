/* The one door for words of the traced stack, each of which may be rubbish.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe; no allocation, no lock; errno
   is left alone.  Reading does not fault, with one exception: the stack that
   a thread began with is taken to be readable from the stack pointer up,
   until there is a reason for doubt.  A program that makes pages in the
   middle of it unreadable must not also have overwritten what lies below.

   Most words lie in the stack of the thread, whose bounds are known without
   asking anybody.  A word elsewhere is on the alternate signal stack or on one
   that the program made (makecontext, coroutines), of which each page is
   probed once in a trace.

   Reasons for doubt are a signal that tells of a fault, beyond which each page
   is probed wherever it is, and a frame pointer that leads farther up than
   SFRAME_LEAP, of which the next word is.

   Ways that were not taken: probing each page always (a system call costs as
   much as many frames); asking for the bounds of the alternate stack (fewer
   seccomp filters permit sigaltstack than the probe); remembering pages
   between traces (they may be unmapped meanwhile); mincore and msync (they
   accept pages that cannot be read); a pipe (a resource to leak, and one of
   the program's descriptors); a SIGSEGV handler (the program's business, and
   of the whole process); process_vm_readv (forbidden by many seccomp
   filters).  */

#ifndef _SFRAME_STACK_H
#define _SFRAME_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef attribute_hidden
# define attribute_hidden
#endif

/* What the system says of a word, see sframe-probe.h.  */
enum sframe_probe
{
  sframe_readable,
  sframe_unreadable,
  /* It does not tell.  */
  sframe_unknown
};

/* Words from LOW up to, not including, HIGH.  Empty if both are equal.  */
struct sframe_range
{
  uintptr_t low;
  uintptr_t high;
};

/* What has to be asked about words in memory that is known.  */
enum sframe_doubt
{
  sframe_ask_nothing,
  sframe_ask_once,
  sframe_ask_always
};

/* What is known of the memory in one trace.  */
struct sframe_stack
{
  /* Readable, and where the last word was found.  */
  struct sframe_range current;
  /* Where the thread's stack may reach to.  */
  struct sframe_range window;
  /* From here on the window is known to be readable: all of it, but of the main
     thread's only the part above some word in use.  */
  uintptr_t known_low;
  enum sframe_doubt doubt;
};

/* Begin a trace of the calling thread.  SP is its stack pointer now.  */
void __sframe_stack_init (struct sframe_stack *stack, uintptr_t sp)
  attribute_hidden;

/* Ask about all words from now on, or about the next one, as DOUBT says, even
   in memory that is known.  What was to be asked about already still is.  */
void __sframe_stack_doubt (struct sframe_stack *stack,
			   enum sframe_doubt doubt) attribute_hidden;

/* Find out whether the aligned word at ADDRESS can be read; if so, return
   true with a range that holds it in STACK->current.  */
bool __sframe_stack_find (struct sframe_stack *stack, uintptr_t address)
  attribute_hidden;

/* Whether the words at A and B, which need not be readable, are both on the
   stack that the thread began with.  */
bool __sframe_same_stack (const struct sframe_stack *stack, uintptr_t a,
			  uintptr_t b) attribute_hidden;

/* Whether the SIZE bytes at ADDRESS, from one to a page, are known to be
   readable.  For what is not the stack; asks the system each time.  If the
   system does not tell, the answer is false.  */
bool __sframe_readable (uintptr_t address, size_t size) attribute_hidden;

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

/* How large a frame can be whose extent only FP tells, without causing doubt.
   Programs that have frame pointers in all functions are to be traced without
   a system call, and buffers of PATH_MAX or 64 KiB are common.  */
#define SFRAME_LEAP (128 * 1024)

/* Whether SP and the caller's SP are so far apart that FP, which gave the
   latter and is a word of the stack, is not to be trusted alone.  */
static inline bool
sframe_stack_leap (uintptr_t sp, uintptr_t caller_sp)
{
  return caller_sp - sp > SFRAME_LEAP;
}

#endif /* _SFRAME_STACK_H  */
