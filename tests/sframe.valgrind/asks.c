/* A program with traces for which backtrace () asks whether memory is
   readable: on an alternate stack, and after a fault signal.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { STACK_SIZE = 64 * 1024, ROUNDS = 3 };

static int shortest = 64;

static void
handler (int signo)
{
  void *array[64];

  for (int i = 0; i < ROUNDS; ++i)
    {
      int count = backtrace (array, 64);
      if (count < shortest)
	shortest = count;
    }
  (void) signo;
}

int
main (void)
{
  stack_t ss = { .ss_sp = malloc (STACK_SIZE), .ss_size = STACK_SIZE };
  struct sigaction sa = { .sa_handler = handler,
			  .sa_flags = SA_ONSTACK | SA_SIGINFO };

  if (ss.ss_sp == NULL || sigaltstack (&ss, NULL) != 0
      || sigaction (SIGUSR1, &sa, NULL) != 0
      || sigaction (SIGSEGV, &sa, NULL) != 0)
    return 2;
  raise (SIGUSR1);
  raise (SIGSEGV);
  ss.ss_flags = SS_DISABLE;
  sigaltstack (&ss, NULL);
  free (ss.ss_sp);
  printf ("shortest %d\n", shortest);
  /* handler, the trampoline, two or more in libc, main and its callers.  */
  return shortest < 6;
}
