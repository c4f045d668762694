/* Test that the first backtrace in a process calls no memory allocator: it is
   called in a signal handler that has interrupted malloc.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include "tst-sframe-support.h"

/* Call a function; another test defines its own CALL.  */
#ifndef CALL
# define CALL(function) function ()
#endif

/* Enough for the test driver.  Memory is never reused.  */
static _Alignas (max_align_t) char arena[1024 * 1024];
static size_t arena_used;

static bool raise_in_malloc;
static bool in_backtrace;
static int calls_in_backtrace;

/* The first traces of the process: the second one fills the cache, which the
   third one uses.  */
enum { TRACES = 3 };
static struct trace first[TRACES];

static struct trace_pair pair;

static void *
allocate (size_t alignment, size_t size)
{
  calls_in_backtrace += in_backtrace;
  size_t start = (arena_used + alignment - 1) & -alignment;
  if (start > sizeof (arena) || size > sizeof (arena) - start)
    {
      errno = ENOMEM;
      return NULL;
    }
  arena_used = start + size;
  return arena + start;
}

void * FRAME
malloc (size_t size)
{
  if (raise_in_malloc)
    {
      raise_in_malloc = false;
      raise (SIGUSR1);
    }
  return allocate (_Alignof (max_align_t), size);
}

void *
calloc (size_t count, size_t size)
{
  size_t bytes;
  if (__builtin_mul_overflow (count, size, &bytes))
    return NULL;
  /* The arena was never written to.  */
  return allocate (_Alignof (max_align_t), bytes);
}

void *
realloc (void *old, size_t size)
{
  char *new = allocate (_Alignof (max_align_t), size);
  /* The size of OLD is not known, only that it ends before NEW.  */
  if (new != NULL && old != NULL)
    memcpy (new, old, size < (size_t) (new - (char *) old)
			 ? size : (size_t) (new - (char *) old));
  return new;
}

void *
memalign (size_t alignment, size_t size)
{
  return allocate (alignment, size);
}

void *
aligned_alloc (size_t alignment, size_t size)
{
  return allocate (alignment, size);
}

int
posix_memalign (void **result, size_t alignment, size_t size)
{
  *result = allocate (alignment, size);
  return *result == NULL ? ENOMEM : 0;
}

void
free (void *block)
{
  calls_in_backtrace += in_backtrace;
}

static void
handler (int signo)
{
  in_backtrace = true;
  for (int i = 0; i < TRACES; ++i)
    first[i].count = backtrace (first[i].pc, TRACE_MAX);
  in_backtrace = false;

  collect (&pair);
  KEEP_FRAME ();
}

/* Check that the first traces have the frames of the later ones, which have
   one more: that of collect.  Frame 0 was at another instruction.  */
static void
check_first (void)
{
  for (int i = 0; i < TRACES; ++i)
    {
      TEST_COMPARE (first[i].count, pair.ours.count - 1);
      TEST_COMPARE_BLOB (first[i].pc + 1,
			 (first[i].count - 1) * sizeof (void *),
			 pair.ours.pc + 2,
			 (pair.ours.count - 2) * sizeof (void *));
    }
}

static void FRAME
call_malloc (void)
{
  raise_in_malloc = true;
  void *(*volatile call) (size_t) = malloc;
  TEST_VERIFY (call (1) != NULL);
}

static int
do_test (void)
{
  handle_signal (SIGUSR1, handler);
  CALL (call_malloc);
  TEST_VERIFY (!raise_in_malloc);

  TEST_COMPARE (calls_in_backtrace, 0);
  check_no_fallback ();
  check_same_with (&pair, malloc);
  TEST_VERIFY (count_frames (&pair.oracle, call_malloc) > 0);
  check_first ();
  return 0;
}

#include <support/test-driver.c>
