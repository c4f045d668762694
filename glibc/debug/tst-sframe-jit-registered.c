/* Test backtrace through code outside all objects that the program has
   registered with libgcc (__register_frame), as JIT compilers do.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The code is at the start or at the end of its own mapping, or in the .bss
   section of the test.  It calls back by a call instruction, or by a jump with
   a return address made by hand.  The code is registered with libgcc_s, which
   backtrace may use, and with the oracle.  After a signal that reports a fault
   backtrace must not use it: libgcc reads the stack unchecked.  */

#include <gnu/lib-names.h>
#include <limits.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "tst-sframe-jit-code.h"
#include "tst-sframe-support.h"

#if HAVE_SFRAME_ASM

extern void __register_frame (void *);

static struct trace_pair pair;

/* Register the SIZE bytes of code at START with both copies of libgcc.  */
static void
tell (void *start, size_t size)
{
  static struct frame_table tables[16];
  static int used;
  struct frame_table *table = &tables[used++];

  TEST_VERIFY_EXIT (used < 16);
  make_table (table, start, size);
  __register_frame (table);
  void *libgcc = xdlopen (LIBGCC_S_SO, RTLD_NOW);
  TEST_VERIFY_EXIT (xdlsym (libgcc, "__register_frame") != __register_frame);
  struct frame_table *copy = &tables[used++];
  *copy = *table;
  register_table (libgcc, copy);
}

/* Copy the code from START to END to PLACE.  */
static void *
install (void *place, const char *start, const char *end)
{
  memcpy (place, start, end - start);
  tell (place, end - start);
  return place;
}

static void FRAME
called (void)
{
  collect (&pair);
  KEEP_FRAME ();
}

static void FRAME
run (const char *name, void *function)
{
  printf ("info: %s\n", name);
  ((void (*) (void (*) (void))) function) (called);
  check_same_with (&pair, run);
  KEEP_FRAME ();
}

/* sigaction leaves the address of the signal trampoline on the stack, where a
   function may then have memory that it does not initialize.  */
static void FRAME
run_above_remains (void *function)
{
  char remains[8192];

  asm volatile ("" : : "r" (remains) : "memory");
  run ("above what sigaction has left", function);
  asm volatile ("" : : "r" (remains) : "memory");
}

static void
ignore (int signo)
{
}

/* The memory that this function does not initialize has the signal frame of a
   handler that has returned.  */
static void FRAME
called_above_remains (void)
{
  char remains[8192];

  asm volatile ("" : : "r" (remains) : "memory");
  collect (&pair);
  asm volatile ("" : : "r" (remains) : "memory");
}

static void FRAME
run_after_signal (void *function)
{
  puts ("info: below what a signal has left");
  raise (SIGUSR2);
  ((void (*) (void (*) (void))) function) (called_above_remains);
  check_same_with (&pair, run_after_signal);
  KEEP_FRAME ();
}

# if HAVE_SFRAME_X86 || HAVE_SFRAME_AARCH64
/* A signal frame: on x86-64 from its return address to the siginfo_t, on
   AArch64 to the first record.  */
struct signal_frame
{
# if HAVE_SFRAME_X86
  void *return_address;
# else
  siginfo_t info;
# endif
  char context[offsetof (ucontext_t, uc_sigmask)];
  uint64_t mask;
# if HAVE_SFRAME_X86
  siginfo_t info;
# else
  char more[offsetof (ucontext_t, uc_mcontext) + sizeof (mcontext_t)
	    - offsetof (ucontext_t, uc_sigmask) - sizeof (uint64_t)];
# endif
};
static struct signal_frame kept;

static void
keep_frame (int signo, siginfo_t *info, void *context)
{
  memcpy (&kept, (char *) context - offsetof (struct signal_frame, context),
	  sizeof (kept));
}

static void
collect_in_handler (int signo)
{
  collect (&pair);
}

static void
send_usr2 (void)
{
  raise (SIGUSR2);
}

/* Trace in a handler, where the stack has a signal frame whose mask and number
   were overwritten.  */
static void FRAME
run_above_damaged (void *function)
{
  struct sigaction sa = { .sa_sigaction = keep_frame, .sa_flags = SA_SIGINFO };
  struct signal_frame remains;

  puts ("info: below what is left of a signal frame");
  xsigaction (SIGUSR2, &sa, NULL);
  raise (SIGUSR2);
  remains = kept;
  TEST_COMPARE (remains.info.si_signo, SIGUSR2);
  remains.mask = UINT64_MAX;
  remains.info.si_signo = INT_MAX;
  asm volatile ("" : : "r" (&remains) : "memory");
  handle_signal (SIGUSR2, collect_in_handler);
  ((void (*) (void (*) (void))) function) (send_usr2);
  TEST_VERIFY (pair.oracle.complete && first_difference (&pair) < 0);
  asm volatile ("" : : "r" (&remains) : "memory");
}

/* Leave on the stack, wherever a siginfo_t may lie, SIGABRT and a code that it
   never has.  */
static void FRAME
paint_stack (void)
{
  struct { int number, error, code, pad; } words[2048]
    __attribute__ ((aligned (16)));

  for (int i = 0; i < 2048; ++i)
    {
      words[i].number = SIGABRT;
      words[i].code = INT_MIN;
      words[i].error = words[i].pad = 0;
    }
  asm volatile ("" : : "r" (words) : "memory");
}

/* Without SA_SIGINFO the kernel writes no siginfo_t.  */
static void FRAME
run_with_garbage (void *function)
{
  struct sigaction sa = { .sa_handler = collect_in_handler };

  puts ("info: in a handler whose siginfo_t is garbage");
  xsigaction (SIGUSR2, &sa, NULL);
  paint_stack ();
  ((void (*) (void (*) (void))) function) (send_usr2);
  TEST_VERIFY (pair.oracle.complete && first_difference (&pair) < 0);
  KEEP_FRAME ();
}
# endif

static void *in_handler;

static void
handler (int signo)
{
  ((void (*) (void (*) (void))) in_handler) (called);
  KEEP_FRAME ();
}

/* Test the first call of a process, in a handler.  */
static void
run_first (void *function)
{
  in_handler = function;
  handle_signal (SIGUSR1, handler);
  pid_t pid = xfork ();
  if (pid == 0)
    {
      raise (SIGUSR1);
      _exit (pair.oracle.complete && first_difference (&pair) < 0 ? 0 : 1);
    }
  int status;
  xwaitpid (pid, &status, 0);
  TEST_COMPARE (status, 0);
}

/* Trace; exit with 0 if the trace ends at the registered code, at the latest,
   but not before.  */
static void
trace_and_exit (int signo)
{
  collect (&pair);
  _exit (pair.oracle.complete && pair.ours.count > 1
	 && pair.ours.count < pair.oracle.count ? 0 : 1);
}

static void
jit_and_exit (int signo)
{
  ((void (*) (void (*) (int))) in_handler) (trace_and_exit);
}

static void
send_abort (void)
{
  raise (SIGABRT);
}

# if HAVE_SFRAME_X86
/* Trap 0, which looks like none.  */
static void
divide (void)
{
  asm volatile ("xor %%eax, %%eax\n"
		"cqto\n"
		"idiv %%rax" : : : "rax", "rdx");
}
# endif

/* Let FUNCTION, which was registered, call FAULT, which causes a signal whose
   handler is HANDLER.  It is installed without SA_SIGINFO, and the stack may
   hold the siginfo_t of another signal.  */
static void
run_fault (const char *name, void *function, void (*fault) (void),
	   void (*handler) (int))
{
  printf ("info: %s\n", name);
  fflush (stdout);
  in_handler = function;
  pid_t pid = xfork ();
  if (pid == 0)
    {
      struct sigaction sa = { .sa_handler = handler };
      xsigaction (SIGABRT, &sa, NULL);
      xsigaction (SIGFPE, &sa, NULL);
      handle_signal (SIGUSR2, ignore);
      raise (SIGUSR2);
      ((void (*) (void (*) (void))) function) (fault);
      _exit (2);
    }
  int status;
  xwaitpid (pid, &status, 0);
  TEST_COMPARE (status, 0);
}

static void
raise_again (int signo)
{
  raise (SIGUSR2);
}

/* Not a constant, so that the compiler does not see the fault.  */
static void *volatile invalid;

static void
read_null (void)
{
  *(volatile int *) invalid;
}

/* Let FUNCTION, which was registered, run in the handler of SIGUSR2, which
   interrupts that of SIGSEGV on the same alternate stack.  SIGSEGV is not
   blocked: only its own signal frame, the second from here, shows the
   fault.  */
static void
run_nested (void *function)
{
  puts ("info: code in a handler that has interrupted that of SIGSEGV");
  fflush (stdout);
  in_handler = function;
  pid_t pid = xfork ();
  if (pid == 0)
    {
      static char memory[64 * 1024];
      stack_t stack = { .ss_sp = memory, .ss_size = sizeof memory };
      TEST_COMPARE (sigaltstack (&stack, NULL), 0);
      struct sigaction sa
	= { .sa_handler = raise_again,
	    .sa_flags = SA_ONSTACK | SA_SIGINFO | SA_NODEFER };
      xsigaction (SIGSEGV, &sa, NULL);
      handle_signal (SIGUSR2, jit_and_exit);
      read_null ();
      _exit (2);
    }
  int status;
  xwaitpid (pid, &status, 0);
  TEST_COMPARE (status, 0);
}

/* Call FUNCTION, the first one that is registered, and then once for each
   signal.  */
static void
run_signals (void *function)
{
  run_first (function);
  run_fault ("SIGABRT", function, send_abort, trace_and_exit);
  run_fault ("code in the handler of SIGABRT", function, send_abort,
	     jit_and_exit);
  run_nested (function);
# if HAVE_SFRAME_X86
  run_fault ("division by zero", function, divide, trace_and_exit);
# endif
}

static char bss[4096 * 2] __attribute__ ((aligned (4096)));

/* A page of .bss.  */
static char *
page_of_bss (size_t page)
{
  char *in_bss = bss + page - ((uintptr_t) bss & (page - 1));

  return in_bss + page > bss + sizeof bss ? bss : in_bss;
}

static int
do_test (void)
{
  size_t page = sysconf (_SC_PAGESIZE);
  char *memory = xmmap (NULL, 3 * page, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1);
  char *middle = memory + page, *end = middle + page;
  size_t call_size = code_call_end - code_call;
  size_t jump_size = code_jump_end - code_jump;

  void *at_start = install (middle, code_call, code_call_end);
  void *jump = install (middle + page / 2, code_jump, code_jump_end);
  void *at_end = install (end - jump_size, code_jump, code_jump_end);
  xmprotect (memory, page, PROT_NONE);
  xmprotect (middle, page, PROT_READ | PROT_EXEC);
  xmprotect (end, page, PROT_NONE);
  char *in_bss = page_of_bss (page);
  void *of_bss = install (in_bss, code_call, code_call_end);
  TEST_VERIFY (call_size < page && jump_size < page);
  xmprotect (in_bss, page, PROT_READ | PROT_EXEC);

  run_signals (at_start);
  run ("at the start of a mapping", at_start);
  run ("a return address that follows no call", jump);
  run ("at the end of a mapping", at_end);
  run (".bss", of_bss);
  xsigaction (SIGUSR1, &(struct sigaction) { .sa_handler = handler }, NULL);
  run_above_remains (at_start);
# if HAVE_SFRAME_X86 || HAVE_SFRAME_AARCH64
  run_above_damaged (at_start);
  run_with_garbage (at_start);
# endif
  handle_signal (SIGUSR2, ignore);
  run_after_signal (at_start);
  xmprotect (in_bss, page, PROT_READ | PROT_WRITE);
  return 0;
}

#else
# include "tst-sframe-no-asm.h"
#endif

#include <support/test-driver.c>
