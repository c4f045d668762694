/* Test backtrace in a signal handler that returns to a trampoline outside all
   objects, such as older kernels and emulators put on the stack.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <stdint.h>
#include <sys/mman.h>

#include <support/xunistd.h>

#include "tst-sframe-support.h"
#include "tst-sframe-asm.h"

#if HAVE_SFRAME_S390X

/* A flag of the kernel that signal.h does not define.  */
# define SA_RESTORER 0x04000000

static struct trace trace;

static void
handler (int signo)
{
  trace.count = backtrace (trace.pc, TRACE_MAX);
  KEEP_FRAME ();
}

/* One call of raise, so that all traces have the same return address.  */
static void FRAME
take (struct trace *result, int flags, void *trampoline)
{
  struct sigaction sa = { .sa_handler = handler, .sa_flags = flags };
  if (trampoline != NULL)
    {
      sa.sa_flags |= SA_RESTORER;
      sa.sa_restorer = (void (*) (void)) trampoline;
    }
  xsigaction (SIGUSR1, &sa, NULL);
  raise (SIGUSR1);
  *result = trace;
}

/* INSTRUCTION is the system call for FLAGS.  It need only be aligned to its
   size.  */
static void
check (int flags, uint16_t instruction, char *page)
{
  struct trace traces[3];
  void *trampolines[] = { NULL, page, page + 6 };

  memcpy (trampolines[1], &instruction, sizeof (instruction));
  memcpy (trampolines[2], &instruction, sizeof (instruction));
  for (volatile int i = 0; i < 3; ++i)
    take (&traces[i], flags, trampolines[i]);

  /* Frame 0 is the handler, and 1 is the trampoline.  */
  TEST_VERIFY (traces[0].count > 5);
  for (int i = 1; i < 3; ++i)
    {
      TEST_COMPARE (traces[i].count, traces[0].count);
      TEST_VERIFY (traces[i].pc[1] == trampolines[i]);
      TEST_COMPARE_BLOB (traces[i].pc + 2,
			 (traces[i].count - 2) * sizeof (void *),
			 traces[0].pc + 2,
			 (traces[0].count - 2) * sizeof (void *));
    }
}

static int
do_test (void)
{
  char *page = xmmap (NULL, 1, PROT_READ | PROT_WRITE | PROT_EXEC,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1);
  check (0, 0x0a77, page);
  check (SA_SIGINFO, 0x0aad, page);
  check_no_fallback ();
  return 0;
}

#else
static int
do_test (void)
{
  FAIL_UNSUPPORTED ("the trampoline is in the C library");
}
#endif

#include <support/test-driver.c>
