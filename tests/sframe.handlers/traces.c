/* A program with a backtrace () of its own, right or wrong, to test the oracle
   of make check-handlers.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: traces whole|small|foreign|short|empty|wrong|more|died

   backtrace () is called in a thread, in a handler on an alternate stack.  */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef int backtrace_function (void **, int);

static backtrace_function *real;
static const char *kind;

static int
is (const char *other)
{
  return strcmp (kind, other) == 0;
}

/* The trace of libc without this function, changed as the argument says.  */
int __attribute__ ((noinline))
backtrace (void **array, int size)
{
  void *frames[64];
  int count = real (frames, size + 1) - 1;

  memcpy (array, frames + 1, count * sizeof *array);
  if (is ("short"))
    return count - 2;
  if (is ("empty"))
    return 0;
  if (is ("wrong"))
    array[2] = (char *) array[2] + 1;
  if (is ("more"))
    array[count++] = array[1];
  if (is ("died"))
    raise (SIGKILL);
  return count;
}

static void
handler (int signal)
{
  void *array[63];

  (void) signal;
  backtrace (array, is ("small") ? 3 : 60);
}

/* Raise the signal from code that is in no object, and jumps there.  */
static void
raise_from_nowhere (void)
{
  /* sub $8, %rsp; mov $SIGUSR1, %edi; call *%rax; add $8, %rsp; ret  */
  static const unsigned char code[] = { 0x48, 0x83, 0xec, 8, 0xbf, SIGUSR1, 0,
					0, 0, 0xff, 0xd0, 0x48, 0x83, 0xc4, 8,
					0xc3 };
  void *page = mmap (NULL, sizeof code, PROT_READ | PROT_WRITE | PROT_EXEC,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED)
    abort ();
  memcpy (page, code, sizeof code);
  asm volatile ("call *%1" : : "a" (raise), "r" (page)
		: "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc",
		"memory");
}

static void *
thread (void *stack)
{
  const stack_t alternate = { .ss_sp = stack, .ss_size = 1 << 16 };
  const struct sigaction action = { .sa_handler = handler,
				    .sa_flags = SA_ONSTACK };
  if (sigaltstack (&alternate, NULL) != 0
      || sigaction (SIGUSR1, &action, NULL) != 0)
    abort ();
  if (is ("foreign"))
    raise_from_nowhere ();
  else
    raise (SIGUSR1);
  return NULL;
}

int
main (int argc, char **argv)
{
  pthread_t id;

  kind = argc == 2 ? argv[1] : "";
  real = (backtrace_function *) (uintptr_t) dlsym (RTLD_NEXT, "backtrace");
  if (real == NULL
      || pthread_create (&id, NULL, thread, malloc (1 << 16)) != 0
      || pthread_join (id, NULL) != 0)
    return 1;
  return 0;
}
