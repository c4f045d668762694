/* The kernel's SFrame unwinder on tables that libFuzzer makes.
   SPDX-License-Identifier: GPL-2.0-only

   The input is a table.  It is registered for the code that seeds.c has given
   it, and stacks are unwound from many addresses of that code, with an SP that
   depends on the last byte.  The words of the stack are addresses of the code
   and of the stack, and small numbers such as those of signals.

   A step goes up the stack, ends the trace, or fails with one of its errors
   and changes nothing.  A corrupt table is removed, any other one stays, and
   at the end no memory is allocated.

   Compiled with SHIM_S390 it uses the rules of s390, in this machine's byte
   order, in which seeds.c writes tables.  */

#include <linux/unwind_user_types.h>

#include "../sframe.kernel/process.h"
#include "hold.h"

/* As seeds.c has them.  */
enum { CODE = 0x100000, CODE_SIZE = 0x10000, FUNCTIONS_MAX = 4 };
enum { STACK_WORDS = 128, STEPS_MAX = 24 };
static const unsigned long stack = 0x7f0000000000, table = 0x400000000000;

static uint64_t words[STACK_WORDS];
static unsigned char *text;

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static unsigned long
code_at (unsigned int i)
{
  static const unsigned int offsets[]
    = { 0, 1, 2, 4, 5, 8, 11, 14, 23, 40, 70, 110, 200, 400, 1000, 3000 };

  return (table + CODE + i / ARRAY_SIZE (offsets) % FUNCTIONS_MAX * CODE_SIZE
	  + offsets[i % ARRAY_SIZE (offsets)]);
}

/* Registers and WORDS of each kind in turn.  Some pointers to the stack go up
   and some down; 14 words above the target, where s390 keeps a return address,
   is an address of code.  */
static void
fill_stack (void)
{
  unsigned long *registers = (unsigned long *) &current_registers;
  unsigned long *others = (unsigned long *) &current->thread;

  for (unsigned int i = 0; i < STACK_WORDS; ++i)
    words[i] = (i % 3 == 0 ? stack + (i * 5 + 8) % STACK_WORDS * 8
		: i % 7 == 0 ? i / 7 % 10 : code_at (i));
  for (size_t i = 0; i < sizeof current_registers / sizeof *registers; ++i)
    registers[i] = stack + i * 40;
  for (size_t i = 0; i < sizeof current->thread / sizeof *others; ++i)
    others[i] = stack + i * 8;
}

static void
put (unsigned int function, unsigned int offset, const void *code,
     unsigned int size)
{
  memcpy (text + function * CODE_SIZE + offset, code, size);
}

/* Every second function consists of calls, so that each of its addresses may
   be a return address; the last function, which has no table, is the signal
   restorer.  The rest of the code has no effect.  */
static void
put_code (void)
{
#ifdef SHIM_S390
  static const uint16_t call = 0x0de1;
  static const uint16_t restorers[] = { 0x0a00 + __NR_sigreturn,
					0x0a00 + __NR_rt_sigreturn };

  put (FUNCTIONS_MAX - 1, 40, &restorers[0], 2);
  put (FUNCTIONS_MAX - 1, 70, &restorers[1], 2);
#else
  static const unsigned char call[] = { 0xff, 0xd0 };
  static const unsigned char restorer[] = { 0x48, 0xc7, 0xc0, 15, 0, 0, 0,
					    0x0f, 0x05 };

  put (FUNCTIONS_MAX - 1, 40, restorer, sizeof restorer);
#endif
  for (unsigned int i = 0; i < FUNCTIONS_MAX; i += 2)
    for (unsigned int at = 0; at < CODE_SIZE; at += sizeof call)
      put (i, at, &call, sizeof call);
}

/* Step by frame pointers, as the kernel does without a table.  */
static int
step_without_table (struct unwind_user_state *state)
{
#ifdef SHIM_S390
  return s390_unwind_backchain (state);
#else
  (void) state;
  return -EINVAL;
#endif
}

/* Whether SP may stay as it is in the step from BEFORE to STATE.  A function
   that has not called may have its return address in a register; x86 has none
   for it, so the other registers must be known.  On s390 a function that has
   called may have saved it in its caller's frame, but not two in turn.  */
static bool
may_stay (const struct unwind_user_state *before,
	  const struct unwind_user_state *state)
{
#ifdef SHIM_S390
  return (before->topmost || before->interrupted
	  || (state->sp_kept && !before->sp_kept));
#else
  (void) state;
  return before->topmost || before->ucontext != 0;
#endif
}

static void
check_step (const struct unwind_user_state *before,
	    const struct unwind_user_state *state, int result)
{
  struct unwind_user_state expected = *before;

  hold (result == 0 || result == -ENOENT || result == -EFAULT
	|| result == -EBADMSG || result == -EINVAL || result == -ENODATA
	|| result == -E2BIG, "one of the errors");
  if (result == 0 && !state->done)
    {
      /* The frame that a signal has interrupted may be on another stack, with
	 any SP.  */
      hold (state->sp > before->sp || state->interrupted
	    || (state->sp == before->sp && may_stay (before, state)),
	    "the stack rises");
      hold ((state->sp % 8 == 0 || state->interrupted) && !state->topmost,
	    "a frame that has called");
      return;
    }
  expected.sframe_rows = state->sframe_rows;
  expected.sframe = state->sframe;
  expected.sframe_uncached = state->sframe_uncached;
  expected.sframe_dropped = state->sframe_dropped;
  expected.code = state->code;
  expected.code_size = state->code_size;
  expected.done = result == 0;
  hold (memcmp (&expected, state, sizeof expected) == 0,
	"the state as before");
}

/* Whether a table describes the instruction at which STATE is.  */
static bool
is_described (const struct unwind_user_state *state)
{
  struct sframe_view view;
  bool after = ((!state->topmost && !state->interrupted)
		 || state->ip_after);

  return sframe_find_view (state->ip - after, &view);
}

static void
walk (unsigned long ip, unsigned long sp, bool topmost)
{
  struct unwind_user_state state
    = { .ip = ip, .sp = sp, .fp = stack + 160, .ws = 8, .topmost = topmost,
	.available_types = UNWIND_USER_TYPE_SFRAME };
  int result = 0;

  for (unsigned int i = 0; i < STEPS_MAX && result == 0 && !state.done; ++i)
    {
      struct unwind_user_state before = state;
      bool described = is_described (&state);
      result = sframe_unwind_next (&state);
      check_step (&before, &state, result);
      hold (described == (is_described (&before) || result == -EBADMSG),
	    "a corrupt table is dropped, no other");
      if (result == 0)
	continue;
      before = state;
      result = step_without_table (&state);
      check_step (&before, &state, result);
    }
}

/* Each place once as that of the interrupted function, and once of a
   caller.  */
static void
walk_all (size_t size, unsigned int byte)
{
  unsigned long text_size = FUNCTIONS_MAX * CODE_SIZE;
  unsigned long sp = stack + byte % (STACK_WORDS / 2) * 8;

  for (unsigned int i = 0; i < 16 * FUNCTIONS_MAX; ++i)
    {
      int result = sframe_add (table, size, table + CODE, text_size);
      hold (result == 0 || result == -EINVAL, "added, or refused");
      if (result == -EINVAL)
	return;
      walk (code_at (i), sp, i % 2 == 0);
    }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  unsigned char *bytes = malloc (size);

  if (text == NULL)
    {
      text = calloc (FUNCTIONS_MAX, CODE_SIZE);
      put_code ();
    }
  if (size > 0)
    memcpy (bytes, data, size);
  new_process ();
  fill_stack ();
  if (size > 0)
    machine_map (&process, table, size, VM_READ, bytes);
  machine_map (&process, table + CODE, FUNCTIONS_MAX * CODE_SIZE,
	       VM_READ | VM_EXEC, text);
  machine_map (&process, stack, sizeof words, VM_READ | VM_WRITE,
	       (unsigned char *) words);
  walk_all (size, size > 0 ? data[size - 1] : 0);
  machine_exit (&process);
  rcu_barrier ();
  hold (machine.objects == 0, "nothing is left");
  free (bytes);
  return 0;
}
