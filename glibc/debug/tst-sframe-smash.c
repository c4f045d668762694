/* Test that backtrace neither faults nor invents frames on an overwritten
   stack, with 100,000 combinations of place and value.

   SPDX-License-Identifier: LGPL-2.1-or-later

   A thread with many kinds of frames on its stack is interrupted.  Its
   handler, on another stack, changes words of the interrupted stack or saved
   registers, or makes a page unreadable, takes a trace and restores
   everything.  Each trace must begin with the frames of the true one that do
   not depend on the change.  All later frames must be in code, except the last
   one, which is reported as found.  */

#define TRACE_MAX 128

#include <array_length.h>
#include <errno.h>
#include <link.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <support/support.h>
#include <support/xunistd.h>

#include "tst-sframe-asm.h"
#include "tst-sframe-own-stack.h"
#include "tst-sframe-support.h"

#if HAVE_SFRAME_ASM

enum
{
  STACK_SIZE = 512 * 1024,
  DEPTH = 12,
  /* The most words that are changed at once.  */
  CHANGES_MAX = 32,
  /* See bad_value.  */
  KINDS = 13,
  OBJECTS_MAX = 32,
  ERRNO = 4711,
};

/* An emulator is slow.  */
# if HAVE_SFRAME_X86
enum { RA_BELOW_CFA = 8, SP_REGISTER = REG_RSP, REGISTERS = REG_RIP + 1 };
enum { random_cases = 200000, page_cases = 20000, register_cases = 20000 };
/* Try every STRIDE-th kind of value at each word.  */
enum { STRIDE = 1 };
# else
#  if HAVE_SFRAME_AARCH64
/* The return address may be anywhere in its frame; PC follows SP.  */
enum { RA_BELOW_CFA = 0, SP_REGISTER = 31, REGISTERS = 33 };
#   define gregs regs
#  else
enum { RA_BELOW_CFA = 48, SP_REGISTER = 15, REGISTERS = 16 };
#  endif
enum { random_cases = 4000, page_cases = 1000, register_cases = 1000 };
enum { STRIDE = 16 };
# endif

/* The segments of code.  */
static struct { uintptr_t low, high; } code[OBJECTS_MAX];
static size_t code_count;

/* The true trace, from the trampoline on, and the CFA of each frame.  */
static struct trace truth;
static uintptr_t cfa[TRACE_MAX + 1];
/* Frame 0 is the trampoline; this is the interrupted frame.  */
enum { first = 1 };

/* The words that the current case has changed, in ascending order.  */
static struct { uintptr_t *place; uintptr_t old; } changes[CHANGES_MAX];
static int change_count;

static char *stack, *gone;
/* The interrupted stack pointer, and the end of the frames, above which are
   the thread's own data.  */
static uintptr_t sp, top;
static struct trace trace;
static int cases, cut, faults, failures;
static volatile bool tracing;
/* The last trace has filled the array, for which no stack here has enough
   frames.  */
static bool endless;
/* The PC and the address of the last fault.  */
static void *fault_pc, *fault_address;
static sigjmp_buf escape;

/* Marsaglia's xorshift generator.  */
static uint64_t state = 88172645463325252;

static uint64_t
next_random (void)
{
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static bool
is_code (const void *pc)
{
  for (size_t i = 0; i < code_count; ++i)
    if ((uintptr_t) pc > code[i].low && (uintptr_t) pc <= code[i].high)
      return true;
  return false;
}

static int
add_code (struct dl_phdr_info *info, size_t size, void *closure)
{
  for (size_t i = 0; i < info->dlpi_phnum; ++i)
    {
      const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
      if (ph->p_type == PT_LOAD && (ph->p_flags & PF_X) != 0)
	{
	  TEST_VERIFY_EXIT (code_count < OBJECTS_MAX);
	  code[code_count].low = info->dlpi_addr + ph->p_vaddr;
	  code[code_count].high = code[code_count].low + ph->p_memsz;
	  ++code_count;
	}
    }
  return 0;
}

/* A wrong value for PLACE.  */
static uintptr_t
bad_value (uint64_t choice, const uintptr_t *place)
{
  uint64_t r = next_random ();
  uintptr_t in_stack = sp + r % ((uintptr_t) stack + STACK_SIZE - sp);
  size_t object = r % code_count;

  switch (choice % KINDS)
    {
    case 0: return 0;
    case 1: return 1;
    case 2: return -1;
    case 3: return r;
    /* Text, and half of it.  */
    case 4: return 0x4141414141414141;
    case 5: return 0x41414141;
    /* Mapped and unmapped pages.  */
    case 6: return (uintptr_t) &truth + r % sizeof truth;
    case 7: return (uintptr_t) gone + r % 4096;
    case 8: return (uintptr_t) stack + STACK_SIZE - 64 + r % 128;
    /* An address in this stack.  */
    case 9: return in_stack;
    case 10: return in_stack & -8;
    /* A frame that is its own caller.  */
    case 11: return (uintptr_t) (place - r % 2);
    default:
      return (code[object].low
	      + (r >> 8) % (code[object].high - code[object].low));
    }
}

static void
change (uintptr_t *place, uintptr_t value)
{
  changes[change_count].place = place;
  changes[change_count++].old = *place;
  *place = value;
}

static void
restore (void)
{
  while (change_count > 0)
    {
      --change_count;
      *changes[change_count].place = changes[change_count].old;
    }
}

static int
find (const struct trace *in, const void *pc)
{
  for (int i = 0; i < in->count; ++i)
    if (in->pc[i] == pc)
      return i;
  return -1;
}

/* Remove the first COUNT frames.  */
static void
remove_frames (struct trace *from, int count)
{
  from->count -= count;
  memmove (from->pc, from->pc + count, from->count * sizeof from->pc[0]);
}

/* Take a trace that starts at the TRAMPOLINE.  */
static void FRAME
take (const void *trampoline)
{
  errno = ERRNO;
  trace.count = 0;
  tracing = true;
  if (sigsetjmp (escape, 0) == 0)
    trace.count = backtrace (trace.pc, TRACE_MAX);
  else
    ++faults;
  tracing = false;
  endless = trace.count == TRACE_MAX;
  int own = find (&trace, trampoline);
  remove_frames (&trace, own >= 0 ? own : trace.count);
}

/* The frame that the word at ADDRESS belongs to.  The steps to the frames
   before do not depend on the word, since they read only below their CFA.  */
static int
frame_of (uintptr_t address)
{
  int i = first;
  while (i < truth.count - 1 && address >= cfa[i])
    ++i;
  return i;
}

/* What a trace must look like.  */
struct expected
{
  /* How many frames of the true trace it must begin with.  */
  int good;
  /* If NEXT is not null, a different frame after these must have PC *NEXT or,
     if ANY is set, that of any changed word.  */
  const uintptr_t *next;
  bool any;
  /* All frames from this one on, except the last, must be in code.  */
  int code_from;
};

/* The expectation for the changed stack.  */
static struct expected
expect (void)
{
  int frame = frame_of ((uintptr_t) changes[0].place);
  struct expected expected = { .good = frame + 1, .code_from = frame + 1 };

  if (RA_BELOW_CFA == 0)
    {
      expected.next = changes[0].place;
      expected.any = true;
      return expected;
    }
  for (int i = 0; i < change_count; ++i)
    if ((uintptr_t) changes[i].place == cfa[frame] - RA_BELOW_CFA)
      expected.next = changes[i].place;
  if (expected.next == NULL && frame < truth.count - 1)
    expected.good = frame + 2;
  return expected;
}

/* Whether PC is what EXPECTED says of the frame after the good ones.  */
static bool
is_next (const struct expected *expected, void *pc)
{
  if (!expected->any)
    return pc == PLAIN_RA ((void *) *expected->next);
  for (int i = 0; i < change_count; ++i)
    if (pc == PLAIN_RA ((void *) *changes[i].place))
      return true;
  return false;
}

static bool
is_right (const struct expected *expected)
{
  int good = expected->good;

  if (trace.count < good || endless || errno != ERRNO
      || memcmp (trace.pc, truth.pc, good * sizeof trace.pc[0]) != 0)
    return false;
  if (expected->next != NULL && trace.count > good
      && trace.pc[good] != truth.pc[good]
      && !is_next (expected, trace.pc[good]))
    return false;
  for (int i = expected->code_from; i < trace.count - 1; ++i)
    if (!is_code (trace.pc[i]))
      return false;
  return true;
}

static void
print_case (const struct expected *expected)
{
  dprintf (STDOUT_FILENO, "error: case %d, %d good frames, %d faults:\n",
	   cases, expected->good, faults);
  for (int i = 0; i < change_count; ++i)
    dprintf (STDOUT_FILENO, "%p holds %lx instead of %lx\n",
	     changes[i].place, (unsigned long int) *changes[i].place,
	     (unsigned long int) changes[i].old);
  backtrace_symbols_fd (trace.pc, trace.count, STDOUT_FILENO);
  if (faults > 0)
    {
      dprintf (STDOUT_FILENO, "fault at %p in\n", fault_address);
      backtrace_symbols_fd (&fault_pc, 1, STDOUT_FILENO);
    }
}

/* Take a trace and compare it with EXPECTED.  */
static void
check (struct expected expected)
{
  int faults_before = faults;

  take (truth.pc[0]);
  ++cases;
  cut += trace.count < truth.count;
  if ((faults != faults_before || !is_right (&expected)) && ++failures < 5)
    print_case (&expected);
}

/* Change each word to each kind of value.  Skip most words of large buffers,
   which are all alike.  */
static void
change_each (void)
{
  for (uintptr_t place = sp; place < top; place += sizeof place)
    {
      if (place % 512 != 0 && frame_of (place + 512) == frame_of (place - 512))
	continue;
      for (int kind = next_random () % STRIDE; kind < KINDS; kind += STRIDE)
	{
	  change ((uintptr_t *) place, bad_value (kind, (uintptr_t *) place));
	  check (expect ());
	  restore ();
	}
    }
}

/* Change consecutive words, as a buffer overflow does.  */
static void
change_some (void)
{
  /* Near the bounds of frames, where values are saved.  */
  int frame = first + next_random () % (truth.count - 1 - first);
  uintptr_t *place
    = (uintptr_t *) cfa[frame] - 1 - next_random () % CHANGES_MAX;
  if ((uintptr_t) place < sp)
    place = (uintptr_t *) sp;
  int count = 1 + next_random () % CHANGES_MAX;
  uint64_t kind = next_random ();

  for (int i = 0; i < count && (uintptr_t) (place + i) < top; ++i)
    change (place + i, bad_value (kind % 2 == 0 ? kind / 2 : next_random (),
				   place + i));
}

/* Make a page at or above the stack pointer unreadable, and sometimes change
   words as well.  */
static void
take_page_away (void)
{
  uintptr_t page = sysconf (_SC_PAGESIZE), low = sp & -page;
  size_t pages = ((top & -page) - low) / page;
  char *away = (char *) low + next_random () % pages * page;
  int frame = frame_of ((uintptr_t) away);

  if (next_random () % 2 == 0)
    change_some ();
  if (change_count > 0 && frame_of ((uintptr_t) changes[0].place) < frame)
    frame = frame_of ((uintptr_t) changes[0].place);
  xmprotect (away, page, PROT_NONE);
  check ((struct expected) { .good = frame + 1, .code_from = frame + 1 });
  xmprotect (away, page, PROT_READ | PROT_WRITE);
  restore ();
}

/* Change one of the COUNT saved REGISTERS, which may include PC.  */
static void
change_register (uintptr_t *registers, size_t count, const uintptr_t *pc)
{
  uintptr_t *which = &registers[next_random () % count];

  change (which, bad_value (next_random (), which));
  if (which == pc)
    check ((struct expected) { .good = first, .next = pc,
			       .code_from = first + 1 });
  else
    check ((struct expected) { .good = first + 1, .code_from = first + 1 });
  restore ();
}

static _Unwind_Reason_Code
note_cfa (struct _Unwind_Context *context, void *closure)
{
  struct trace *oracle = closure;
  int before = 0;
  uintptr_t pc = _Unwind_GetIPInfo (context, &before);

  /* _Unwind_GetCFA in a frame returns the CFA of the one before.  */
  if (oracle->count > 0)
    cfa[oracle->count - 1] = _Unwind_GetCFA (context);
  if (pc == 0 || oracle->count == TRACE_MAX)
    return _URC_END_OF_STACK;
  oracle->pc[oracle->count++] = (void *) pc;
  return _URC_NO_REASON;
}

/* Take the true trace of the code interrupted at PC.  Return whether the
   oracle agrees.  */
static bool FRAME
take_truth (const void *pc)
{
  static struct trace oracle;

  oracle.count = 0;
  _Unwind_Backtrace (note_cfa, &oracle);
  int own = find (&oracle, pc) - 1;
  if (own < 0)
    return false;
  remove_frames (&oracle, own);
  memmove (cfa, cfa + own, oracle.count * sizeof cfa[0]);
  take (oracle.pc[0]);
  truth = trace;
  return (truth.count == oracle.count
	  && memcmp (truth.pc, oracle.pc,
		     truth.count * sizeof truth.pc[0]) == 0);
}

static void
run_cases (ucontext_t *context)
{
  uintptr_t *registers = (uintptr_t *) context->uc_mcontext.gregs;
  uintptr_t *pc = (uintptr_t *) &CONTEXT_PC (context);

  TEST_VERIFY_EXIT (take_truth ((void *) *pc));
  TEST_VERIFY_EXIT (truth.count - first > 2 * DEPTH);
  sp = registers[SP_REGISTER];
  top = cfa[truth.count - 2];

  change_each ();
  printf ("info: %d cases, %d cut, one word each\n", cases, cut);
  for (int i = 0; i < random_cases; ++i)
    {
      change_some ();
      check (expect ());
      restore ();
    }
  printf ("info: %d cases, %d cut, some words each\n", cases, cut);
  for (int i = 0; i < page_cases; ++i)
    take_page_away ();
  printf ("info: %d cases, %d cut, a page each\n", cases, cut);
  for (int i = 0; i < register_cases; ++i)
    change_register (registers, REGISTERS, pc);
  printf ("info: %d cases, %d cut, a register each\n", cases, cut);
}

static void
handler (int signo, siginfo_t *info, void *context)
{
  if (tracing)
    {
      fault_pc = (void *) CONTEXT_PC ((ucontext_t *) context);
      fault_address = info->si_addr;
      siglongjmp (escape, 1);
    }
  TEST_VERIFY_EXIT (truth.count == 0);
  run_cases (context);
  CONTEXT_PC ((ucontext_t *) context) += FAULT_SIZE;
}

static void FRAME
fault (void)
{
  asm volatile (ASM_FAULT);
  KEEP_FRAME ();
}

static int recurse_fixed (int depth);

/* A function with its CFA from FP, since the frame's size varies.  */
static int FRAME
recurse_variable (int depth)
{
  volatile char buffer[1 + (depth % 3) * 3000];
  buffer[0] = depth;
  int below = recurse_fixed (depth - 1);
  return below + buffer[0] - buffer[0];
}

static int
compare (const void *a, const void *b)
{
  static bool inside;
  if (!inside)
    {
      inside = true;
      recurse_fixed (DEPTH / 2 - 1);
      inside = false;
    }
  return 0;
}

/* A function with its CFA from SP.  */
static int FRAME
recurse_fixed (int depth)
{
  volatile char buffer[100];
  buffer[0] = depth;
  if (depth == 0)
    fault ();
  else if (depth == DEPTH / 2)
    {
      char two[2] = { 0 };
      qsort (two, 2, 1, compare);
    }
  else
    (depth % 2 == 0 ? recurse_variable : recurse_fixed) (depth - 1);
  KEEP_FRAME ();
  return buffer[0];
}

/* A frame of many pages.  */
static void * FRAME
thread_function (void *closure)
{
  char buffer[64 * 1024];
  USE (buffer);
  stack_t ss = { .ss_sp = closure, .ss_size = STACK_SIZE };
  TEST_COMPARE (sigaltstack (&ss, NULL), 0);
  recurse_fixed (2 * DEPTH);
  KEEP_FRAME ();
  return closure;
}

static int
do_test (void)
{
  size_t page = sysconf (_SC_PAGESIZE);
  struct sigaction sa = { .sa_sigaction = handler,
			  .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };
  xsigaction (SIGILL, &sa, NULL);
  xsigaction (SIGSEGV, &sa, NULL);
  xsigaction (SIGBUS, &sa, NULL);

  stack = xmmap (NULL, STACK_SIZE + 2 * page, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1) + page;
  xmprotect (stack, STACK_SIZE, PROT_READ | PROT_WRITE);
  gone = stack - page;
  dl_iterate_phdr (add_code, NULL);
  TEST_VERIFY_EXIT (code_count > 2);

  void *alternate = xmalloc (STACK_SIZE);
  run_on_stack (stack, STACK_SIZE, thread_function, alternate);
  free (alternate);

  /* After a fault backtrace must not use libgcc.  */
  check_no_fallback ();
  TEST_COMPARE (faults, 0);
  TEST_COMPARE (failures, 0);
  TEST_VERIFY (cut > 0 && cut < cases);
  TEST_VERIFY (cases >= (HAVE_SFRAME_X86 ? 100000 : 5000));
  return 0;
}

#else
static int
do_test (void)
{
  FAIL_UNSUPPORTED ("needs to know where RA is saved");
}
#endif

#include <support/test-driver.c>
