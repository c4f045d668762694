/* Test backtrace after an overrun that has overwritten the thread's own
   descriptor, which lies above its stack.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <execinfo.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <support/check.h>
#include <support/xsignal.h>
#include <support/xthread.h>
#include <support/xunistd.h>

#define STACK_SIZE (256 * 1024)

enum { good, few_frames, wrong_frame, faulted };

/* Where the code of overrun is.  */
static uintptr_t overrun_start, overrun_end;
static char alternate[64 * 1024];
static volatile sig_atomic_t faults;

/* Only the frames up to the overrun's own are intact.  */
static void
handler (int signo, siginfo_t *info, void *context)
{
  void *frames[16];

  if (faults++ > 0)
    _exit (faulted);
  int count = backtrace (frames, 16);
  if (count < 3)
    _exit (few_frames);
  uintptr_t pc = (uintptr_t) frames[2];
  _exit (pc >= overrun_start && pc <= overrun_end ? good : wrong_frame);
}

/* Write zeros up to the hole above the thread's stack.  */
static void __attribute__ ((noinline, noclone))
overrun (void)
{
  volatile char buffer[64];
  volatile char *at = buffer;

  __asm__ ("" : "+r" (at));
  while (true)
    *at++ = 0;
}

static void *
thread_function (void *closure)
{
  stack_t stack = { .ss_sp = alternate, .ss_size = sizeof alternate };

  TEST_COMPARE (sigaltstack (&stack, NULL), 0);
  overrun ();
  return NULL;
}

static void
overrun_in_thread (char *stack)
{
  struct sigaction action
    = { .sa_sigaction = handler,
	.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };
  pthread_attr_t attr;

  xsigaction (SIGSEGV, &action, NULL);
  xpthread_attr_init (&attr);
  xpthread_attr_setstack (&attr, stack, STACK_SIZE);
  xpthread_create (&attr, thread_function, NULL);
  /* pthread_join would return when the thread's descriptor is overwritten, and
     then fault, too.  The handler ends the process.  */
  while (true)
    pause ();
}

static int
do_test (void)
{
  size_t page = getpagesize ();
  char *stack = xmmap (NULL, STACK_SIZE + page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1);

  xmprotect (stack + STACK_SIZE, page, PROT_NONE);
  overrun_start = (uintptr_t) overrun;
  overrun_end = overrun_start + 256;
  pid_t child = xfork ();
  if (child == 0)
    overrun_in_thread (stack);
  int status;
  xwaitpid (child, &status, 0);
  TEST_VERIFY (WIFEXITED (status));
  TEST_COMPARE (WEXITSTATUS (status), good);
  return 0;
}

#include <support/test-driver.c>
