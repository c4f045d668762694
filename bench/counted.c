/* Walk a stack between marks, so that callgrind and strace can count what a call takes.

   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: counted DEPTH [stack]

   At each mark callgrind writes the number of instructions since the last
   mark, and strace records a call of getppid.  This program itself prints lines
   "first|second|later mallocs|page faults|stack NUMBER", with tabs.  "stack"
   is the number of bytes of stack that a call in a signal handler uses.  */

#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

#include "timing.h"

int depth, asked = FRAMES, expected;
__thread void *frames[FRAMES];

static unsigned int mallocs;

#define COUNTED(name, parameters, arguments)	\
  extern void *__libc_##name parameters;	\
  void *					\
  name parameters				\
  {						\
    ++mallocs;					\
    return __libc_##name arguments;		\
  }

COUNTED (malloc, (size_t size), (size))
COUNTED (calloc, (size_t count, size_t size), (count, size))
COUNTED (realloc, (void *block, size_t size), (block, size))
COUNTED (memalign, (size_t alignment, size_t size), (alignment, size))

static long int
faults (void)
{
  struct rusage usage;
  getrusage (RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

static inline void
mark (const char *name)
{
  CALLGRIND_DUMP_STATS_AT (name);
  syscall (SYS_getppid);
}

/* Which calls count: the second one is the first to cache rules; at the last
   one, all are cached.  */
static const char *const calls[] =
  { "nothing", "first", "second", "", "later" };

/* Make all calls in one place, so that they have the same return address.  */
static int
count_calls (void)
{
  expected = depth;
  for (int i = 0; i < 5; ++i)
    {
      long int faults_before = faults ();
      unsigned int mallocs_before = mallocs;
      mark ("between");
      if (i != 0)
	walk ();
      mark (calls[i]);
      unsigned int mallocs_now = mallocs;
      long int faults_now = faults ();
      if (i != 0)
	check_frames ();
      printf ("%s\tpage faults\t%ld\n", calls[i], faults_now - faults_before);
      printf ("%s\tmallocs\t%u\n", calls[i], mallocs_now - mallocs_before);
    }
  return 0;
}

/* The alternate stack, which is filled with PAINT to see where a call writes;
   and its top in the handler.  */
enum { STACK = 1 << 18, PAINT = 0xa5 };

static unsigned char stack[STACK] __attribute__ ((aligned (4096)));
static unsigned char *volatile top;

static void
on_signal (int signal)
{
  (void) signal;
  top = __builtin_frame_address (0);
  walk ();
  check_frames ();
}

static void
count_stack (const char *which)
{
  unsigned char *low = stack;

  memset (stack, PAINT, STACK);
  raise (SIGUSR1);
  while (*low == PAINT)
    ++low;
  printf ("%s\tstack\t%ld\n", which, (long int) (top - low));
}

static int
count_stacks (void)
{
  stack_t alternate = { .ss_sp = stack, .ss_size = STACK };
  struct sigaction action = { .sa_handler = on_signal,
			      .sa_flags = SA_ONSTACK };

  sigaltstack (&alternate, NULL);
  sigaction (SIGUSR1, &action, NULL);
  count_stack ("first");
  raise (SIGUSR1);
  count_stack ("later");
  return 0;
}

int
main (int argc, char **argv)
{
  if (argc < 2)
    {
      fprintf (stderr, "usage: %s DEPTH [stack]\n", argv[0]);
      return 2;
    }
  depth = atoi (argv[1]);
  BEGIN_STACK ();
  on_stack (argc == 2 ? count_calls : count_stacks, MAIN_FRAMES);
}
