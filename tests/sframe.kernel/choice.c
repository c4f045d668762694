/* The choice of unwinders: the sysctls, PR_SET_UNWIND_USER, and what a trace
   gets of both.
   SPDX-License-Identifier: GPL-2.0-only

   Expected results are those of Documentation/admin-guide/sysctl/kernel.rst,
   as choice.patch changes it, and of manual/PR_SET_UNWIND_USER.2const, for a
   kernel without unwinding by the back chain.  */

#include <linux/prctl.h>
#include <linux/sysctl.h>
#include <linux/unwind_choice.h>

#include "process.h"
#include "vdso.h"

enum { TABLE = 0x10000, TEXT = 0x20000, TEXT_END = 0x21000 };
/* In place of the order of an unwinder.  */
enum { NONE = 0, SFRAME = PR_UNWIND_SFRAME, FP = PR_UNWIND_FP };
/* Two unwinders, in this order.  */
#define BOTH(first, second) ((first) | (second) << 4)

static const struct ctl_table *sysctls;
static size_t sysctl_count;

void
machine_register_sysctls (const char *path, const struct ctl_table *tables,
			  size_t count)
{
  require (strcmp (path, "kernel") == 0, "the sysctls are in kernel");
  sysctls = tables;
  sysctl_count = count;
}

/* Copy the string and a line feed, as the kernel does for a reader that begins
   at the start and has room.  */
int
proc_dostring (const struct ctl_table *table, int write, void *buffer,
	       size_t *lenp, loff_t *ppos)
{
  size_t length = strnlen (table->data, table->maxlen);

  require (!write && *ppos == 0 && length < *lenp, "a whole string is read");
  memcpy (buffer, table->data, length);
  ((char *) buffer)[length] = '\n';
  *ppos = *lenp = length + 1;
  return 0;
}

static const struct ctl_table *
sysctl (const char *name)
{
  for (size_t i = 0; i < sysctl_count; ++i)
    if (strcmp (sysctls[i].procname, name) == 0)
      return &sysctls[i];
  require (false, name);
  return NULL;
}

static bool
reads (const char *name, const char *expected)
{
  const struct ctl_table *table = sysctl (name);
  char text[80] = "";
  size_t length = sizeof text;
  loff_t at = 0;
  int result = table->proc_handler (table, 0, text, &length, &at);

  if (strcmp (text, expected) != 0)
    printf ("%s: %s", name, text);
  return (result == 0 && length == strlen (expected)
	  && memcmp (text, expected, length) == 0);
}

/* Write the first LENGTH bytes of TEXT from offset AT on.  Nothing behind them
   may be read.  */
static int
write_at (const char *text, size_t length, loff_t at)
{
  const struct ctl_table *table = sysctl ("unwind_user");
  char *copy = malloc (length);
  loff_t end = at;
  size_t written = length;

  require (copy != NULL, "memory");
  memcpy (copy, text, length);
  int result = table->proc_handler (table, 1, copy, &written, &end);
  CHECK (written == length && end == at + (result == 0 ? length : 0));
  free (copy);
  return result;
}

static int
choose (const char *names)
{
  return write_at (names, strlen (names), 0);
}

static void
start (void)
{
  new_process ();
  map (TABLE, TABLE + 0x1000, VM_READ);
  map (TEXT, TEXT_END, VM_READ | VM_EXEC);
  put_table (TABLE, TEXT, 0x1000);
  require (choose ("sframe fp") == 0, "the first choice");
}

/* Whether a trace from IP on asks the unwinders of ORDER, and those of
   AVAILABLE count for its other decisions.  */
static bool
trace_has (unsigned long ip, u32 order, unsigned int available)
{
  struct unwind_user_state state = { .ip = ip, .order = -1,
    .available_types = -1 };

  unwind_user_choose (&state);
  if (state.order != order || state.available_types != available)
    printf ("order %#x, types %#x\n", state.order, state.available_types);
  return state.order == order && state.available_types == available;
}

static bool
traces_are (u32 order)
{
  unsigned int available = 0;

  for (u32 rest = order; rest != 0; rest >>= 4)
    available |= 1U << ((rest & 15) - 1);
  return trace_has (TEXT, order, available);
}

static void
test_sysctls (void)
{
  CHECK (sysctl_count == 2);
  CHECK (sysctl ("unwind_user")->mode == 0644);
  CHECK (sysctl ("unwind_user_available")->mode == 0444);
  CHECK (reads ("unwind_user_available", "sframe fp\n"));
  CHECK (reads ("unwind_user", "sframe fp\n"));
}

static void
test_names (void)
{
  static const struct
  {
    const char *names, *result;
  } cases[] = {
    { "sframe", "sframe\n" },
    { "fp", "fp\n" },
    { "fp sframe", "fp sframe\n" },
    { "sframe fp\n", "sframe fp\n" },
    { " \tfp\n\n sframe  ", "fp sframe\n" },
    { "                                             sframe", "sframe\n" },
    { "fp                                             ", "fp\n" },
  };

  for (size_t i = 0; i < ARRAY_SIZE (cases); ++i)
    {
      CHECK (choose (cases[i].names) == 0);
      CHECK (reads ("unwind_user", cases[i].result));
    }
  /* The length counts, or a null if there is one before.  */
  CHECK (write_at ("sframefp", 6, 0) == 0);
  CHECK (reads ("unwind_user", "sframe\n"));
  CHECK (write_at ("fp\0sframe", 9, 0) == 0);
  CHECK (reads ("unwind_user", "fp\n"));
  CHECK (reads ("unwind_user_available", "sframe fp\n"));
}

/* Each is refused for its first fault, and changes nothing.  */
static void
test_bad_names (void)
{
  static const struct
  {
    const char *names;
    int error;
  } cases[] = {
    { "", -EINVAL },
    { "\n", -EINVAL },
    { "                                                ", -EINVAL },
    { "sframe dwarf", -ENOENT },
    { "fp,sframe", -ENOENT },
    { "sfram", -ENOENT },
    { "sframe2", -ENOENT },
    { "SFRAME", -ENOENT },
    { "fpfp", -ENOENT },
    { "f", -ENOENT },
    { "fq", -ENOENT },
    { "backchain", -EOPNOTSUPP },
    { "backchai", -ENOENT },
    { "sframe backchain", -EOPNOTSUPP },
    { "fp fp", -EINVAL },
    { "sframe fp sframe", -EINVAL },
    { "fp fp dwarf", -EINVAL },
    { "dwarf fp fp", -ENOENT },
    { "backchain dwarf", -EOPNOTSUPP },
  };

  CHECK (choose ("fp") == 0);
  for (size_t i = 0; i < ARRAY_SIZE (cases); ++i)
    {
      int error = choose (cases[i].names);

      if (error != cases[i].error)
	printf ("%s: %d, not %d\n", cases[i].names, error, cases[i].error);
      CHECK (error == cases[i].error);
      CHECK (reads ("unwind_user", "fp\n"));
    }
  CHECK (write_at ("sframe", 0, 0) == -EINVAL);
  CHECK (write_at ("sframe", 6, 1) == -EINVAL);
  CHECK (reads ("unwind_user", "fp\n"));
}

/* By the administrator alone, for a process with a table.  */
static void
test_traces (void)
{
  start ();
  CHECK (sframe_add (TABLE, TABLE_SIZE, TEXT, 0x1000) == 0);
  CHECK (traces_are (BOTH (SFRAME, FP)));
  CHECK (choose ("fp sframe") == 0 && traces_are (BOTH (FP, SFRAME)));
  CHECK (choose ("fp") == 0 && traces_are (FP));
  CHECK (choose ("sframe") == 0 && traces_are (SFRAME));
  end_process ();
}

/* Whether a process without tables is unwound as without SFrame; in the vDSO
   SFrame is asked, but does not count.  */
static void
test_without_tables (void)
{
  start ();
  begin_vdso ();
  for (unsigned int i = 0; i < 2; ++i)
    {
      CHECK (trace_has (TEXT, FP, UNWIND_USER_TYPE_FP));
      CHECK (trace_has (VDSO + VDSO_TEXT, BOTH (SFRAME, FP),
			UNWIND_USER_TYPE_FP));
      CHECK (choose ("fp sframe") == 0);
      CHECK (trace_has (VDSO + VDSO_TEXT, BOTH (FP, SFRAME),
			UNWIND_USER_TYPE_FP));
      CHECK (choose ("fp") == 0);
      CHECK (trace_has (VDSO + VDSO_TEXT, FP, UNWIND_USER_TYPE_FP));
      CHECK (choose ("sframe") == 0);
      CHECK (trace_has (TEXT, NONE, 0));
      CHECK (trace_has (VDSO + VDSO_TEXT, SFRAME, 0));
      CHECK (choose ("sframe fp") == 0);
      /* The same when it has no tables any more.  */
      CHECK (sframe_add (TABLE, TABLE_SIZE, TEXT, 0x1000) == 0);
      CHECK (trace_has (VDSO + VDSO_TEXT, BOTH (SFRAME, FP),
			UNWIND_USER_TYPE_SFRAME | UNWIND_USER_TYPE_FP));
      CHECK (sframe_remove (TABLE) == 0);
    }
  end_process ();
}

/* A process that has chosen counts as one with tables.  */
static void
test_own (void)
{
  start ();
  CHECK (unwind_user_get_order () == 0);
  CHECK (unwind_user_set_order (BOTH (FP, SFRAME)) == 0);
  CHECK (unwind_user_get_order () == BOTH (FP, SFRAME));
  CHECK (traces_are (BOTH (FP, SFRAME)));
  CHECK (unwind_user_set_order (SFRAME) == 0 && traces_are (SFRAME));
  CHECK (unwind_user_set_order (BOTH (SFRAME, FP)) == 0);
  CHECK (choose ("fp sframe") == 0 && traces_are (BOTH (SFRAME, FP)));
  /* The administrator excludes one of them, then the other one.  */
  CHECK (choose ("fp") == 0 && traces_are (FP));
  CHECK (choose ("sframe") == 0 && traces_are (SFRAME));
  CHECK (unwind_user_set_order (FP) == 0 && traces_are (NONE));
  CHECK (unwind_user_get_order () == FP);
  CHECK (choose ("sframe fp") == 0 && traces_are (FP));
  CHECK (unwind_user_set_order (0) == 0 && unwind_user_get_order () == 0);
  CHECK (traces_are (FP));
  end_process ();
}

/* The error for the first wrong unwinder of ORDER.  */
static int
expected_error (unsigned long order)
{
  unsigned int seen = 0;

  while (order != 0)
    {
      unsigned int number = order % 16;

      order /= 16;
      if (number > PR_UNWIND_BACKCHAIN)
	return -ENOENT;
      if (number == PR_UNWIND_BACKCHAIN)
	return -EOPNOTSUPP;
      if (number == NONE || (seen & 1U << number) != 0)
	return -EINVAL;
      seen |= 1U << number;
    }
  return 0;
}

/* All that fit in five places, at both ends of an order.  */
static void
test_orders (void)
{
  enum { ORDERS = 1 << 20 };
  unsigned int good = 0;

  start ();
  CHECK (unwind_user_set_order (FP) == 0);
  for (unsigned long i = 0; i < 2 * ORDERS; ++i)
    {
      unsigned long order = i < ORDERS ? i : (i - ORDERS) << 44 | SFRAME;
      int error = unwind_user_set_order (order);
      bool right = error == expected_error (order);

      if (!right)
	printf ("%#lx: %d, not %d\n", order, error, expected_error (order));
      require (right, "each order has its error");
      good += error == 0;
      right = unwind_user_get_order () == (error == 0 ? (int) order : FP);
      require (right, "only a good order is stored");
      if (error == 0 && unwind_user_set_order (FP) != 0)
	require (false, "choose once more");
    }
  /* None, each alone, and both; of the others only each alone.  */
  CHECK (good == 5 + 1);
  end_process ();
}

static void
test_errors_of_the_set (void)
{
  start ();
  machine.killed = true;
  CHECK (unwind_user_set_order (FP) == -EINTR);
  machine.killed = false;
  machine.no_memory = true;
  CHECK (unwind_user_set_order (FP) == -ENOMEM);
  machine.no_memory = false;
  CHECK (unwind_user_get_order () == 0);
  end_process ();
}

#define CASE(name) { #name, test_##name }
static const struct test_case cases[] = {
  CASE (sysctls),
  CASE (names),
  CASE (bad_names),
  CASE (traces),
  CASE (without_tables),
  CASE (own),
  CASE (orders),
  CASE (errors_of_the_set),
};

int
main (void)
{
  return run_cases (cases, ARRAY_SIZE (cases));
}
