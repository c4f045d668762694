/* Trace the stack in a signal handler at every instruction of a piece of code;
   a debugger sends the signals.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Two calls of getppid tell the debugger where the piece begins and ends.
   Each trace must end like one that was taken before; where libgcc's unwinder
   reaches that end, both must agree on all frames.  The program is linked
   statically: if libgcc_s is in the process, backtrace has loaded it.  */

#define _GNU_SOURCE
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

enum { FRAMES = 64 };

/* At how many of ten instructions libgcc's trace must be whole, at least.  On
   s390x it is at all of them.  */
#ifdef __s390x__
enum { COMPARED_LEAST = 9 };
#else
enum { COMPARED_LEAST = 5 };
#endif

struct trace
{
  int count;
  void *pc[FRAMES];
};

static struct trace base, ours, theirs;
/* The return address of work.  */
static void *caller;
static int steps, compared, short_traces, differences;
static struct trace bad[2];

extern int plugin_sum (int, int, int, int, int, int, int);

static _Unwind_Reason_Code
note_frame (struct _Unwind_Context *context, void *closure)
{
  struct trace *trace = closure;
  void *pc = (void *) _Unwind_GetIP (context);

  if (pc == NULL || trace->count == FRAMES)
    return _URC_END_OF_STACK;
  trace->pc[trace->count++] = pc;
  return _URC_NO_REASON;
}

static int work (void);

/* Whether TRACE ends with a frame of work, its caller, and the callers of that,
   which made BASE.  */
static int
has_tail (const struct trace *trace)
{
  int tail = base.count - 1;
  int at = trace->count - tail - 1;

  return (at > 0
	  && memcmp (trace->pc + at + 1, base.pc + 1,
		     tail * sizeof (void *)) == 0
	  && trace->pc[at] == caller
	  && (_Unwind_FindEnclosingFunction (trace->pc[at - 1])
	      == (void *) work));
}

static void
keep (void)
{
  if (short_traces + differences > 1)
    return;
  bad[0] = ours;
  bad[1] = theirs;
}

/* The first stop of the debugger, when the registers still hold the
   arguments.  */
extern void enter_handler (int);
asm (".text\n"
#if defined __s390x__
     "enter_handler: nopr\n"
     "jg handler\n"
#elif defined __aarch64__
     "enter_handler: hint #34\n"
     "b handler\n"
#endif
     );

/* Frame 0 of both is in this function.  */
void
handler (int signo)
{
  ours.count = backtrace (ours.pc, FRAMES);
  theirs.count = 0;
  _Unwind_Backtrace (note_frame, &theirs);
  ++steps;
  if (!has_tail (&ours))
    {
      ++short_traces;
      keep ();
    }
  else if (has_tail (&theirs))
    {
      ++compared;
      if (ours.count != theirs.count
	  || memcmp (ours.pc + 1, theirs.pc + 1,
		     (ours.count - 1) * sizeof (void *)) != 0)
	{
	  ++differences;
	  keep ();
	}
    }
}

static int
compare (const void *a, const void *b)
{
  return *(const int *) a - *(const int *) b;
}

static __attribute__ ((noinline)) int
variable (int size)
{
  volatile char buffer[size];
  buffer[size - 1] = size;
  return snprintf ((char *) buffer, size, "%d %g", size, size / 7.0);
}

/* The first call of plugin_sum binds it.  */
static __attribute__ ((noinline)) int
work (void)
{
  int numbers[] = { 3, 1, 2 };

  caller = __builtin_return_address (0);
  syscall (SYS_getppid);
  int result = plugin_sum (1, 2, 3, 4, 5, 6, 7);
  result += plugin_sum (1, 2, 3, 4, 5, 6, 7);
  qsort (numbers, 3, sizeof numbers[0], compare);
  result += variable (numbers[2] * 10);
  syscall (SYS_getppid);
  return result;
}

static __attribute__ ((noinline)) int
run (void)
{
  base.count = backtrace (base.pc, FRAMES);
  int result = work ();
  return result != 56 + (int) strlen ("30 4.28571");
}

static int
report (const char *name, int good)
{
  printf ("%s: %s\n", good ? "PASS" : "FAIL", name);
  return !good;
}

int
main (void)
{
  struct sigaction action = { .sa_handler = enter_handler,
			      .sa_flags = SA_SIGINFO };
  char line[4096];
  int loaded = 0;

  /* Bind the functions that the handler calls.  */
  sigaction (SIGUSR1, &action, NULL);
  raise (SIGUSR1);
  steps = compared = short_traces = differences = 0;
  int status = run ();

  FILE *maps = fopen ("/proc/self/maps", "r");
  while (maps != NULL && fgets (line, sizeof line, maps) != NULL)
    loaded |= strstr (line, "/libgcc_s") != NULL;
  printf ("%d instructions, %d compared with libgcc\n", steps, compared);
  status |= report ("most instructions were compared",
		    steps > 1000 && compared > steps * COMPARED_LEAST / 10);
  status |= report ("each trace is complete", short_traces == 0);
  status |= report ("each trace is the same as libgcc's", differences == 0);
  status |= report ("libgcc_s was not loaded", maps != NULL && !loaded);
  if (short_traces + differences > 0)
    for (int i = 0; i < 2; ++i)
      {
	fflush (stdout);
	backtrace_symbols_fd (bad[i].pc, bad[i].count, STDOUT_FILENO);
      }
  return status;
}
