/* A program with known stacks, to test profilers: each of its functions is
   called in one way only.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: known MODULE AMOUNT

   known.paths lists the call paths.  To be compiled without frame pointers:
   functions that keep values across a call then use the register of the frame
   pointer for one of them.  */

#include "known.h"

#include <alloca.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

enum { DEEP = 40, THREADS = 2, TICKS = 8 };

/* Volatile, so that the compiler does not know the value.  */
static volatile int some = 7;

/* Functions that keep values across a call.  */

KNOWN void
plain_leaf (unsigned int amount)
{
  spin (amount);
}

KNOWN int
plain_middle (unsigned int amount, int a, int b, int c)
{
  plain_leaf (amount);
  return a * b + c;
}

KNOWN void
run_plain (unsigned int amount)
{
  some = plain_middle (amount, some, some, some) % 10;
}

/* So many calls that samples hit each of their instructions.  */

KNOWN int
brief_leaf (int a)
{
  return a + some;
}

KNOWN int
brief_middle (int a, int b, int c)
{
  int sum = brief_leaf (a);
  return sum + brief_leaf (b) * c;
}

KNOWN void
run_brief (unsigned int amount)
{
  for (unsigned int i = 0; i < amount / 8; ++i)
    {
      some = brief_middle (i, some, some) % 10;
      vary (i);
    }
}

/* Recursion.  */

KNOWN int
deep (unsigned int amount, int n)
{
  volatile int result = n;
  if (n > 1)
    result += deep (amount, n - 1);
  else
    spin (amount);
  return result;
}

KNOWN void
run_deep (unsigned int amount)
{
  some = deep (amount, DEEP) % 10;
}

/* libc calls back.  */

static unsigned int compare_amount;

KNOWN int
compare (const void *a, const void *b)
{
  spin (compare_amount);
  return *(const int *) a - *(const int *) b;
}

KNOWN void
run_qsort (unsigned int amount)
{
  int numbers[] = { 5, 2, 8, 1, 9, 3, 7, 4 };
  /* qsort makes at most 17 comparisons.  */
  compare_amount = amount / 16;
  qsort (numbers, 8, sizeof numbers[0], compare);
  some = numbers[0];
}

/* Frames of variable size.  */

KNOWN void
alloca_leaf (unsigned int amount, volatile char *space)
{
  spin (amount);
  space[0] = 1;
}

KNOWN int
alloca_middle (unsigned int amount, int size)
{
  volatile char *space = alloca (size * 16);
  alloca_leaf (amount, space);
  return space[0];
}

KNOWN void
run_alloca (unsigned int amount)
{
  some = alloca_middle (amount, some);
}

/* Frames of variable size that are aligned.  */

struct aligned
{
  volatile char bytes[64];
} __attribute__ ((aligned (64)));

KNOWN void
aligned_leaf (unsigned int amount, volatile char *space)
{
  spin (amount);
  space[0] = 1;
}

KNOWN int
aligned_middle (unsigned int amount, int size)
{
  struct aligned local;
  volatile char *space = alloca (size * 16);
  aligned_leaf (amount, local.bytes);
  space[0] = local.bytes[0];
  return space[0];
}

KNOWN void
run_aligned (unsigned int amount)
{
  some = aligned_middle (amount, some);
}

/* A function whose time is spent in page faults.  */

KNOWN void
fault_leaf (volatile char *memory, size_t size, size_t page)
{
  for (size_t i = 0; i < size; i += page)
    memory[i] = 1;
}

KNOWN void
run_fault (unsigned int amount)
{
  size_t page = sysconf (_SC_PAGESIZE), size = amount / 4096 * page;
  void *memory = mmap (NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    abort ();
  fault_leaf (memory, size, page);
  munmap (memory, size);
}

/* A signal that a function sends itself.  */

static unsigned int handler_amount;

KNOWN void
raise_leaf (unsigned int amount)
{
  spin (amount);
}

KNOWN void
raise_handler (int signal)
{
  raise_leaf (handler_amount);
  some = signal;
}

KNOWN void
run_raise (unsigned int amount)
{
  handler_amount = amount;
  signal (SIGUSR1, raise_handler);
  raise (SIGUSR1);
  STAY ();
}

/* A function that signals interrupt at any instruction, with the handler on
   another stack.  */

static volatile int ticks;

KNOWN void
tick_leaf (unsigned int amount)
{
  spin (amount);
}

KNOWN void
tick_handler (int signal)
{
  tick_leaf (handler_amount);
  some = signal;
  ++ticks;
}

/* On a busy machine the signal comes before setitimer returns.  */
KNOWN int
ticked (int count, int a, int b)
{
  struct itimerval timer = { .it_value.tv_usec = 1000 };
  setitimer (ITIMER_VIRTUAL, &timer, NULL);
  while (ticks < count)
    ;
  return a + b;
}

KNOWN void
run_tick (unsigned int amount)
{
  struct sigaction action = { .sa_handler = tick_handler, .sa_flags = SA_ONSTACK };
  static char memory[65536];
  stack_t stack = { .ss_sp = memory, .ss_size = sizeof memory };
  handler_amount = amount / TICKS;
  sigaltstack (&stack, NULL);
  sigaction (SIGVTALRM, &action, NULL);
  /* An interval timer could send signals faster than they are handled.  */
  for (int i = 1; i <= TICKS; ++i)
    some = ticked (i, some, some);
}

/* Threads, at the same time.  */

KNOWN void
thread_leaf (unsigned int amount)
{
  spin (amount);
}

KNOWN int
thread_middle (unsigned int amount, int a, int b, int c)
{
  thread_leaf (amount);
  return a * b + c;
}

KNOWN void *
thread_main (void *amount)
{
  some = thread_middle (*(unsigned int *) amount, some, some, some) % 10;
  return NULL;
}

KNOWN void
run_threads (unsigned int amount)
{
  pthread_t thread[THREADS];
  for (int i = 0; i < THREADS; ++i)
    if (pthread_create (&thread[i], NULL, thread_main, &amount) != 0)
      abort ();
  for (int i = 0; i < THREADS; ++i)
    pthread_join (thread[i], NULL);
}

/* A function in an object that is loaded at run time.  */

KNOWN void
run_module (unsigned int amount, const char *file)
{
  void *module = dlopen (file, RTLD_NOW);
  if (module == NULL)
    {
      fprintf (stderr, "%s\n", dlerror ());
      exit (2);
    }
  void (*entry) (unsigned int) = dlsym (module, "module_entry");
  entry (amount);
  dlclose (module);
}

int
main (int argc, char **argv)
{
  if (argc != 3)
    {
      fprintf (stderr, "usage: %s MODULE AMOUNT\n", argv[0]);
      return 2;
    }
  unsigned int amount = strtoul (argv[2], NULL, 10);
  run_plain (amount);
  run_brief (amount);
  run_deep (amount);
  run_qsort (amount);
  run_alloca (amount);
  run_aligned (amount);
  run_fault (amount);
  run_raise (amount);
  run_tick (amount);
  run_threads (amount);
  run_module (amount, argv[1]);
  run_templates (amount);
  return 0;
}
