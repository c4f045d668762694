/* Count the steps of the kernel's registry for the largest process.
   SPDX-License-Identifier: GPL-2.0-only

   A step is a basic block of the registry, of its reader or of the trees.  A
   process chooses the numbers of its text ranges, of its mappings and of a
   table's functions.  An operation may take a number of steps for each of
   them, but not for each pair of them.  */

#include "process.h"

#include <linux/elf.h>

/* The limits of Linux: of texts, and nearly that of mappings.  */
enum { TEXTS = 16384, MAPPINGS = 60000 };
enum { STEPS_PER_ITEM = 500 };
enum { TABLE = BASE, TABLE_END = TABLE + 0x40000, TEXT = 0x60000 };
enum { TEXT_END = TEXT + 2 * TEXTS };

static unsigned long steps, limit = ULONG_MAX;

void __sanitizer_cov_trace_pc (void);

void
__sanitizer_cov_trace_pc (void)
{
  if (++steps <= limit)
    return;
  printf ("more than %lu steps\n", limit);
  fflush (stdout);
  abort ();
}

/* The following operation may take a number of steps for each of ITEMS.  */
static void
allow (unsigned long items)
{
  steps = 0;
  limit = items * STEPS_PER_ITEM;
}

static void
done (const char *what)
{
  printf ("%s: %lu of %lu steps\n", what, steps, limit);
  CHECK (steps > 0);
  limit = ULONG_MAX;
}

/* Split the mapping at START every SIZE bytes, COUNT times.  */
static void
split (unsigned long start, unsigned long size, unsigned int count)
{
  while (count > 0)
    machine_split (&process, start + size * count--);
}

/* A process with all texts, of one table.  */
static void
start (void)
{
  int result = 0;

  new_process ();
  map (TABLE, TABLE_END, VM_READ);
  map (TEXT, TEXT_END, VM_READ | VM_EXEC);
  put_table (TABLE, TEXT, 2 * TEXTS);
  allow (TEXTS);
  for (unsigned int i = 0; i < TEXTS && result == 0; ++i)
    result = sframe_add (TABLE, TABLE_END - TABLE, TEXT + 2 * i, 2);
  done ("add");
  CHECK (result == 0);
}

/* The same, its table in half of all mappings and its text in the other.  */
static void
start_in_pieces (void)
{
  start ();
  split (TABLE, 8, MAPPINGS / 2);
  split (TEXT, 1, MAPPINGS / 2);
  CHECK (process.nr_areas == MAPPINGS + 2);
}

static void
check_fork (unsigned long skip, unsigned long table)
{
  struct mm_struct *child = malloc (sizeof *child);

  require (child != NULL, "memory");
  start_in_pieces ();
  allow (TEXTS + MAPPINGS);
  machine_fork (child, &process, skip);
  done ("fork");
  current->mm = child;
  CHECK (describes (table, TEXT) && describes (table, TEXT_END - 1));
  allow (TEXTS);
  machine_exit (child);
  done ("exit");
  free (child);
  end_process ();
}

static void
test_fork (void)
{
  check_fork (0, TABLE);
}

/* The memory of a process: two cache lines for each text range, three for the
   set; a child takes none.  */
static void
test_bytes (void)
{
  enum { PER_TEXT = 128, PER_SET = 96 };
  struct mm_struct *child = malloc (sizeof *child);
  unsigned long before = machine.bytes;

  require (child != NULL, "memory");
  start ();
  unsigned long bytes = machine.bytes - before;
  printf ("%lu bytes\n", bytes);
  CHECK (bytes > TEXTS * PER_TEXT / 2);
  CHECK (bytes <= TEXTS * PER_TEXT + PER_SET);
  machine_fork (child, &process, 0);
  CHECK (machine.bytes - before == bytes);
  machine_exit (child);
  free (child);
  end_process ();
}

/* A fork, and the exit of the child, take as many steps as without
   registrations.  The one that first changes something makes the copy.  */
static void
test_fork_shares (void)
{
  struct mm_struct *child = malloc (sizeof *child);
  unsigned long objects;

  require (child != NULL, "memory");
  start ();
  objects = machine.objects;
  allow (1);
  machine_fork (child, &process, 0);
  machine_exit (child);
  done ("fork and exit");
  machine_fork (child, &process, 0);
  CHECK (machine.objects == objects);
  current->mm = child;
  allow (TEXTS);
  CHECK (sframe_add (TABLE, TABLE_END - TABLE, TEXT + 1, 2) == -EEXIST);
  CHECK (machine.objects == objects);
  machine_unmap (child, TEXT, TEXT + 1);
  done ("change");
  rcu_barrier ();
  CHECK (machine.objects == 2 * objects);
  machine_exit (child);
  free (child);
  end_process ();
}

/* Each second mapping is not for the child.  */
static void
test_fork_without_mappings (void)
{
  check_fork (0x5555555555555555, 0);
}

/* The table or the text is unmapped, at once or in pieces.  */
static void
check_unmap (unsigned long from, unsigned long to, unsigned long size)
{
  start_in_pieces ();
  allow (TEXTS + (to - from) / size);
  mmap_write_lock_killable (&process);
  for (; from < to; from += size)
    sframe_unmap (&process, from, from + size);
  mmap_write_unlock (&process);
  done ("unmap");
  CHECK (describes (0, TEXT) && describes (0, TEXT_END - 1));
  end_process ();
}

static void
test_unmap (void)
{
  check_unmap (TABLE, TABLE_END, TABLE_END - TABLE);
  check_unmap (TEXT, TEXT_END, TEXT_END - TEXT);
  check_unmap (TABLE, TABLE_END, 8);
  check_unmap (TEXT, TEXT_END, 1);
}

static void
test_remove (void)
{
  start ();
  allow (TEXTS);
  CHECK (sframe_remove (TABLE) == 0);
  done ("remove");
  CHECK (describes (0, TEXT));
  end_process ();
}

static void
test_list (void)
{
  struct sframe_info info = { .text = 0 };
  unsigned int count = 0;

  start ();
  allow (TEXTS);
  mmap_write_lock_killable (&process);
  while (sframe_next_text (&process, info.text + info.text_size, &info))
    ++count;
  mmap_write_unlock (&process);
  done ("list");
  CHECK (count == TEXTS);
  end_process ();
}

/* Functions of the table that put_functions writes.  */
enum { FUNCTIONS = 4000, FUNCTION_SIZE = 8 };

static void
put_functions (void)
{
  unsigned long rows = TABLE + OF_FDE + 16 * FUNCTIONS;

  put_table (TABLE, TEXT, FUNCTION_SIZE);
  for (unsigned int i = 0; i < FUNCTIONS; ++i)
    {
      unsigned long fde = TABLE + OF_FDE + 16 * i, row = rows + 8 * i;
      poke (fde, TEXT + FUNCTION_SIZE * i - fde, 8);
      poke (fde + 8, FUNCTION_SIZE, 4);
      poke (fde + 12, 8 * i, 4);
      poke (row, 1, 5);
      poke (row + 5, 0 | (1 | 1 << 1) << 8 | 16 << 16, 3);
    }
  poke (TABLE + OF_FDES, FUNCTIONS, 4);
  poke (TABLE + OF_FRES, FUNCTIONS, 4);
  poke (TABLE + OF_FRE_LENGTH, 8 * FUNCTIONS, 4);
  poke (TABLE + OF_FRE_OFFSET, 16 * FUNCTIONS, 4);
}

/* A program of many executable segments that have one table, on a kernel that
   checks all of it.  */
static void
test_exec (void)
{
  enum { SEGMENTS = 1000 };
  static struct elf64_phdr headers[SEGMENTS + 1];

  new_process ();
  map (TABLE, TABLE_END, VM_READ);
  map (TEXT, TEXT_END, VM_READ | VM_EXEC);
  put_functions ();
  headers[0] = (struct elf64_phdr) { .p_type = PT_GNU_SFRAME,
    .p_vaddr = TABLE, .p_memsz = TABLE_END - TABLE };
  for (unsigned int i = 0; i < SEGMENTS; ++i)
    headers[i + 1] = (struct elf64_phdr) { .p_type = PT_LOAD, .p_flags = PF_X,
      .p_vaddr = TEXT + 32 * i, .p_memsz = 32 };
  allow (SEGMENTS + FUNCTIONS);
  sframe_add_elf (headers, SEGMENTS + 1, 0);
  done ("exec");
  /* All functions were looked at.  */
  CHECK (steps > FUNCTIONS);
  CHECK (describes (TABLE, TEXT) && describes (TABLE, TEXT + 32 * 999));
  end_process ();
}

/* A process that is being killed keeps the tables elsewhere: another one may
   share its mm (CLONE_VM).  */
static void
test_killed_during_copy (void)
{
  struct mm_struct *child = malloc (sizeof *child);

  require (child != NULL, "memory");
  start_in_pieces ();
  machine_fork (child, &process, 0);
  current->mm = child;
  child->locked = true;
  machine.killed = true;
  sframe_unmap (child, TEXT, TEXT + 1);
  machine.killed = false;
  child->locked = false;
  CHECK (describes (0, TEXT) && describes (TABLE, TEXT_END - 1));
  machine_exit (child);
  free (child);
  end_process ();
}

#define CASE(name) { #name, test_##name }
static const struct test_case cases[] = {
  CASE (fork),
  CASE (fork_without_mappings),
  CASE (bytes),
  CASE (fork_shares),
  CASE (killed_during_copy),
  CASE (unmap),
  CASE (remove),
  CASE (list),
  CASE (exec),
};

int
main (void)
{
  return run_cases (cases, ARRAY_SIZE (cases));
}
