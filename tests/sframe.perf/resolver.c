/* Functions that are bound at their first call, in processes each of which
   takes page faults in the dynamic linker.

   SPDX-License-Identifier: GPL-2.0-only  */

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

enum { CHILDREN = 60 };

/* Prevent tail calls, so that callers stay on the stack.  */
#define NOINLINE __attribute__ ((noinline, noclone))
#define KEEP() asm volatile ("" : : : "memory")

static volatile long answer;
static char *volatile text;

/* Only the first call of each function in a process is of interest.  */
static void NOINLINE
bind_all (void)
{
  char local[40];

  memset (local, 1, sizeof local);
  asm volatile ("" : : "r" (local) : "memory");
  answer += strtol (text, NULL, 10);
  answer += strspn (text, "0123");
  answer += strcasecmp (text, "x");
  answer += strrchr (text, '4') != NULL;
  answer += strpbrk (text, "9") != NULL;
  answer += wcslen (L"abc");
  answer += atoi (text);
  answer += getppid ();
  answer += strtod (text, NULL) > 1;
  KEEP ();
}

static void NOINLINE
be_child (void)
{
  bind_all ();
  KEEP ();
}

int
main (void)
{
  text = strdup ("1234");
  for (int i = 0; i < CHILDREN; ++i)
    {
      pid_t pid = fork ();
      if (pid == 0)
	{
	  be_child ();
	  _exit (answer == 0);
	}
      if (pid < 0 || waitpid (pid, NULL, 0) != pid)
	return 1;
    }
  return 0;
}
