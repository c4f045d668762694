/* Test backtrace on stacks that the program supplies: to pthread_create, and
   to clone, where the C library does not know the stack.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <support/support.h>
#include <support/xunistd.h>

#include "tst-sframe-own-stack.h"
#include "tst-sframe-support.h"

#define STACK_SIZE (256 * 1024)

/* Shared with the clone even if an emulator implements it by fork.  */
static struct trace_pair *pair;

static void * FRAME
thread_function (void *closure)
{
  collect (pair);
  KEEP_FRAME ();
  return closure;
}

static int FRAME
clone_function (void *closure)
{
  collect (pair);
  KEEP_FRAME ();
  return 0;
}

static int
do_test (void)
{
  pair = support_shared_allocate (sizeof (*pair));
  void *stack = xmmap (NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1);
  run_on_stack (stack, STACK_SIZE, thread_function, NULL);
  check_no_fallback ();
  check_same_with (pair, thread_function);

  /* The parent must wait, because the child uses the parent's thread control
     block.  */
  pid_t pid = clone (clone_function, stack + STACK_SIZE,
		     CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
  TEST_VERIFY_EXIT (pid > 0);
  int status;
  TEST_COMPARE (xwaitpid (pid, &status, 0), pid);
  TEST_COMPARE (status, 0);
  check_no_fallback ();
  check_same_with (pair, clone_function);

  xmunmap (stack, STACK_SIZE);
  support_shared_free (pair);
  return 0;
}

#include <support/test-driver.c>
