/* Test that a process which traces many places allocates a larger cache table,
   twice and no more, and that threads, signal handlers, fork and lack of
   memory meanwhile do no harm.

   SPDX-License-Identifier: LGPL-2.1-or-later

   A handler of SIGSYS intercepts calls of mmap, counts them and makes
   them.  */

#include <array_length.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <gnu/lib-names.h>

#include <support/support.h>
#include <support/test-driver.h>
#include <support/xdlfcn.h>
#include <support/xsignal.h>
#include <support/xthread.h>
#include <support/xunistd.h>

#include "tst-sframe-paint.h"

/* How many times backtrace tries to allocate a larger table if there is no
   memory: after 1, 2, 4, 8 times the slots of the first one, and so on.  */
#ifndef TABLES
# define TABLES 2
# define ATTEMPTS 7
#endif

/* Places to call from: more than the slots of the second table, which has
   8192.  The first one has 256.  */
#define SITES 10000
#define THREADS 4
/* In some traces a signal interrupts each instruction.  */
#define TIMEOUT 100
#define FEW 300
#define STRING(x) #x
#define EXPAND(x) STRING (x)

/* Call FUNCTION from the site with NUMBER, each of which takes 8 bytes.  */
extern void at_site (long int number, void (*function) (void));
extern const char sites[];

#ifdef __x86_64__
asm (".text\n"
     "	.globl	at_site, sites\n"
     "	.type	at_site, @function\n"
     "at_site:\n"
     "	.cfi_startproc\n"
     "	subq	$8, %rsp\n"
     "	.cfi_adjust_cfa_offset 8\n"
     "	leaq	sites(%rip), %rax\n"
     "	leaq	(%rax,%rdi,8), %rax\n"
     "	jmp	*%rax\n"
     "	.balign	8\n"
     "sites:\n"
     "	.rept	" EXPAND (SITES) "\n"
     "	call	*%rsi\n"
     "	jmp	1f\n"
     "	.balign	8\n"
     "	.endr\n"
     "1:	addq	$8, %rsp\n"
     "	.cfi_adjust_cfa_offset -8\n"
     "	ret\n"
     "	.cfi_endproc\n"
     "	.size	at_site, . - at_site\n");
# define RESULT(context) ((context)->uc_mcontext.gregs[REG_RAX])
#elif defined __s390x__
asm (".text\n"
     "	.globl	at_site, sites\n"
     "	.type	at_site, @function\n"
     "	.balign	8\n"
     "at_site:\n"
     "	.cfi_startproc\n"
     "	stmg	%r14, %r15, 112(%r15)\n"
     "	.cfi_offset %r14, -48\n"
     "	.cfi_offset %r15, -40\n"
     "	aghi	%r15, -160\n"
     "	.cfi_adjust_cfa_offset 160\n"
     "	larl	%r1, sites\n"
     "	sllg	%r2, %r2, 3\n"
     "	agr	%r1, %r2\n"
     "	br	%r1\n"
     "	.balign	8\n"
     "sites:\n"
     "	.rept	" EXPAND (SITES) "\n"
     "	basr	%r14, %r3\n"
     "	jg	1f\n"
     "	.endr\n"
     "1:	lmg	%r14, %r15, 272(%r15)\n"
     "	.cfi_restore %r15\n"
     "	.cfi_restore %r14\n"
     "	.cfi_adjust_cfa_offset -160\n"
     "	br	%r14\n"
     "	.cfi_endproc\n"
     "	.size	at_site, . - at_site\n");
# define RESULT(context) ((context)->uc_mcontext.gregs[2])
#elif defined __aarch64__
asm (".text\n"
     "	.globl	at_site, sites\n"
     "	.type	at_site, @function\n"
     "	.balign	8\n"
     "at_site:\n"
     "	.cfi_startproc\n"
     "	stp	x29, x30, [sp, #-16]!\n"
     "	.cfi_adjust_cfa_offset 16\n"
     "	.cfi_rel_offset x29, 0\n"
     "	.cfi_rel_offset x30, 8\n"
     "	adrp	x9, sites\n"
     "	add	x9, x9, #:lo12:sites\n"
     "	add	x9, x9, x0, lsl #3\n"
     "	br	x9\n"
     "	.balign	8\n"
     "sites:\n"
     "	.rept	" EXPAND (SITES) "\n"
     "	blr	x1\n"
     "	b	1f\n"
     "	.endr\n"
     "1:	ldp	x29, x30, [sp], #16\n"
     "	.cfi_restore x30\n"
     "	.cfi_restore x29\n"
     "	.cfi_adjust_cfa_offset -16\n"
     "	ret\n"
     "	.cfi_endproc\n"
     "	.size	at_site, . - at_site\n");
# define RESULT(context) ((context)->uc_mcontext.regs[0])
#else
# define RESULT(context) (*(long int *) NULL)
#endif

#if defined __x86_64__ || defined __s390x__ || defined __aarch64__

static __thread void *frames[TRACE_MAX];
static __thread int count;
/* The C library whose tables grow.  Volatile, so that the compiler does not
   know the value: a call by name would be bound lazily, on the same stack.  */
static int (*volatile trace) (void **, int) = backtrace;

static void FRAME
take (void)
{
  count = trace (frames, TRACE_MAX);
  KEEP_FRAME ();
}

/* The same, and check the use of the stack.  */
static void FRAME
take_and_look (void)
{
  enum { AREA = 4096 };
  char *sp = __builtin_frame_address (0);
  paint (sp, AREA);
  count = trace (frames, TRACE_MAX);
  size_t use = look (sp, AREA);
  if (use <= OWN_USE || use > STACK_USE_MAX)
    FAIL_EXIT1 ("%zu bytes of stack", use);
}

static void (*taking) (void) = take;

/* Trace from the sites FIRST to LAST - 1, and check the traces.  */
static void
visit (int first, int last)
{
  for (int i = first; i < last; ++i)
    {
      errno = EDOM;
      at_site (i, taking);
      const char *pc = count < 3 ? NULL : frames[1];
      if (pc <= sites + i * 8 || pc >= sites + (i + 1) * 8 || errno != EDOM)
	FAIL_EXIT1 ("site %d: %d frames, %p, %m", i, count, pc);
    }
}

/* The memory that mmap returns: one of these, which are larger than any table,
   unless the test simulates lack of memory.  Each of the threads may allocate
   each of the tables.  */
static char memory[THREADS * TABLES][6 << 20] __attribute__ ((aligned (4096)));
static bool refuse;
static int maps, unmaps;
static void (*volatile meanwhile) (void);

/* Call FUNCTION while a trace is being stored.  */
static void
call_and_restore (void (*function) (void))
{
  void *copy[TRACE_MAX];

  memcpy (copy, frames, sizeof (copy));
  function ();
  memcpy (frames, copy, sizeof (copy));
}

/* The handler of SIGSYS, which the kernel calls instead of the system
   call.  */
static void
on_call (int signo, siginfo_t *info, void *closure)
{
  ucontext_t *context = closure;
  int number = -1;

  if (info->si_syscall == __NR_munmap)
    {
      __atomic_fetch_add (&unmaps, 1, __ATOMIC_RELAXED);
      RESULT (context) = 0;
      return;
    }
  number = __atomic_fetch_add (&maps, 1, __ATOMIC_RELAXED);
  void (*function) (void) = meanwhile;
  meanwhile = NULL;
  if (function != NULL)
    call_and_restore (function);
  if (refuse || number >= array_length (memory))
    RESULT (context) = -ENOMEM;
  else
    RESULT (context) = (intptr_t) memory[number];
}

/* Let on_call intercept mmap and munmap in this thread.  */
static void
catch_calls (void)
{
  static const struct sock_filter filter[] =
    {
      BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
      BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, __NR_mmap, 1, 0),
      BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, __NR_munmap, 0, 1),
      BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_TRAP),
      BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
  struct sock_fprog program = { .len = array_length (filter),
				.filter = (struct sock_filter *) filter };
  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
      || prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0)
    _exit (EXIT_UNSUPPORTED);
}

static void
check_calls (int maps_wanted, int unmaps_wanted)
{
  if (maps != maps_wanted || unmaps != unmaps_wanted)
    FAIL_EXIT1 ("mmap was called %d times, munmap %d times", maps, unmaps);
}

static void
one_thread (void)
{
  catch_calls ();
  for (int i = 0; i < 3; ++i)
    {
      /* The first trace caches nothing.  Later ones also use slots for the
	 callers of this function.  */
      visit (0, 200);
      check_calls (0, 0);
    }
  visit (0, 260);
  check_calls (TABLES > 0, 0);
  visit (0, 8000);
  check_calls (TABLES > 0, 0);
  visit (0, SITES);
  check_calls (TABLES, 0);
  for (int i = 0; i < 3; ++i)
    visit (0, SITES);
  check_calls (TABLES, 0);
}

static void
without_memory (void)
{
  refuse = true;
  catch_calls ();
  visit (0, SITES);
  visit (0, SITES);
  check_calls (ATTEMPTS, 0);
}

static void *
visit_in_thread (void *closure)
{
  catch_calls ();
  for (int i = 0; i < 2; ++i)
    visit (0, SITES);
  return closure;
}

/* Each table that was mapped is in use, or was unmapped.  */
static void
threads_at_once (void)
{
  pthread_t threads[THREADS];

  for (int i = 0; i < THREADS; ++i)
    threads[i] = xpthread_create (NULL, visit_in_thread, NULL);
  for (int i = 0; i < THREADS; ++i)
    xpthread_join (threads[i]);
  check_calls (TABLES + unmaps, unmaps);
}

static void
visit_all (void)
{
  visit (0, SITES);
}

/* So few traces that backtrace does not try to allocate once more.  */
static void
visit_few (void)
{
  visit (FEW, FEW + 200);
}

static void
handler_while_growing (void)
{
  meanwhile = visit_few;
  catch_calls ();
  visit (0, SITES);
  check_calls (TABLES, 0);
}

static void
handler_that_grows (void)
{
  meanwhile = visit_all;
  catch_calls ();
  visit (0, SITES);
  /* It has found both.  */
  check_calls (TABLES + (TABLES > 0), TABLES > 0);
}

static void
fork_and_visit (void)
{
  pid_t pid = xfork ();
  if (pid == 0)
    {
      visit (0, SITES);
      _exit (0);
    }
  int status;
  xwaitpid (pid, &status, 0);
  TEST_COMPARE (status, 0);
}

static void
fork_while_growing (void)
{
  meanwhile = fork_and_visit;
  catch_calls ();
  visit (0, SITES);
  check_calls (TABLES, 0);
}

#if defined __x86_64__ && TABLES > 0
/* The processor traps after each instruction.  */
# define TRAP_FLAG 0x100ULL

/* The sites that the handler traces: STEP sites after the last one.  */
static int trap_site, trap_step;
static long int traps;

static void
visit_next (void)
{
  visit (trap_site, trap_site + 1);
}

static void
on_trap (int signo)
{
  ++traps;
  trap_site = (trap_site + trap_step) % SITES;
  call_and_restore (visit_next);
}

static void
visit_in_steps (int step)
{
  handle_signal (SIGTRAP, on_trap);
  visit (0, 240);
  trap_step = step;
  __builtin_ia32_writeeflags_u64 (__builtin_ia32_readeflags_u64 ()
				  | TRAP_FLAG);
  visit (240, 260);
  __builtin_ia32_writeeflags_u64 (__builtin_ia32_readeflags_u64 ()
				  & ~TRAP_FLAG);
  TEST_VERIFY (traps > 10000);
  visit (0, SITES);
}

/* The handler interrupts the code that allocates a table, and traces.  */
static void
known_place_at_each_instruction (void)
{
  visit_in_steps (0);
}

/* The handler itself may allocate the table.  */
static void
new_place_at_each_instruction (void)
{
  visit_in_steps (1);
}
#endif

#ifdef OTHER_LIBC
/* This C library uses the tables that the other one has allocated.  */
static void
both_libraries (void)
{
  catch_calls ();
  visit (0, SITES);
  check_calls (TABLES, 0);
  trace = backtrace;
  for (int i = 0; i < 3; ++i)
    visit (0, SITES);
  check_calls (TABLES, 0);
}
#endif

/* Neither filter nor handler.  */
static void
undisturbed (void)
{
  taking = take_and_look;
  visit (0, SITES);
  taking = take;
  for (int i = 0; i < 3; ++i)
    visit (0, SITES);
}

static void
run (const char *name, void (*function) (void))
{
  printf ("info: %s\n", name);
  fflush (stdout);
  pid_t pid = xfork ();
  if (pid == 0)
    {
      function ();
      _exit (support_report_failure (0));
    }
  int status;
  xwaitpid (pid, &status, 0);
  if (WIFEXITED (status) && WEXITSTATUS (status) == EXIT_UNSUPPORTED)
    FAIL_UNSUPPORTED ("seccomp filters are not available");
  TEST_COMPARE (status, 0);
}

static int
do_test (void)
{
  struct sigaction sa = { .sa_sigaction = on_call,
			  .sa_flags = SA_SIGINFO | SA_NODEFER };
  xsigaction (SIGSYS, &sa, NULL);
#ifdef OTHER_LIBC
  trace = xdlsym (xdlmopen (LM_ID_NEWLM, LIBC_SO, RTLD_NOW), "backtrace");
  run ("both C libraries", both_libraries);
#endif
  run ("undisturbed", undisturbed);
  run ("one thread", one_thread);
  run ("without memory", without_memory);
  run ("threads at once", threads_at_once);
  run ("a handler while a table grows", handler_while_growing);
  run ("a handler that grows it, too", handler_that_grows);
  run ("fork while a table grows", fork_while_growing);
#if defined __x86_64__ && TABLES > 0
  run ("a known place at each instruction", known_place_at_each_instruction);
  run ("a new place at each instruction", new_place_at_each_instruction);
#endif
  return 0;
}

#else
# include "tst-sframe-no-asm.h"
#endif

#include <support/test-driver.c>
