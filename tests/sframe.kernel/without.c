/* Link callers of the kernel's SFrame interface for a machine without SFrame.
   SPDX-License-Identifier: GPL-2.0-only

   The SFrame sources are not linked, as in such a kernel: each function that
   linux/sframe.h declares must have an inline definition there, or no call of
   it may be compiled.  */

#include <linux/sframe.h>

#include "../sframe.unit/check.h"

static struct mm_struct process;

static void
test_prctl (void)
{
  CHECK (sframe_add_array (NULL, 1, 32, 0) == -EINVAL);
  CHECK (sframe_remove (1) == -EINVAL);
  CHECK (sframe_set_order (1) == -EINVAL);
  CHECK (sframe_order (&process) == 0);
}

static void
test_exec (void)
{
  sframe_add_elf (NULL, 0, 0);
  CHECK (!sframe_has_set (&process));
}

static void
test_memory (void)
{
  struct mm_struct child = process;

  sframe_init_mm (&child);
  sframe_dup_mm (&child, &process);
  CHECK (!sframe_has_tables (&child) && !sframe_in_vdso (0));
  sframe_unmap (&child, 0, -1UL);
  sframe_free_mm (&child);
}

/* Frame pointers are followed as ever.  */
static void
test_unwinding (void)
{
  struct unwind_user_state state = { .ws = sizeof (long) };

  CHECK (sframe_unwind_next (&state) == -ENOENT);
  CHECK (sframe_guess_ok (&state, 0, 0, 0));
}

#define CASE(name) { #name, test_##name }
static const struct test_case cases[] = {
  CASE (prctl),
  CASE (exec),
  CASE (memory),
  CASE (unwinding),
};

int
main (void)
{
  return run_cases (cases, ARRAY_SIZE (cases));
}
