/* Test backtrace in a cancelled thread: in a signal handler while the
   thread waits in a system call, in its cleanup handler and in a
   destructor of thread-specific data.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <link.h>
#include <signal.h>
#include <sys/mman.h>

#include <support/process_state.h>
#include <support/support.h>
#include <support/xthread.h>
#include <support/xunistd.h>

#include "tst-sframe-support.h"

static struct trace_pair in_handler;
static struct trace_pair in_cleanup;
static struct trace_pair in_destructor;
static pthread_barrier_t barrier;
static pthread_key_t key;
static pid_t tid;

/* Cancellation loads libgcc_s.so, so its absence cannot show that backtrace
   does not use it.  Make its code inaccessible instead, so that using it
   faults.  */
static int
protect_libgcc (struct dl_phdr_info *info, size_t size, void *closure)
{
  if (strstr (info->dlpi_name, "/libgcc_s") == NULL)
    return 0;
  const int *protection = closure;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    {
      const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
      if (ph->p_type != PT_LOAD || (ph->p_flags & PF_X) == 0)
	continue;
      uintptr_t start = info->dlpi_addr + ph->p_vaddr;
      uintptr_t page = start & -sysconf (_SC_PAGESIZE);
      xmprotect ((void *) page, start + ph->p_memsz - page, *protection);
    }
  return 1;
}

static void FRAME
collect_locked_up (struct trace_pair *pair)
{
  int protection = PROT_READ;
  TEST_COMPARE (dl_iterate_phdr (protect_libgcc, &protection), 1);
  collect (pair);
  protection = PROT_READ | PROT_EXEC;
  TEST_COMPARE (dl_iterate_phdr (protect_libgcc, &protection), 1);
}

static void
handler (int signo)
{
  collect (&in_handler);
  xpthread_barrier_wait (&barrier);
}

static void FRAME
cleanup (void *closure)
{
  collect_locked_up (closure);
  KEEP_FRAME ();
}

static void FRAME
destructor (void *closure)
{
  collect_locked_up (closure);
  KEEP_FRAME ();
}

static void FRAME
wait_to_be_cancelled (void)
{
  pthread_cleanup_push (cleanup, &in_cleanup);
  pause ();
  /* The first pause was ended by the signal.  */
  pause ();
  pthread_cleanup_pop (0);
}

static void * FRAME
thread_function (void *closure)
{
  TEST_COMPARE (pthread_setspecific (key, &in_destructor), 0);
  tid = gettid ();
  xpthread_barrier_wait (&barrier);
  wait_to_be_cancelled ();
  return closure;
}

static int
do_test (void)
{
  handle_signal (SIGUSR1, handler);
  key = xpthread_key_create (destructor);
  xpthread_barrier_init (&barrier, NULL, 2);
  pthread_t thread = xpthread_create (NULL, thread_function, NULL);
  xpthread_barrier_wait (&barrier);

  support_process_state_wait (tid, support_process_state_sleeping);
  xpthread_kill (thread, SIGUSR1);
  xpthread_barrier_wait (&barrier);
  check_no_fallback ();
  check_same_with (&in_handler, wait_to_be_cancelled);
  TEST_COMPARE (in_handler.oracle.signal_frames, 1);

  support_process_state_wait (tid, support_process_state_sleeping);
  xpthread_cancel (thread);
  TEST_VERIFY (xpthread_join (thread) == PTHREAD_CANCELED);
  check_same_with (&in_cleanup, cleanup);
  TEST_COMPARE (count_frames (&in_cleanup.oracle, thread_function), 1);
  check_same_with (&in_destructor, destructor);
  return 0;
}

#include <support/test-driver.c>
