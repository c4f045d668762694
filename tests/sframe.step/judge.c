/* Compare backtrace with the calls that were made, with libgcc and with
   libunwind, at each instruction of any program; if requested, also the
   kernel's call chains.

   SPDX-License-Identifier: LGPL-2.1-or-later

   A shared object that is loaded into the program.  The tracer sends a signal
   at each instruction.

   The calls that were made are known without tables, since every instruction
   is seen: a call is recognized by its effect, and it ends when SP leaves its
   frame.  The calls before the first instruction are taken from libgcc.
   libgcc's unwinder is linked statically and libunwind is kept out of the
   global scope, so that neither backtrace nor the program uses them in place
   of their own.  */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>

/* From debug, of glibc's tests.  */
#include "tst-sframe-hidden.h"

#include "kernel.h"
#include "machine.h"
#include "results.h"

/* FRAMES is more than any program under test has.  SKIPPED is the number of
   the judge's own frames: collect, the handler and its signal frame.  */
enum { FRAMES = 128, SKIPPED = 3, SHOWN_MAX = 4, TOLD_MAX = 4096 };

/* The number of the judge's own frames in a chain that the kernel takes in the
   handler: touch, kernel_collect, compare_kernel, the handler and its signal
   frame.  */
enum { KERNEL_SKIPPED = 5 };

#define NOINLINE __attribute__ ((noinline))

struct trace
{
  int count;
  bool complete;
  void *pc[FRAMES];
  uintptr_t cfa[FRAMES];
};

/* The traces of the three unwinders.  The second one of backtrace uses the
   rules that the first one has cached.  */
struct seen
{
  struct trace ours, again, libgcc, libunwind;
};

/* The calls of a thread, the latest last.  */
struct thread
{
  bool begun, replacing, in_peer;
  sigjmp_buf escape;
  int depth;
  /* The register that keep_unblocked has saved, and the set that it has put in
     its place.  */
  greg_t set;
  uint64_t unblocked;
  struct place before;
  struct call calls[FRAMES];
};

static _Thread_local struct thread thread
  __attribute__ ((tls_model ("initial-exec")));
static struct results *results;
static bool asks_kernel;
/* The trampoline that handlers return to.  */
static uintptr_t restorer;
/* The caller of the last function of longjmp; the cancellation of a thread has
   another one.  */
static void *jump;
static int (*libunwind_backtrace) (void **, int);

static _Unwind_Reason_Code
note_frame (struct _Unwind_Context *context, void *closure)
{
  struct trace *trace = closure;
  void *pc = (void *) _Unwind_GetIP (context);

  trace->complete = pc == NULL;
  if (pc == NULL || trace->count == FRAMES)
    return _URC_END_OF_STACK;
  trace->cfa[trace->count] = _Unwind_GetCFA (context);
  trace->pc[trace->count++] = pc;
  return _URC_NO_REASON;
}

/* libgcc or libunwind has faulted: then it has no trace.  */
static void
leave_peer (int signo)
{
  if (!thread.in_peer)
    {
      signal (signo, SIG_DFL);
      return;
    }
  thread.in_peer = false;
  siglongjmp (thread.escape, 1);
}

static void NOINLINE
collect (struct seen *seen)
{
  seen->ours.count = backtrace (seen->ours.pc, FRAMES);
  seen->again.count = backtrace (seen->again.pc, FRAMES);
  seen->libgcc.count = seen->libunwind.count = 0;
  seen->libgcc.complete = false;
  if (sigsetjmp (thread.escape, 1) == 0)
    {
      thread.in_peer = true;
      _Unwind_Backtrace (note_frame, &seen->libgcc);
      if (libunwind_backtrace != NULL)
	seen->libunwind.count = libunwind_backtrace (seen->libunwind.pc,
						     FRAMES);
      thread.in_peer = false;
    }
  else
    {
      seen->libgcc.count = 0;
      __atomic_fetch_add (&results->peer_faults, 1, __ATOMIC_RELAXED);
    }
}

/* Whether TRACE, without the judge's own frames, is that of PCS.  */
static bool
is_same (const struct trace *trace, void *const *pcs, int count)
{
  return (count >= 0 && trace->count == SKIPPED + count
	  && memcmp (trace->pc + SKIPPED, pcs, count * sizeof *pcs) == 0);
}

/* The address of the .eh_frame entry of PC; libgcc's function.  */
extern const void *_Unwind_Find_FDE (void *pc, void *bases);

/* Whether TRACE ends at a frame of PCS in code without a table, and libgcc's
   trace ends there or before.  The start-up files have such code: _init and
   _fini, and the function that calls destructors, which is the caller of all
   of these.  */
static bool
is_short (const struct trace *trace, const struct trace *libgcc,
	  void *const *pcs, int count)
{
  void *bases[3];
  int last = trace->count - SKIPPED - 1;

  return (last >= 0 && last < count - 1
	  && memcmp (trace->pc + SKIPPED, pcs, (last + 1) * sizeof *pcs) == 0
	  && libgcc->count <= trace->count
	  && _Unwind_Find_FDE ((char *) pcs[last] - (last > 0), bases) == NULL);
}

/* Whether this can be the jump of a cancelled thread, to the frame of
   start_thread: LAST and its CALLER are in libc, and the code of TARGET has
   made a call that returns to CALL.  No symbol has the address of that
   jump.  */
static bool
is_cancel (void *last, void *caller, void *target, void *call)
{
  struct dl_find_object libc, object;

  return (_dl_find_object ((void *) siglongjmp, &libc) == 0
	  && _dl_find_object (last, &object) == 0
	  && object.dlfo_link_map == libc.dlfo_link_map
	  && _dl_find_object (caller, &object) == 0
	  && object.dlfo_link_map == libc.dlfo_link_map
	  && (_Unwind_FindEnclosingFunction (target)
	      == _Unwind_FindEnclosingFunction (call)));
}

/* Whether TRACE, like that of libgcc, has the target of the jump in place of
   the caller of longjmp's last function.  The tables of that function say so
   after it has loaded the target's registers.  The callers of the target are
   among PCS.  */
static bool
is_target (const struct trace *trace, const struct trace *libgcc,
	   void *const *pcs, int count)
{
  int rest = trace->count - SKIPPED - 2;

  return (count > 1 && rest > 0 && rest < count - 2
	  && (_Unwind_FindEnclosingFunction (pcs[1]) == jump
	      || is_cancel (pcs[0], pcs[1], trace->pc[SKIPPED + 1],
			    pcs[count - rest - 1]))
	  && trace->pc[SKIPPED] == pcs[0]
	  && memcmp (trace->pc + SKIPPED + 2, pcs + count - rest,
		     rest * sizeof *pcs) == 0
	  && is_same (libgcc, trace->pc + SKIPPED, trace->count - SKIPPED));
}

static void
push (uintptr_t ret, uintptr_t home, bool interrupted)
{
  if (thread.depth < FRAMES)
    thread.calls[thread.depth++] = (struct call) { ret, home, interrupted };
}

/* Begin with the calls that libgcc sees.  */
static void
begin (const struct trace *libgcc, const struct place *now)
{
  thread.depth = 0;
  thread.begun = (libgcc->complete && libgcc->count > SKIPPED
		  && (uintptr_t) libgcc->pc[SKIPPED] == now->pc);
  for (int i = libgcc->count; thread.begun && --i > SKIPPED;)
    push ((uintptr_t) libgcc->pc[i], home_of (libgcc->cfa[i]), false);
}

/* Whether the last instruction was a jump, a call or a return.  */
static bool
has_jumped (const struct place *now)
{
  return now->pc - thread.before.pc > INSTRUCTION_MAX;
}

/* Remove the calls that have ended.  A frame that was left without a return is
   being replaced until a jump leads to the new frame.  */
static void
follow_returns (const struct place *now)
{
  const struct call *last = NULL;

  for (; thread.depth > 0
	 && is_over (&thread.calls[thread.depth - 1], now); --thread.depth)
    last = &thread.calls[thread.depth - 1];
  if (last != NULL)
    thread.replacing = !is_return (last, now);
  else if (thread.replacing && has_jumped (now))
    {
      thread.replacing = false;
      while (thread.depth > 0
	     && is_left (&thread.calls[thread.depth - 1], now))
	--thread.depth;
    }
}

/* Add a call, or the entry of a handler of the program.  */
static void
follow_calls (const struct place *now, const ucontext_t *context)
{
  uintptr_t ret = returns_to (now);

  if (is_call (&thread.before, now, ret))
    push (ret, home_of_call (&thread.before, now), false);
  else if (ret == restorer && now->sp < thread.before.sp)
    {
      struct place interrupted = place_of (interrupted_by (context));
      push (interrupted.pc, now->sp + sizeof ret, true);
      push (restorer, now->sp, false);
    }
}

static void NOINLINE
show (const char *what, void *const *pcs, int count)
{
  dprintf (STDERR_FILENO, "%s, %d frames:\n", what, count);
  backtrace_symbols_fd (pcs, count, STDERR_FILENO);
}

/* Print the traces at an instruction where a trace was wrong.  */
static void
show_all (const struct seen *seen, void *const *truth, int count)
{
  static int shown;

  if (__atomic_fetch_add (&shown, 1, __ATOMIC_RELAXED) >= SHOWN_MAX)
    return;
  show ("known calls", truth, count);
  show ("backtrace", seen->ours.pc, seen->ours.count);
  show ("libgcc", seen->libgcc.pc, seen->libgcc.count);
  show ("libunwind", seen->libunwind.pc, seen->libunwind.count);
}

/* The same for the kernel's chains.  */
static void
show_chains (const struct chain *topmost, const struct chain *handled,
	     void *const *truth, int count)
{
  static int shown;

  if (__atomic_fetch_add (&shown, 1, __ATOMIC_RELAXED) >= SHOWN_MAX)
    return;
  show ("known calls", truth, count);
  show ("kernel, topmost", topmost->pc, topmost->count);
  show ("kernel, in the handler", handled->pc, handled->count);
}

static void
add (long int *counter, bool much)
{
  __atomic_fetch_add (counter, much, __ATOMIC_RELAXED);
}

/* Whether both traces of backtrace equal that of libgcc.  */
static bool
is_as_libgcc (const struct seen *seen)
{
  void *const *pcs = seen->libgcc.pc + SKIPPED;
  int count = seen->libgcc.count - SKIPPED;

  return (is_same (&seen->ours, pcs, count)
	  && is_same (&seen->again, pcs, count));
}

/* Whether both traces of backtrace have the frames of libgcc's, or more.  */
static bool
goes_on (const struct seen *seen)
{
  const struct trace *libgcc = &seen->libgcc;
  size_t size = libgcc->count * sizeof *libgcc->pc;

  return (seen->ours.count >= libgcc->count
	  && seen->again.count >= libgcc->count
	  && (libgcc->count <= SKIPPED
	      || (memcmp (seen->ours.pc + SKIPPED, libgcc->pc + SKIPPED,
			  size - SKIPPED * sizeof *libgcc->pc) == 0
		  && memcmp (seen->again.pc + SKIPPED, libgcc->pc + SKIPPED,
			     size - SKIPPED * sizeof *libgcc->pc) == 0)));
}

/* While a frame is being replaced, compare with libgcc only.  */
static void
compare_with_libgcc (const struct seen *seen)
{
  bool wrong = !is_as_libgcc (seen);

  add (&results->replacing, true);
  add (&results->replacing_wrong, wrong);
  if (wrong)
    show_all (seen, NULL, 0);
}

/* The number of known calls, from the last one on, whose return address is
   unchanged.  */
static int
count_unwritten (void)
{
  int count = 0;

  while (count < thread.depth
	 && !is_rewritten (&thread.calls[thread.depth - 1 - count]))
    ++count;
  return count;
}

/* To throw an exception, libgcc rewrites the return address of a function of
   its own, and then the registers that it has saved.  Compare with the COUNT
   PCS that are unchanged; the frames above depend on how much was
   rewritten.  */
static void
compare_below (const struct seen *seen, void *const *pcs, int count)
{
  bool wrong = (seen->ours.count < SKIPPED + count
		|| seen->again.count < SKIPPED + count
		|| memcmp (seen->ours.pc + SKIPPED, pcs,
			   count * sizeof *pcs) != 0
		|| memcmp (seen->again.pc + SKIPPED, pcs,
			   count * sizeof *pcs) != 0);

  add (&results->replacing, true);
  add (&results->replacing_wrong, wrong);
  if (wrong)
    show_all (seen, pcs, count);
}

/* The number of the COUNT PCS, from the first one on, that are in the
   program's libgcc.  */
static int
count_libgcc (void *const *pcs, int count)
{
  struct dl_find_object object;
  int i = 0;

  while (i < count && _dl_find_object (pcs[i], &object) == 0
	 && strstr (object.dlfo_link_map->l_name, "/libgcc_s.") != NULL)
    ++i;
  return i;
}

/* Whether libgcc throws an exception and cannot find its own callers any more:
   it has begun to rewrite the registers that its frames have saved, so that a
   function that keeps its CFA in such a register has a wrong CFA.  */
static bool
is_throwing (const struct seen *seen, void *const *pcs, int count)
{
  return (count_libgcc (pcs, count) > 0
	  && !is_same (&seen->libgcc, pcs, count));
}

/* Compare at such an instruction with libgcc's trace or, if libgcc has
   faulted, with those of the known calls PCS that are in libgcc.  */
static void
compare_throwing (const struct seen *seen, void *const *pcs, int count)
{
  if (seen->libgcc.count > 0)
    compare_with_libgcc (seen);
  else
    compare_below (seen, pcs, count_libgcc (pcs, count));
}

/* Write WHAT, OBJECT and ADDRESS to standard error, once in a program.  */
static void
tell_once (const char *what, const char *object, uintptr_t address)
{
  static struct { const char *what; uintptr_t address; } told[TOLD_MAX];
  uintptr_t none;

  for (int i = 0; i < TOLD_MAX; ++i)
    {
      none = 0;
      if (__atomic_compare_exchange_n (&told[i].address, &none, address, false,
				       __ATOMIC_RELAXED, __ATOMIC_RELAXED))
	{
	  told[i].what = what;
	  dprintf (STDERR_FILENO, "%s %s %lx\n", what, object,
		   (unsigned long int) address);
	  return;
	}
      if (none == address && told[i].what == what)
	return;
    }
}

/* Print that backtrace was right in the function of PC.  The trampoline has no
   name.  */
static void
tell_function (void *pc)
{
  struct dl_find_object object;
  void *function = _Unwind_FindEnclosingFunction ((char *) pc + 1);

  if ((uintptr_t) pc == restorer)
    tell_once ("reached", "restorer", restorer);
  else if (function != NULL && _dl_find_object (pc, &object) == 0)
    tell_once ("reached", object.dlfo_link_map->l_name,
	       (uintptr_t) function - object.dlfo_link_map->l_addr);
}

/* Compare with the COUNT known calls PCS.  */
static void
compare_with_calls (const struct seen *seen, void *const *pcs, int count)
{
  const struct trace *libgcc = &seen->libgcc, *libunwind = &seen->libunwind;
  bool wrong = (!is_same (&seen->ours, pcs, count)
		|| !is_same (&seen->again, pcs, count));
  bool told = (is_short (&seen->ours, libgcc, pcs, count)
	       && is_short (&seen->again, libgcc, pcs, count));

  if (wrong && !told && is_throwing (seen, pcs, count))
    {
      compare_throwing (seen, pcs, count);
      return;
    }
  add (&results->known, true);
  add (&results->wrong, wrong && !told);
  add (&results->short_of, told);
  add (&results->libgcc_wrong, !is_same (libgcc, pcs, count));
  add (&results->libunwind_asked, libunwind->count > 0);
  add (&results->libunwind_wrong, (libunwind->count > 0
				   && !is_same (libunwind, pcs, count)));
  if (wrong && !told)
    show_all (seen, pcs, count);
  else if (!asks_kernel && !told)
    tell_function (pcs[0]);
}

/* Store the PCs of the known calls in PCS, the latest first, and return their
   number.  */
static int
list_calls (const struct place *now, void **pcs)
{
  int count = 0;

  pcs[count++] = (void *) now->pc;
  for (int i = thread.depth; i-- > 0;)
    pcs[count++] = (void *) thread.calls[i].ret;
  return count;
}

static void
compare (const struct seen *seen, const struct place *now)
{
  void *pcs[FRAMES + 1];
  int count = list_calls (now, pcs);

  if (LOSES_STEPS && is_as_libgcc (seen)
      && !is_same (&seen->ours, pcs, count))
    {
      add (&results->lost, true);
      begin (&seen->libgcc, now);
    }
  else if (count_unwritten () < thread.depth)
    compare_below (seen, pcs, 1 + count_unwritten ());
  else if (is_target (&seen->ours, &seen->libgcc, pcs, count))
    compare_with_libgcc (seen);
  else
    compare_with_calls (seen, pcs, count);
}

/* The number of the COUNT PCS, from the first one on, that the kernel must
   find: up to the first one in code without a table.  The first PC is not a
   return address, and the kernel recognizes the trampoline by its code.  */
static int
count_described (void *const *pcs, int count)
{
  const char *object;
  bool interrupted = true;

  for (int i = 0; i < count; ++i)
    {
      bool restores = (uintptr_t) pcs[i] == restorer;
      if (!restores
	  && kernel_function ((uintptr_t) pcs[i] - !interrupted, &object) == 0)
	return i + 1;
      interrupted = restores;
    }
  return count;
}

/* Print that the kernel was right: in a function with a table, or in the
   trampoline.  */
static void
tell_reached (void *pc)
{
  const char *object;
  uintptr_t function = kernel_function ((uintptr_t) pc, &object);

  if ((uintptr_t) pc == restorer)
    tell_once ("reached", "restorer", restorer);
  else if (function != 0)
    tell_once ("reached", object, function);
}

/* Print that PC has no table.  */
static void
tell_end (void *pc)
{
  struct dl_find_object object;

  if (_dl_find_object (pc, &object) == 0)
    tell_once ("ended", object.dlfo_link_map->l_name,
	       (uintptr_t) pc - (uintptr_t) object.dlfo_map_start);
  else
    tell_once ("ended", "?", (uintptr_t) pc);
}

/* Compare the kernel's CHAIN, from frame SKIP on, with the COUNT known calls
   PCS.  Return whether it is right.  */
static bool
compare_chain (const struct chain *chain, int skip, void *const *pcs,
	       int count, struct chains *chains)
{
  int seen = chain->count - skip;
  int described = count_described (pcs, count);
  bool good = (seen >= described
	       && memcmp (chain->pc + skip, pcs, described * sizeof *pcs) == 0);
  bool right = (good && seen == count
		&& memcmp (chain->pc + skip, pcs, count * sizeof *pcs) == 0);

  add (&chains->taken, true);
  add (&chains->right, right);
  add (&chains->cut, good && !right && seen == described);
  add (&chains->guessed, good && !right && seen > described
		         && described < count);
  good = right || (good && described < count);
  add (&chains->wrong, !good);
  if (good && !right)
    tell_end (pcs[described - 1]);
  return good;
}

/* Compare the kernel's chains with the known calls or, where a frame is being
   replaced, with backtrace.  */
static void NOINLINE
compare_kernel (const struct seen *seen, const struct place *now)
{
  struct chain topmost, handled;
  void *calls[FRAMES + 1], *const *pcs = calls;
  int count = list_calls (now, calls);
  bool good = true;

  kernel_collect (now->pc, &topmost, &handled);
  if (thread.replacing || !thread.begun || count_unwritten () < thread.depth
      || is_target (&seen->ours, &seen->libgcc, pcs, count))
    {
      pcs = seen->ours.pc + SKIPPED;
      count = seen->ours.count - SKIPPED;
    }
  if (topmost.count > 0)
    good = compare_chain (&topmost, 0, pcs, count, &results->topmost);
  if (good && topmost.count > 0)
    tell_reached (pcs[0]);
  if (handled.count > 0)
    good &= compare_chain (&handled, KERNEL_SKIPPED, pcs, count,
			   &results->handled);
  if (!good)
    show_chains (&topmost, &handled, pcs, count);
}

/* If the next instruction blocks SIGTRAP or the judge's signal, let it block
   neither: a trap in a thread that has blocked SIGTRAP would end the program.
   The register is restored after the instruction.  */
static void
keep_unblocked (ucontext_t *context)
{
  const uint64_t bits = (UINT64_C (1) << (SIGTRAP - 1)
			 | UINT64_C (1) << (JUDGE_SIGNAL - 1));
  greg_t *set = signal_set (context);

  if (thread.set != 0)
    *set = thread.set;
  thread.set = 0;
  if (!is_blocking (context) || *set == 0)
    return;
  thread.unblocked = *(const uint64_t *) *set & ~bits;
  thread.set = *set;
  *set = (greg_t) &thread.unblocked;
}

static void
handler (int signo, siginfo_t *info, void *context)
{
  struct seen seen;
  struct place now = place_of (context);
  int saved_errno = errno, cancel_state;

  (void) signo;
  (void) info;
  /* The judge's output must not be a cancellation point.  */
  pthread_setcancelstate (PTHREAD_CANCEL_DISABLE, &cancel_state);
  restorer = (uintptr_t) __builtin_return_address (0);
  collect (&seen);
  if (thread.begun)
    {
      follow_returns (&now);
      if (has_jumped (&now))
	follow_calls (&now, context);
    }
  else if (!is_new_thread (context))
    begin (&seen.libgcc, &now);
  thread.before = now;

  add (&results->judged, true);
  add (&results->libgcc_differs, !is_as_libgcc (&seen));
  if (!thread.begun)
    {
      bool differs = !goes_on (&seen);
      add (&results->unknown, true);
      add (&results->unknown_differs, differs);
      if (differs)
	show_all (&seen, NULL, 0);
    }
  else if (thread.replacing)
    compare_with_libgcc (&seen);
  else
    compare (&seen, &now);
  if (asks_kernel)
    compare_kernel (&seen, &now);
  keep_unblocked (context);
  pthread_setcancelstate (cancel_state, NULL);
  errno = saved_errno;
}

static void
load_libunwind (void)
{
  void *library = dlopen ("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);

  if (library != NULL)
    libunwind_backtrace = dlsym (library, "unw_backtrace");
}

/* Install the handler, and notify the tracer by a signal, unless the program
   does so.  */
static void __attribute__ ((constructor))
start (void)
{
  const char *descriptor = getenv (RESULTS_VARIABLE);
  struct sigaction action = { .sa_sigaction = handler,
			      .sa_flags = SA_SIGINFO | SA_RESTART };

  if (descriptor == NULL)
    return;
  results = mmap (NULL, sizeof *results, PROT_READ | PROT_WRITE, MAP_SHARED,
		  atoi (descriptor), 0);
  if (results == MAP_FAILED)
    abort ();
  asks_kernel = getenv (KERNEL_VARIABLE) != NULL;
  if (asks_kernel && !kernel_start ())
    abort ();
  if (!asks_kernel)
    load_libunwind ();
  jump = _Unwind_FindEnclosingFunction ((char *) siglongjmp + 1);
  signal (SIGSEGV, leave_peer);
  sigfillset (&action.sa_mask);
  sigdelset (&action.sa_mask, SIGSEGV);
  sigaction (JUDGE_SIGNAL, &action, NULL);
  if (getenv (LATER_VARIABLE) == NULL)
    raise (SIGTRAP);
}
