/* Test that backtrace never loads libgcc, also if it does not understand the
   tables of its caller.

   SPDX-License-Identifier: LGPL-2.1-or-later

   This program has neither SFrame nor .eh_frame_hdr, so each trace ends at its
   first frame.  Loading libgcc would call malloc, and wait for ever if the
   caller is an allocator that holds its own lock.  */

#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <support/xsignal.h>
#include <support/xthread.h>
#include <support/xunistd.h>

#include "tst-sframe-asm.h"
#include "tst-sframe-support.h"

static bool called;

static void FRAME
handler (int signo)
{
  void *pc[TRACE_MAX];
  called = backtrace (pc, TRACE_MAX) >= 1;
  KEEP_FRAME ();
}

static void
install (int flags)
{
  struct sigaction sa = { .sa_handler = handler, .sa_flags = flags };
  xsigaction (SIGUSR1, &sa, NULL);
}

static void
on_this_stack (void)
{
  install (0);
  raise (SIGUSR1);
}

static void
with_siginfo (void)
{
  install (SA_SIGINFO | SA_NODEFER);
  raise (SIGUSR1);
}

static void
on_alternate_stack (void)
{
  size_t size = 64 * 1024;
  void *stack = xmmap (NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1);
  stack_t ss = { .ss_sp = stack, .ss_size = size };
  TEST_COMPARE (sigaltstack (&ss, NULL), 0);
  install (SA_ONSTACK);
  raise (SIGUSR1);
}

static void *
thread (void *closure)
{
  on_this_stack ();
  return closure;
}

static void
in_thread (void)
{
  xpthread_join (xpthread_create (NULL, thread, NULL));
}

#if HAVE_SFRAME_X86
/* A handler that does not return through libc's trampoline.  */
extern void other_trampoline (void);
asm (".pushsection .text\n"
     "nop\n"
     "other_trampoline: mov $15, %eax\n"
     "syscall\n"
     ".popsection");

static void
by_other_trampoline (void)
{
  struct
  {
    void (*handler) (int);
    unsigned long int flags;
    void (*restorer) (void);
    unsigned long int mask;
  } sa = { handler, 0x04000000, other_trampoline, 0 };

  TEST_COMPARE (syscall (SYS_rt_sigaction, SIGUSR1, &sa, NULL, 8), 0);
  raise (SIGUSR1);
}
#endif

/* Run FUNCTION in another process; check that it does not load libgcc.  */
static void
run (const char *name, void (*function) (void))
{
  printf ("info: %s\n", name);
  fflush (stdout);
  pid_t pid = xfork ();
  if (pid == 0)
    {
      function ();
      _exit (called && !libgcc_is_loaded () ? 0 : 1);
    }
  int status;
  xwaitpid (pid, &status, 0);
  TEST_COMPARE (status, 0);
}

static void
no_handler (void)
{
  handler (0);
}

static int
do_test (void)
{
  run ("on the thread's stack", on_this_stack);
  run ("with SA_SIGINFO and SA_NODEFER", with_siginfo);
  run ("on an alternate stack", on_alternate_stack);
  run ("in a thread", in_thread);
#if HAVE_SFRAME_X86
  run ("by another trampoline", by_other_trampoline);
#endif
  run ("without a handler", no_handler);
  return 0;
}

#include <support/test-driver.c>
