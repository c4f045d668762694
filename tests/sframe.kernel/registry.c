/* The kernel's registry of SFrame tables: each error, and the effects of
   changed mappings.
   SPDX-License-Identifier: GPL-2.0-only

   Expected results are those of manual/PR_ADD_SFRAME.2const.  */

#include "process.h"
#include "vdso.h"

#include "sframe_set.h"

/* Two tables of 4 KiB each in one mapping, two mappings of text side by side,
   and data.  */
enum
{
  TABLE = 0x10000, OTHER_TABLE = 0x11000, TABLES_END = 0x12000,
  TEXT = 0x20000, TEXT_MIDDLE = 0x22000, TEXT_END = 0x24000,
  DATA = 0x30000, DATA_END = 0x31000
};

static struct vm_area_struct *tables;

static void
start (void)
{
  new_process ();
  tables = map (TABLE, TABLES_END, VM_READ);
  map (TEXT, TEXT_MIDDLE, VM_READ | VM_EXEC);
  map (TEXT_MIDDLE, TEXT_END, VM_READ | VM_EXEC);
  map (DATA, DATA_END, VM_READ | VM_WRITE);
  put_table (TABLE, TEXT, 0x1000);
  put_table (OTHER_TABLE, TEXT_MIDDLE, 0x1000);
}

static int
add (unsigned long table, unsigned long text, unsigned long text_size)
{
  return sframe_add (table, TABLE_SIZE, text, text_size);
}

static void
expect (const char *what, int result, int expected)
{
  if (result != expected)
    printf ("%s: %d, not %d\n", what, result, expected);
  CHECK (result == expected);
}

/* Each is refused for its ranges alone, before the table is looked at.  */
static void
test_ranges (void)
{
  const unsigned long top = TASK_SIZE;
  const struct
  {
    const char *what;
    unsigned long table, table_size, text, text_size;
  } cases[] = {
    { "no table", 0, TABLE_SIZE, TEXT, 16 },
    { "empty table", TABLE, 0, TEXT, 16 },
    { "less than a header", TABLE, 27, TEXT, 16 },
    { "less than a header at an end", TABLES_END - 24, 24, TEXT, 16 },
    { "table at 1", TABLE + 1, TABLE_SIZE, TEXT, 16 },
    { "table at 2", TABLE + 2, TABLE_SIZE, TEXT, 16 },
    { "table wraps", TABLE, -0UL - TABLE + 64, TEXT, 16 },
    { "table of all memory", TABLE, -1UL, TEXT, 16 },
    { "table in the kernel", -4096UL, TABLE_SIZE, TEXT, 16 },
    { "table at the top", top - 28, 32, TEXT, 16 },
    { "table one too long", top - 4096, 4097, TEXT, 16 },
    { "table after the top", top, TABLE_SIZE, TEXT, 16 },
    { "table after its mapping", TABLE, TABLES_END - TABLE + 1, TEXT, 16 },
    { "table not mapped", TABLES_END, TABLE_SIZE, TEXT, 16 },
    { "no text", TABLE, TABLE_SIZE, 0, 16 },
    { "empty text", TABLE, TABLE_SIZE, TEXT, 0 },
    { "text wraps", TABLE, TABLE_SIZE, TEXT, -0UL - TEXT + 1 },
    { "text of all memory", TABLE, TABLE_SIZE, TEXT, -1UL },
    { "text in the kernel", TABLE, TABLE_SIZE, -4096UL, 16 },
    { "text up to the top and one more", TABLE, TABLE_SIZE, top - 16, 17 },
    { "text after the top", TABLE, TABLE_SIZE, top, 16 },
    { "text not mapped", TABLE, TABLE_SIZE, TEXT_END, 16 },
    { "text before its mapping", TABLE, TABLE_SIZE, TEXT - 1, 16 },
    { "text in two mappings", TABLE, TABLE_SIZE, TEXT_MIDDLE - 1, 2 },
    { "text not executable", TABLE, TABLE_SIZE, DATA, 16 },
  };

  for (size_t i = 0; i < ARRAY_SIZE (cases); ++i)
    {
      start ();
      /* As root may, and as the kernel's memory is.  */
      machine_map (&process, 0, 4096, VM_EXEC, at (TABLE));
      machine_map (&process, top - 4096, 8192, VM_EXEC, at (TABLE));
      if (cases[i].table > TABLE && cases[i].table < TABLE + 4)
	put_table (cases[i].table, TEXT, 16);
      unsigned long accesses = machine.accesses;
      expect (cases[i].what,
	      sframe_add (cases[i].table, cases[i].table_size, cases[i].text,
			  cases[i].text_size), -EINVAL);
      CHECK (!sframe_has_set (&process) && machine.accesses == accesses);
      end_process ();
    }
}

/* The largest and lowest of each that there can be.  */
static void
test_ranges_at_their_limits (void)
{
  const unsigned long top = TASK_SIZE - 4096;

  start ();
  machine_map (&process, top, 4096, VM_EXEC, at (DATA));
  expect ("all of two mappings",
	  sframe_add (TABLE, TABLES_END - TABLE, TEXT, TEXT_MIDDLE - TEXT), 0);
  CHECK (describes (TABLE, TEXT) && describes (TABLE, TEXT_MIDDLE - 1));
  CHECK (describes (0, TEXT - 1) && describes (0, TEXT_MIDDLE));
  expect ("removed", sframe_remove (TABLE), 0);
  put_table (DATA, top, 4096);
  expect ("table and text at the top", sframe_add (top, 4096, top, 4096), 0);
  CHECK (describes (top, TASK_SIZE - 1) && describes (0, TASK_SIZE));
  CHECK (describes (0, ULONG_MAX) && describes (0, 0));
  end_process ();

  /* A size for the header only, without the parts that a table must have.  */
  start ();
  expect ("a header alone", sframe_add (TABLE, 28, TEXT, 16), -EINVAL);
  expect ("a byte too few", sframe_add (TABLE, TABLE_SIZE - 1, TEXT, 16),
	  -EINVAL);
  expect ("one byte of text", add (TABLE, TEXT, 1), 0);
  CHECK (describes (TABLE, TEXT) && describes (0, TEXT + 1));
  end_process ();
}

/* Map text and table with BETWEEN mappings in between, the table below the text
   if TABLE_FIRST is set, without the one that MISSING names, and register
   them.  */
static int
add_apart (unsigned int between, bool table_first, const char *missing)
{
  const unsigned long low = 0x100000, high = low + (between + 1) * 4096;
  unsigned long table = table_first ? low : high;
  unsigned long text = table_first ? high : low;

  start ();
  put_table (DATA, text, 4096);
  for (unsigned int i = 1; i <= between; ++i)
    machine_map (&process, low + i * 4096, 4096, VM_READ, at (TABLE));
  if (strcmp (missing, "table") != 0)
    machine_map (&process, table, 4096, VM_READ, at (DATA));
  if (strcmp (missing, "text") != 0)
    machine_map (&process, text, 4096, VM_READ | VM_EXEC, at (TEXT));
  int result = sframe_add (table, 4096, text, 4096);
  CHECK (describes (result == 0 ? table : 0, text + 4095));
  end_process ();
  return result;
}

/* The mappings of text and table are searched for together.  */
static void
test_mappings_apart (void)
{
  for (unsigned int i = 0; i < 8; ++i)
    {
      expect ("both", add_apart (i / 2, i % 2, ""), 0);
      expect ("no table", add_apart (i / 2, i % 2, "table"), -EINVAL);
      expect ("no text", add_apart (i / 2, i % 2, "text"), -EINVAL);
    }
}

/* A header with one thing wrong.  */
static void
test_headers (void)
{
  const struct
  {
    const char *what;
    unsigned int at, width;
    uint32_t value;
  } cases[] = {
    { "magic", OF_MAGIC, 2, 0xdee1 },
    { "foreign byte order", OF_MAGIC, 2, 0xe2de },
    { "version 2", OF_VERSION, 1, 2 },
    { "version 4", OF_VERSION, 1, 4 },
    { "not sorted", OF_FLAGS, 1, 4 },
    { "unknown flag", OF_FLAGS, 1, 1 | 2 },
    { "AArch64", OF_ABI, 1, 2 },
    { "s390x", OF_ABI, 1, 4 },
    { "no functions", OF_FDES, 4, 0 },
    { "index runs into the rows", OF_FDES, 4, 2 },
    { "as many functions as fit 32 bits", OF_FDES, 4, UINT32_MAX },
    { "functions that make 0 in 32 bits", OF_FDES, 4, 1U << 28 },
    { "index at an odd place", OF_FDE_OFFSET, 4, 2 },
    { "index after the rows", OF_FDE_OFFSET, 4, 4 },
    { "index at -4", OF_FDE_OFFSET, 4, -4 },
    { "rows before the end of the index", OF_FRE_OFFSET, 4, 15 },
    { "rows end after the table", OF_FRE_OFFSET, 4, 17 },
    { "rows at -28", OF_FRE_OFFSET, 4, -28 },
    { "too many bytes of rows", OF_FRE_LENGTH, 4, 9 },
    { "rows of all 32 bits", OF_FRE_LENGTH, 4, UINT32_MAX },
    { "rows too short for an attribute", OF_FRE_LENGTH, 4, 4 },
    { "more rows than bytes", OF_FRES, 4, 2 },
    { "as many rows as fit 32 bits", OF_FRES, 4, UINT32_MAX },
    { "auxiliary header pushes all out", OF_AUXILIARY, 1, 4 },
  };

  for (size_t i = 0; i < ARRAY_SIZE (cases); ++i)
    {
      start ();
      poke (TABLE + cases[i].at, cases[i].value, cases[i].width);
      expect (cases[i].what, add (TABLE, TEXT, 16), -EINVAL);
      CHECK (describes (0, TEXT));
      end_process ();
    }
}

static void
test_unreadable_header (void)
{
  start ();
  tables->bytes = NULL;
  machine.fault_ins = 0;
  expect ("header not readable", add (TABLE, TEXT, 16), -EFAULT);
  CHECK (machine.fault_ins == 1);
  end_process ();

  /* The byte in front of the last; the table as a whole need not be
     readable.  */
  start ();
  machine.fault_at = TABLE + 27;
  expect ("header ends early", add (TABLE, TEXT, 16), -EFAULT);
  machine.fault_at = TABLE + 28;
  expect ("header just readable", add (TABLE, TEXT, 16), 0);
  end_process ();
}

/* A header that is paged out each time it was paged in.  */
static void
page_out (void)
{
  tables->absent = true;
}

static void
test_header_not_in_memory (void)
{
  start ();
  tables->absent = true;
  expect ("header paged out", add (TABLE, TEXT, 16), 0);
  CHECK (describes (TABLE, TEXT) && machine.fault_ins == 1);
  end_process ();

  start ();
  page_out ();
  machine.at_fault_in = page_out;
  machine.fault_ins = 0;
  expect ("header never stays", add (TABLE, TEXT, 16), -EFAULT);
  /* More than one try, and an end.  */
  CHECK (machine.fault_ins > 1 && machine.fault_ins < 100);
  end_process ();
}

/* The tables are mapped from a file, of which nothing is mapped yet.  */
static struct inode inode;
static struct address_space mapping = { .host = &inode };
static struct file file = { .f_mapping = &mapping };
static const struct vm_operations_struct file_ops = {
  .map_pages = filemap_map_pages
};

static void
start_with_file (void)
{
  start ();
  inode.i_size = TABLES_END - TABLE;
  tables->vm_file = &file;
  tables->vm_ops = &file_ops;
  tables->absent = true;
  machine.fault_ins = machine.traps = 0;
}

/* The rule of TEXT, whose only row has a CFA of SP + 16.  */
static int
look_up (unsigned long text)
{
  struct sframe_view view;
  struct sframe_rule rule;
  unsigned int rows = 0;

  if (!sframe_find_view (text, &view))
    return -ESRCH;
  int result = sframe_find_rule (&view, text, &rows, &rule);
  CHECK (result != 0 || rule.cfa.off == 16);
  return result;
}

/* After a search in vain a view describes no address, whatever it did before:
   the unwinder asks the view of the last frame first.  */
static void
test_view_not_found (void)
{
  struct sframe_view view;

  start ();
  expect ("add", add (TABLE, TEXT, 16), 0);
  CHECK (sframe_find_view (TEXT, &view) && view.text_size == 16);
  expect ("remove", sframe_remove (TABLE), 0);
  CHECK (!sframe_find_view (TEXT, &view) && view.text_size == 0);
  end_process ();
}

/* A header whose page the process has mapped is checked, a file's or not.  */
static void
test_file_header_mapped (void)
{
  struct sframe_view view;

  start_with_file ();
  tables->absent = false;
  expect ("in memory", add (TABLE, TEXT, 16), 0);
  CHECK (machine.fault_ins == 0);
  CHECK (sframe_find_view (TEXT, &view) && view.nr_fdes == 1);
  expect ("its rule", look_up (TEXT), 0);
  poke (OTHER_TABLE + OF_MAGIC, 0, 2);
  expect ("bad", add (OTHER_TABLE, TEXT_MIDDLE, 16), -EINVAL);
  poke (TABLE + OF_FIXED_RA, 0, 1);
  expect ("another header", add (TABLE, TEXT_MIDDLE, 16), -EEXIST);
  CHECK (machine.fault_ins == 0);
  end_process ();
}

/* If reading the header needs a page fault, it is read when a rule is looked
   up; everything else is as for other tables.  */
static void
test_file_header_not_mapped (void)
{
  struct sframe_view view;

  start_with_file ();
  expect ("add", add (TABLE, TEXT, 16), 0);
  CHECK (machine.fault_ins == 0 && machine.traps == 0);
  CHECK (sframe_find_view (TEXT, &view) && view.nr_fdes == 0);
  expect ("again", add (TABLE, TEXT, 16), 0);
  expect ("overlap", add (OTHER_TABLE, TEXT + 8, 16), -EEXIST);
  expect ("overlapping table", add (TABLE + 4, TEXT_MIDDLE, 16), -EEXIST);
  expect ("other text", add (TABLE, TEXT_MIDDLE, 16), 0);
  expect ("rule", look_up (TEXT), 0);
  /* Now it can be read, but the table has one header for all its texts.  */
  tables->absent = false;
  expect ("third text", add (TABLE, TEXT + 16, 16), 0);
  CHECK (sframe_find_view (TEXT + 16, &view) && view.nr_fdes == 0);
  expect ("rule", look_up (TEXT + 16), 0);
  expect ("remove", sframe_remove (TABLE), 0);
  CHECK (describes (0, TEXT) && describes (0, TEXT_MIDDLE));
  CHECK (describes (0, TEXT + 16));
  end_process ();

  /* A header that was read once is not read again for another text range.  */
  start_with_file ();
  tables->absent = false;
  expect ("first text", add (TABLE, TEXT, 16), 0);
  tables->absent = true;
  expect ("second text", add (TABLE, TEXT_MIDDLE, 16), 0);
  CHECK (sframe_find_view (TEXT_MIDDLE, &view) && view.nr_fdes == 1);
  end_process ();
}

/* Reading the header is deferred only if its page belongs to a file and is not
   mapped.  */
static void
test_header_not_put_off (void)
{
  for (unsigned int i = 0; i < 5; ++i)
    {
      const struct vm_operations_struct other_ops = { .map_pages = NULL };
      struct sframe_view view;

      start_with_file ();
      switch (i)
	{
	case 0:
	  tables->vm_ops = &other_ops;
	  break;
	case 1:
	  tables->vm_ops = NULL;
	  break;
	case 2:
	  tables->anon_vma = &process;
	  break;
	case 3:
	  tables->vm_flags = VM_WRITE;
	  break;
	case 4:
	  inode.i_size = TABLE_SIZE / 2 - 1;
	  break;
	}
      expect ("faulted in", add (TABLE, TEXT, 16), 0);
      CHECK (machine.fault_ins == 1);
      CHECK (sframe_find_view (TEXT, &view) && view.nr_fdes == 1);
      tables->bytes = NULL;
      expect ("unreadable", add (TABLE, TEXT_MIDDLE, 16), -EFAULT);
      end_process ();
    }
}

/* A bad header that was put off is found at the first lookup of each process
   that has it; nothing is unwound by it.  */
static void
test_bad_header_put_off (void)
{
  struct unwind_user_state state = {
    .ip = TEXT + 4, .sp = DATA, .ws = sizeof (long)
  };
  struct mm_struct child;

  start_with_file ();
  poke (TABLE + OF_FDES, -1, 4);
  expect ("add", add (TABLE, TEXT, 16), 0);
  expect ("add", add (TABLE, TEXT_MIDDLE, 16), 0);
  expect ("add", add (OTHER_TABLE, TEXT + 16, 16), 0);
  machine_fork (&child, &process, 0);
  for (unsigned int i = 0; i < 2; ++i)
    {
      struct unwind_user_state before = state;
      current->mm = i == 0 ? &child : &process;
      machine.messages = 0;
      /* While the task exits no page is waited for, and no lock.  */
      machine.exiting = true;
      tables->absent = child.areas[0].absent = true;
      CHECK (sframe_unwind_next (&before) == 0 && before.done);
      tables->absent = child.areas[0].absent = false;
      before = state;
      CHECK (sframe_unwind_next (&before) == -EBADMSG);
      machine.exiting = false;
      CHECK (machine.messages == 0 && describes (TABLE, TEXT));
      /* Another stack: one table is dropped for each.  */
      before.sframe_dropped = false;
      CHECK (sframe_unwind_next (&before) == -EBADMSG);
      CHECK (before.ip == state.ip && before.sp == state.sp && !before.done);
      CHECK (machine.messages == 1
	     && strstr (machine.message, "corrupt table") != NULL);
      CHECK (describes (0, TEXT) && describes (0, TEXT_MIDDLE));
      CHECK (describes (OTHER_TABLE, TEXT + 16));
    }
  machine_exit (&child);
  current->mm = &process;
  end_process ();
}

/* When the header is read, another table is at its address: the new table is
   not removed.  */
static void
replace_table (void)
{
  expect ("other thread removes", sframe_remove (TABLE), 0);
  /* The same bad header, mapped anew.  */
  tables->absent = true;
  expect ("other thread adds", add (TABLE, TEXT, 16), 0);
}

static void
test_put_off_and_replaced (void)
{
  struct sframe_view view, other;
  struct sframe_rule rule;
  unsigned int rows = 0;

  start_with_file ();
  poke (TABLE + OF_MAGIC, 0, 2);
  expect ("add", add (TABLE, TEXT, 16), 0);
  CHECK (sframe_find_view (TEXT, &view));
  other = view;
  expect ("rule", sframe_find_rule (&view, TEXT, &rows, &rule), -EBADMSG);
  expect ("second lookup", sframe_find_rule (&other, TEXT, &rows, &rule),
	  -EBADMSG);
  replace_table ();
  machine.messages = 0;
  sframe_drop_corrupt (&view);
  sframe_drop_corrupt (&other);
  CHECK (machine.messages == 0 && describes (TABLE, TEXT));
  CHECK (sframe_find_view (TEXT, &view));
  other = view;
  sframe_drop_corrupt (&view);
  sframe_drop_corrupt (&other);
  CHECK (machine.messages == 1 && describes (0, TEXT));
  end_process ();
}

/* Another thread changes the world while the header is on its way.  */
static void
unmap_tables (void)
{
  machine_unmap (&process, TABLE, TABLES_END);
}

static void
unmap_text (void)
{
  machine_unmap (&process, TEXT, TEXT_MIDDLE);
}

static void
spoil_header (void)
{
  poke (TABLE + OF_MAGIC, 0, 2);
}

static void
add_first (void)
{
  machine.at_fault_in = NULL;
  expect ("other thread", add (TABLE, TEXT + 8, 16), 0);
}

static void
test_changed_while_faulting_in (void)
{
  const struct
  {
    const char *what;
    void (*change) (void);
    int error;
  } cases[] = {
    { "table unmapped", unmap_tables, -EINVAL },
    { "text unmapped", unmap_text, -EINVAL },
    { "header spoiled", spoil_header, -EINVAL },
    { "other thread was faster", add_first, -EEXIST },
  };

  for (size_t i = 0; i < ARRAY_SIZE (cases); ++i)
    {
      start ();
      tables->absent = true;
      machine.at_fault_in = cases[i].change;
      expect (cases[i].what, add (TABLE, TEXT, 16), cases[i].error);
      CHECK (describes (0, TEXT));
      end_process ();
    }
}

static void
test_killed (void)
{
  struct sframe_view view;

  start ();
  expect ("add", add (TABLE, TEXT, 16), 0);
  machine.killed = true;
  expect ("add, killed", add (OTHER_TABLE, TEXT_MIDDLE, 16), -EINTR);
  expect ("remove, killed", sframe_remove (TABLE), -EINTR);
  CHECK (sframe_find_view (TEXT, &view));
  sframe_drop_corrupt (&view);
  CHECK (describes (TABLE, TEXT) && describes (0, TEXT_MIDDLE));
  machine.killed = false;
  end_process ();
}

static void
test_32_bit_callers (void)
{
  start ();
  expect ("add", add (TABLE, TEXT, 16), 0);
  machine.compat = true;
  expect ("add", add (OTHER_TABLE, TEXT_MIDDLE, 16), -EINVAL);
  expect ("remove", sframe_remove (TABLE), -EINVAL);
  CHECK (describes (TABLE, TEXT) && describes (0, TEXT_MIDDLE));
  end_process ();
}

static void
test_same_again (void)
{
  start ();
  expect ("first", add (TABLE, TEXT, 64), 0);
  expect ("second text", add (TABLE, TEXT_MIDDLE, 64), 0);
  unsigned long objects = machine.objects;
  expect ("first again", add (TABLE, TEXT, 64), 0);
  expect ("second text again", add (TABLE, TEXT_MIDDLE, 64), 0);
  CHECK (machine.objects == objects);
  expect ("removed", sframe_remove (TABLE), 0);
  expect ("removed once", sframe_remove (TABLE), -ENOENT);
  CHECK (describes (0, TEXT) && describes (0, TEXT_MIDDLE));
  end_process ();
}

/* A registration may be repeated after mprotect has split its mappings; no
   other range may be added there.  */
static void
test_same_again_when_split (void)
{
  start ();
  expect ("first", add (TABLE, TEXT, 64), 0);
  machine_split (&process, TABLE + 16);
  machine_split (&process, TEXT + 32);
  expect ("again", add (TABLE, TEXT, 64), 0);
  expect ("less text", add (TABLE, TEXT, 33), -EINVAL);
  expect ("other text", add (TABLE, TEXT_MIDDLE, 64), -EINVAL);
  expect ("other table", add (OTHER_TABLE, TEXT, 64), -EINVAL);
  CHECK (describes (TABLE, TEXT + 63));
  end_process ();
}

/* A table whose header was changed is another one.  The old one stays, whether
   the new one is good or bad, until it is removed.  */
static void
test_header_changed (void)
{
  const struct
  {
    const char *what;
    unsigned int at, width;
    uint32_t value;
    int error;
  } cases[] = {
    { "other flags", OF_FLAGS, 1, 1, -EEXIST },
    { "other place of FP", OF_FIXED_RA - 1, 1, -16, -EEXIST },
    { "other place of the RA", OF_FIXED_RA, 1, 0, -EEXIST },
    { "fewer rows", OF_FRES, 4, 0, -EEXIST },
    { "less of the rows", OF_FRE_LENGTH, 4, 7, -EEXIST },
    { "rows further on", OF_FRE_OFFSET, 4, 17, -EEXIST },
    { "index further on", OF_FDE_OFFSET, 4, 4, -EEXIST },
    { "more functions", OF_FDES, 4, 2, -EEXIST },
    { "no magic", OF_MAGIC, 2, 0, -EINVAL },
    { "no functions", OF_FDES, 4, 0, -EINVAL },
  };

  for (size_t i = 0; i < ARRAY_SIZE (cases); ++i)
    {
      const unsigned int size = TABLE_SIZE + 32;
      struct sframe_view before, after;

      start ();
      /* Room for an FDE more.  */
      poke (TABLE + OF_FRE_OFFSET, 32, 4);
      expect ("first", sframe_add (TABLE, size, TEXT, 64), 0);
      CHECK (sframe_find_view (TEXT, &before));
      poke (TABLE + cases[i].at, cases[i].value, cases[i].width);
      expect (cases[i].what, sframe_add (TABLE, size, TEXT, 64),
	      cases[i].error);
      expect ("other text", sframe_add (TABLE, size, TEXT_MIDDLE, 64),
	      cases[i].error);
      CHECK (sframe_find_view (TEXT, &after)
	     && memcmp (&before, &after, sizeof before) == 0);
      CHECK (describes (0, TEXT_MIDDLE));
      expect ("remove", sframe_remove (TABLE), 0);
      expect ("new one", sframe_add (TABLE, size, TEXT, 64),
	      cases[i].error == -EEXIST ? 0 : -EINVAL);
      end_process ();
    }
}

/* Of several errors, the first in the order of the man page is returned.  */
enum fault
{
  KILLED = 1, BAD_ARGUMENT = 2, NOT_MAPPED = 4, UNREADABLE = 8,
  BAD_HEADER = 16, OVERLAP = 32, NO_ROOM = 64, NO_MEMORY = 128, FAULTS = 256
};

static int
first_error (unsigned int faults)
{
  static const struct
  {
    enum fault fault;
    int error;
  } order[] = {
    { KILLED, -EINTR }, { BAD_ARGUMENT, -EINVAL }, { NOT_MAPPED, -EINVAL },
    { UNREADABLE, -EFAULT }, { BAD_HEADER, -EINVAL }, { OVERLAP, -EEXIST },
    { NO_ROOM, -ENOSPC }, { NO_MEMORY, -ENOMEM },
  };

  for (size_t i = 0; i < ARRAY_SIZE (order); ++i)
    if ((faults & order[i].fault) != 0)
      return order[i].error;
  return 0;
}

static void
test_order_of_errors (void)
{
  enum { LIMIT = 16384, FREE = DATA + LIMIT };
  int result = 0;

  start ();
  process.nr_areas = 0;
  tables = map (TABLE, TABLES_END, VM_READ);
  map (TEXT, TEXT_END, VM_EXEC);
  map (DATA, FREE + 0x1000, VM_EXEC);
  for (unsigned int i = 0; i < LIMIT - 2 && result == 0; ++i)
    result = add (TABLE, DATA + i, 1);
  expect ("before", result, 0);
  for (unsigned int faults = 1; faults < FAULTS; ++faults)
    {
      unsigned long text = (faults & NOT_MAPPED) != 0 ? TEXT_END
	: (faults & OVERLAP) != 0 ? DATA : FREE;
      /* The entry that was removed last is kept, so that the next addition
	 needs no memory.  */
      expect ("the spare one", add (TABLE, FREE - 2, 1), 0);
      if ((faults & NO_ROOM) != 0)
	expect ("the last one", add (TABLE, FREE - 1, 1), 0);
      tables->bytes = (faults & UNREADABLE) != 0 ? NULL : at (TABLE);
      poke (OTHER_TABLE, (faults & BAD_HEADER) != 0 ? 0 : 0xdee2, 2);
      machine.no_memory_after = (faults & NO_MEMORY) != 0;
      machine.killed = (faults & KILLED) != 0;
      result = add (OTHER_TABLE, text, (faults & BAD_ARGUMENT) == 0);
      machine.killed = false;
      machine.no_memory_after = 0;
      tables->bytes = at (TABLE);
      if (result != first_error (faults))
	printf ("faults %#x: %d\n", faults, result);
      CHECK (result == first_error (faults));
      machine_unmap (&process, FREE - 2, FREE);
      map (FREE - 2, FREE, VM_EXEC);
    }
  end_process ();
}

/* Dynamic debug logs the process, the table and the reason of a refusal.  */
static void
check_refused (int error, const char *why)
{
  machine.messages = 0;
  strcpy (machine.message, "");
  expect (why, add (TABLE, TEXT, 16), error);
  if (strstr (machine.message, why) == NULL)
    printf ("told of %s: %s\n", why, machine.message);
  CHECK (machine.messages == 1 && strstr (machine.message, why) != NULL);
  CHECK (strstr (machine.message, "test[1]: table at 0x10000 in ") != NULL);
}

static void
test_refused_is_logged (void)
{
  const struct
  {
    const char *why;
    unsigned int at, width;
    uint32_t value;
  } cases[] = {
    { "no SFrame section of this byte order", OF_MAGIC, 2, 0xe2de },
    { "version 2 of SFrame", OF_VERSION, 1, 2 },
    { "unknown version", OF_VERSION, 1, 4 },
    { "for another machine", OF_ABI, 1, 4 },
    { "unknown flags", OF_FLAGS, 1, 3 },
    { "not sorted", OF_FLAGS, 1, 0 },
    { "no functions", OF_FDES, 4, 0 },
    { "not inside of it", OF_FDES, 4, 2 },
    { "too few bytes", OF_FRES, 4, 2 },
  };

  for (size_t i = 0; i < ARRAY_SIZE (cases); ++i)
    {
      start ();
      poke (TABLE + cases[i].at, cases[i].value, cases[i].width);
      check_refused (-EINVAL, cases[i].why);
      end_process ();
    }
  start ();
  expect ("add", add (TABLE, TEXT, 15), 0);
  check_refused (-EEXIST, "overlaps");
  machine_unmap (&process, TEXT, TEXT_MIDDLE);
  check_refused (-EINVAL, "text not in one executable mapping");
  map (TEXT, TEXT_MIDDLE, VM_EXEC);
  tables->bytes = NULL;
  check_refused (-EFAULT, "unreadable header");
  machine_split (&process, TABLE + 16);
  check_refused (-EINVAL, "not in one mapping");
  machine.messages = 0;
  expect ("no text", sframe_add (TABLE, TABLE_SIZE, TEXT, 0), -EINVAL);
  CHECK (machine.messages == 1
	 && strstr (machine.message, "unusable ranges") != NULL);
  machine.messages = 0;
  end_process ();
}

/* Ranges that overlap registered ones by one byte or more, or are next to
   them.  */
static void
test_overlaps (void)
{
  enum { HERE = TABLE + 0x100, OTHER = OTHER_TABLE, SIZE = TABLE_SIZE };
  const struct
  {
    const char *what;
    unsigned long table, table_size, text, text_size;
    int error;
  } cases[] = {
    { "last byte", OTHER, SIZE, TEXT + 0x13f, 16, -EEXIST },
    { "first byte", OTHER, SIZE, TEXT, 0x101, -EEXIST },
    { "inside", OTHER, SIZE, TEXT + 0x110, 1, -EEXIST },
    { "around", OTHER, SIZE, TEXT, 0x1000, -EEXIST },
    { "same text", OTHER, SIZE, TEXT + 0x100, 0x40, -EEXIST },
    { "shorter", HERE, SIZE, TEXT + 0x100, 0x3f, -EEXIST },
    { "longer", HERE, SIZE, TEXT + 0x100, 0x41, -EEXIST },
    { "longer table", HERE, SIZE + 1, TEXT + 0x100, 0x40, -EEXIST },
    { "longer table, new text", HERE, SIZE + 1, TEXT, 1, -EEXIST },
    { "table begins in table", HERE + 4, SIZE, TEXT, 1, -EEXIST },
    { "table ends in table", HERE - SIZE + 4, SIZE, TEXT, 1, -EEXIST },
    { "table around table", HERE - 4, SIZE + 8, TEXT, 1, -EEXIST },
    { "abutting before", OTHER, SIZE, TEXT, 0x100, 0 },
    { "abutting after", OTHER, SIZE, TEXT + 0x140, 16, 0 },
    { "table abutting before", HERE - SIZE, SIZE, TEXT, 1, 0 },
    { "table abutting after", HERE + SIZE, SIZE, TEXT, 1, 0 },
    { "text in its own table", OTHER, SIZE, OTHER, 16, 0 },
  };

  for (size_t i = 0; i < ARRAY_SIZE (cases); ++i)
    {
      start ();
      tables->vm_flags |= VM_EXEC;
      put_table (HERE, TEXT, 16);
      expect ("first", add (HERE, TEXT + 0x100, 0x40), 0);
      put_table (cases[i].table, TEXT, 16);
      expect (cases[i].what,
	      sframe_add (cases[i].table, cases[i].table_size, cases[i].text,
			  cases[i].text_size), cases[i].error);
      CHECK (describes (HERE, TEXT + 0x100) && describes (HERE, TEXT + 0x13f));
      CHECK (describes (cases[i].error == 0 ? cases[i].table : 0,
			cases[i].text) || cases[i].text > TEXT);
      end_process ();
    }
}

static void
test_remove (void)
{
  start ();
  expect ("nothing there", sframe_remove (TABLE), -ENOENT);
  expect ("add", add (TABLE, TEXT, 16), 0);
  expect ("add", add (OTHER_TABLE, TEXT_MIDDLE, 16), 0);
  expect ("inside", sframe_remove (TABLE + 4), -ENOENT);
  expect ("last byte", sframe_remove (TABLE + TABLE_SIZE - 1), -ENOENT);
  expect ("before", sframe_remove (TABLE - 4), -ENOENT);
  expect ("text", sframe_remove (TEXT), -ENOENT);
  expect ("null", sframe_remove (0), -ENOENT);
  expect ("top", sframe_remove (ULONG_MAX), -ENOENT);
  CHECK (describes (TABLE, TEXT) && describes (OTHER_TABLE, TEXT_MIDDLE));
  expect ("remove", sframe_remove (TABLE), 0);
  CHECK (describes (0, TEXT) && describes (OTHER_TABLE, TEXT_MIDDLE));
  expect ("room for another", add (TABLE, TEXT + 8, 16), 0);
  end_process ();
}

/* Arrays in the form of user space: element I, of SIZE bytes, is for text
   range I and TABLE.  */
enum { ARRAY = DATA };

static void
put_element (unsigned int i, size_t size, unsigned long text,
	     unsigned long text_size)
{
  const uint64_t words[] = { TABLE, TABLE_SIZE, text, text_size };

  for (size_t j = 0; j < ARRAY_SIZE (words); ++j)
    poke (ARRAY + i * size + 8 * j, words[j], 8);
}

static void
put_array (unsigned int count, size_t size)
{
  memset (at (ARRAY), 0, DATA_END - DATA);
  for (unsigned int i = 0; i < count; ++i)
    put_element (i, size, TEXT + i, 1);
}

static int
add_array (unsigned long array, unsigned long count, size_t size,
	   unsigned long flags)
{
  return sframe_add_array ((const char *) array, count, size, flags);
}

/* The first COUNT of LIMIT bytes of text have a table, the others have none.  */
static bool
describes_first (unsigned int count, unsigned int limit)
{
  for (unsigned int i = 0; i < limit; ++i)
    if (!describes (i < count ? TABLE : 0, TEXT + i))
      return false;
  return true;
}

static void
test_array (void)
{
  static const unsigned int counts[] = { 1, 2, 15, 16, 17, 31, 32, 33, 100 };

  /* With elements of a later kernel, too.  */
  for (size_t size = 32; size <= 40; size += 8)
    for (size_t i = 0; i < ARRAY_SIZE (counts); ++i)
      {
	start ();
	put_array (100, size);
	expect ("ranges", add_array (ARRAY, counts[i], size, 0), counts[i]);
	CHECK (describes_first (counts[i], 101));
	expect ("again", add_array (ARRAY, counts[i], size, 0), counts[i]);
	end_process ();
      }
  start ();
  expect ("no element", add_array (ARRAY, 0, 32, 0), 0);
  CHECK (!sframe_has_set (&process));
  end_process ();
}

/* The first that is refused ends it; only if there was none before is the answer
   its error.  */
static void
test_array_refused (void)
{
  for (unsigned int bad = 0; bad < 40; ++bad)
    {
      start ();
      put_array (40, 32);
      put_element (bad, 32, TEXT + 100, 0);
      expect ("empty text", add_array (ARRAY, 40, 32, 0), bad ?: -EINVAL);
      CHECK (describes_first (bad, 41));
      put_element (bad, 32, TEXT + bad, 2);
      expect ("good again", add_array (ARRAY, bad + 1, 32, 0), bad + 1);
      put_element (bad, 32, TEXT + bad, 3);
      expect ("overlap", add_array (ARRAY, bad + 1, 32, 0), bad ?: -EEXIST);
      end_process ();
    }
}

/* Elements of another size: bytes that the kernel does not know must be 0.  */
static void
test_array_size (void)
{
  start ();
  put_array (3, 32);
  expect ("too small", add_array (ARRAY, 3, 31, 0), -EINVAL);
  expect ("no size", add_array (ARRAY, 3, 0, 0), -EINVAL);
  expect ("a flag", add_array (ARRAY, 3, 32, 1), -EINVAL);
  expect ("the highest flag", add_array (ARRAY, 3, 32, 1UL << 63), -EINVAL);
  expect ("more than a page", add_array (ARRAY, 3, 4097, 0), -E2BIG);
  expect ("all memory", add_array (ARRAY, 3, -1UL, 0), -E2BIG);
  CHECK (!sframe_has_set (&process));
  put_array (3, 40);
  poke (ARRAY + 2 * 40 + 39, 1, 1);
  expect ("unknown word in the third", add_array (ARRAY, 3, 40, 0), 2);
  CHECK (describes_first (2, 3));
  expect ("the rest", add_array (ARRAY + 2 * 40, 1, 40, 0), -E2BIG);
  poke (ARRAY + 2 * 40 + 39, 0, 1);
  expect ("zero", add_array (ARRAY, 3, 40, 0), 3);
  end_process ();

  start ();
  put_array (1, 32);
  expect ("a page", add_array (ARRAY, 1, 4096, 0), 1);
  end_process ();
}

/* If a part of the array cannot be read, the elements before it are
   registered.  */
static void
test_array_unreadable (void)
{
  start ();
  put_array (0, 32);
  expect ("nowhere", add_array (0x1000, 1, 32, 0), -EFAULT);
  expect ("after its mapping", add_array (DATA_END, 1, 32, 0), -EFAULT);
  expect ("in the kernel", add_array (-4096UL, 1, 32, 0), -EFAULT);
  for (unsigned int i = 0; i < 20; ++i)
    put_element (128 - 20 + i, 32, TEXT + i, 1);
  expect ("the 21st is unreadable",
	  add_array (DATA_END - 20 * 32, 21, 32, 0), 20);
  CHECK (describes_first (20, 21));
  end_process ();
}

/* One call takes 1,024 elements.  */
static void
test_array_limit (void)
{
  enum { LIMIT = 1024, FROM = 0x40000 };

  start ();
  map (FROM, FROM + 0x10000, VM_READ);
  for (unsigned int i = 0; i <= LIMIT; ++i)
    {
      const uint64_t words[] = { TABLE, TABLE_SIZE, TEXT + i, 1 };
      memcpy (at (FROM + i * 32), words, 32);
    }
  expect ("one too many", add_array (FROM, LIMIT + 1, 32, 0), LIMIT);
  CHECK (describes_first (LIMIT, LIMIT + 2));
  expect ("as many as there are numbers", add_array (FROM, -1UL, 32, 0), LIMIT);
  expect ("the rest", add_array (FROM + LIMIT * 32, 1, 32, 0), 1);
  CHECK (describes_first (LIMIT + 1, LIMIT + 2));
  end_process ();
}

/* A header that is not in memory is faulted in, also that of a later element;
   if it cannot be read, the elements before it are registered.  */
static void
test_array_header_not_in_memory (void)
{
  for (int good = 0; good < 2; ++good)
    {
      start ();
      struct vm_area_struct *other = map (0x50000, 0x51000, VM_READ);
      put_table (0x50000, TEXT_MIDDLE, 16);
      put_array (3, 32);
      poke (ARRAY + 32, 0x50000, 8);
      poke (ARRAY + 32 + 16, TEXT_MIDDLE, 8);
      other->absent = true;
      if (!good)
	other->bytes = NULL;
      expect ("second absent", add_array (ARRAY, 3, 32, 0), good ? 3 : 1);
      CHECK (describes (TABLE, TEXT));
      CHECK (describes (good ? 0x50000 : 0, TEXT_MIDDLE));
      CHECK (describes (good ? TABLE : 0, TEXT + 2));
      end_process ();
    }
}

static void
test_array_32_bit_callers (void)
{
  start ();
  put_array (1, 32);
  machine.compat = true;
  expect ("32-bit caller", add_array (ARRAY, 1, 32, 0), -EINVAL);
  machine.compat = false;
  CHECK (!sframe_has_set (&process));
  machine.killed = true;
  expect ("killed", add_array (ARRAY, 1, 32, 0), -EINTR);
  machine.killed = false;
  end_process ();
}

/* The limit of the man page, reached, passed, and reached again.  */
static void
test_limit (void)
{
  enum { LIMIT = 16384 };
  int result = 0;

  start ();
  process.nr_areas = 0;
  map (TABLE, TABLES_END, VM_READ);
  map (TEXT, TEXT + LIMIT + 1, VM_EXEC);
  for (unsigned int i = 0; i < LIMIT; ++i)
    if ((result = add (TABLE, TEXT + i, 1)) != 0)
      break;
  expect ("up to the limit", result, 0);
  expect ("one more", add (TABLE, TEXT + LIMIT, 1), -ENOSPC);
  machine.messages = 0;
  expect ("a new table", add (OTHER_TABLE, TEXT + LIMIT, 1), -ENOSPC);
  CHECK (machine.messages == 1
	 && strstr (machine.message, "too many text ranges") != NULL);
  expect ("one that is there", add (TABLE, TEXT, 1), 0);
  expect ("an overlap", add (TABLE, TEXT, 2), -EEXIST);
  CHECK (describes (0, TEXT + LIMIT));
  machine_unmap (&process, TEXT, TEXT + 1);
  map (TEXT, TEXT + 1, VM_EXEC);
  expect ("room again", add (OTHER_TABLE, TEXT, 1), 0);
  expect ("and none again", add (OTHER_TABLE, TEXT + LIMIT, 1), -ENOSPC);
  end_process ();
}

/* Each allocation that adding makes fails once: nothing is added, nothing
   lost, and then there is room again.  */
static void
test_no_memory (void)
{
  unsigned int failures = 0;

  for (unsigned int n = 1;; ++n)
    {
      start ();
      expect ("before", add (OTHER_TABLE, TEXT_MIDDLE, 16), 0);
      machine.no_memory_after = n;
      int result = add (TABLE, TEXT, 16);
      bool failed = machine.no_memory_after == 0;
      machine.no_memory_after = 0;
      expect ("out of memory", result, failed ? -ENOMEM : 0);
      CHECK (describes (failed ? 0 : TABLE, TEXT));
      CHECK (describes (OTHER_TABLE, TEXT_MIDDLE));
      expect ("then", add (TABLE, TEXT, 16), 0);
      CHECK (describes (TABLE, TEXT));
      end_process ();
      if (!failed)
	break;
      ++failures;
    }
  CHECK (failures == 1);
}

static void
test_no_memory_at_first (void)
{
  unsigned int failures = 0;

  for (unsigned int n = 1;; ++n)
    {
      start ();
      machine.no_memory_after = n;
      int result = add (TABLE, TEXT, 16);
      bool failed = machine.no_memory_after == 0;
      machine.no_memory_after = 0;
      expect ("out of memory", result, failed ? -ENOMEM : 0);
      CHECK (describes (failed ? 0 : TABLE, TEXT));
      expect ("remove", sframe_remove (TABLE), failed ? -ENOENT : 0);
      end_process ();
      if (!failed)
	break;
      ++failures;
    }
  /* Two allocations: the set of the process, and the text range.  */
  CHECK (failures == 2);
}

/* Two texts of TABLE, one of OTHER_TABLE.  */
static void
start_with_three (void)
{
  start ();
  expect ("add", add (TABLE, TEXT + 0x100, 0x100), 0);
  expect ("add", add (TABLE, TEXT_MIDDLE, 0x100), 0);
  expect ("add", add (OTHER_TABLE, TEXT + 0x400, 0x100), 0);
}

/* An object that is loaded and unloaded over and over needs no memory.  */
static void
test_spare (void)
{
  start_with_three ();
  for (unsigned int i = 0; i < 3; ++i)
    {
      expect ("remove", sframe_remove (OTHER_TABLE), 0);
      CHECK (describes (0, TEXT + 0x400));
      machine.no_memory_after = 1;
      expect ("add", add (OTHER_TABLE, TEXT + 0x500, 0x80), 0);
      CHECK (machine.no_memory_after == 1);
      machine.no_memory_after = 0;
      CHECK (describes (OTHER_TABLE, TEXT + 0x500));
      CHECK (describes (0, TEXT + 0x580));
    }
  expect ("one more", add (OTHER_TABLE, TEXT + 0x400, 0x80), 0);
  CHECK (describes (OTHER_TABLE, TEXT + 0x500));
  end_process ();
}

/* Which of the three are there after START to END was unmapped.  */
static void
check_unmapped (unsigned long start, unsigned long end, bool first,
		bool second, bool third)
{
  unsigned long texts = first + second + third;

  start_with_three ();
  machine_unmap (&process, start, end);
  CHECK (describes (first ? TABLE : 0, TEXT + 0x100));
  CHECK (describes (first ? TABLE : 0, TEXT + 0x1ff));
  CHECK (describes (second ? TABLE : 0, TEXT_MIDDLE));
  CHECK (describes (third ? OTHER_TABLE : 0, TEXT + 0x400));
  rcu_barrier ();
  /* One that was dropped is kept for the next to be added.  */
  CHECK (machine.objects == 1 + texts + (texts < 3));
  end_process ();
}

static void
test_unmap (void)
{
  check_unmapped (DATA, DATA_END, true, true, true);
  check_unmapped (TEXT, TEXT + 0x100, true, true, true);
  check_unmapped (TEXT + 0x200, TEXT + 0x400, true, true, true);
  check_unmapped (TEXT, TEXT + 0x101, false, true, true);
  check_unmapped (TEXT + 0x1ff, TEXT + 0x200, false, true, true);
  check_unmapped (TEXT + 0x1ff, TEXT + 0x401, false, true, false);
  check_unmapped (TEXT, TEXT_MIDDLE, false, true, false);
  check_unmapped (TEXT_MIDDLE, TEXT_END, true, false, true);
  check_unmapped (TEXT, TEXT_END, false, false, false);
  check_unmapped (TABLE, TABLE + 1, false, false, true);
  check_unmapped (TABLE + TABLE_SIZE - 1, TABLE + TABLE_SIZE, false, false,
		  true);
  check_unmapped (TABLE + TABLE_SIZE, OTHER_TABLE, true, true, true);
  check_unmapped (OTHER_TABLE, TABLES_END, true, true, false);
  check_unmapped (OTHER_TABLE, TEXT + 0x100, true, true, false);
  check_unmapped (TABLE, TABLES_END, false, false, false);
  check_unmapped (BASE, BASE + MEMORY, false, false, false);
  check_unmapped (0, TASK_SIZE, false, false, false);
}

/* Check which of the three are there after START to END was unmapped; return
   how many.  */
static unsigned int
check_kept (unsigned long start, unsigned long end)
{
  const struct
  {
    unsigned long table, text;
  } three[] = {
    { TABLE, TEXT + 0x100 },
    { TABLE, TEXT_MIDDLE },
    { OTHER_TABLE, TEXT + 0x400 },
  };
  unsigned int count = 0;

  for (unsigned int i = 0; i < ARRAY_SIZE (three); ++i)
    {
      bool met = (start < three[i].table + TABLE_SIZE && end > three[i].table)
		 || (start < three[i].text + 0x100 && end > three[i].text);
      CHECK (describes (met ? 0 : three[i].table, three[i].text));
      count += !met;
    }
  return count;
}

/* What one unmapping finds to be free of texts and tables is remembered.  After
   each that meets none, a second one drops all that it meets.  */
static void
test_unmap_again (void)
{
  static const unsigned long limits[] = {
    BASE, TABLE, TABLE + TABLE_SIZE, OTHER_TABLE, OTHER_TABLE + TABLE_SIZE,
    TEXT, TEXT + 0x100, TEXT + 0x200, TEXT + 0x400, TEXT + 0x500,
    TEXT_MIDDLE, TEXT_MIDDLE + 0x100, DATA,
  };
  const unsigned int n = ARRAY_SIZE (limits);

  for (unsigned int first = 1; first < n; ++first)
    for (unsigned int pair = 0; pair < n * n; ++pair)
      {
	unsigned long start = limits[pair / n], end = limits[pair % n];
	if (start >= end)
	  continue;
	start_with_three ();
	machine_unmap (&process, limits[first - 1], limits[first]);
	if (check_kept (limits[first - 1], limits[first]) == 3)
	  {
	    machine_unmap (&process, start, end);
	    check_kept (start, end);
	  }
	end_process ();
      }
}

/* New code where old code was is not described by the old table.  */
static void
test_mapped_over (void)
{
  start_with_three ();
  machine_unmap (&process, TEXT, TEXT_MIDDLE);
  map (TEXT, TEXT_MIDDLE, VM_READ | VM_EXEC);
  CHECK (describes (0, TEXT + 0x100) && describes (0, TEXT + 0x400));
  expect ("other table", add (OTHER_TABLE, TEXT + 0x100, 0x100), 0);
  CHECK (describes (OTHER_TABLE, TEXT + 0x100));
  CHECK (describes (TABLE, TEXT_MIDDLE));
  end_process ();
}

/* A child has all that its parent has, and each keeps its own.  */
static void
test_fork (void)
{
  struct mm_struct child;

  start_with_three ();
  machine_fork (&child, &process, 0);
  expect ("parent", sframe_remove (TABLE), 0);
  machine_exit (&process);
  rcu_barrier ();
  current->mm = &child;
  CHECK (describes (TABLE, TEXT + 0x100) && describes (TABLE, TEXT_MIDDLE));
  CHECK (describes (OTHER_TABLE, TEXT + 0x400) && describes (0, TEXT));
  expect ("again", add (TABLE, TEXT + 0x100, 0x100), 0);
  expect ("child", sframe_remove (TABLE), 0);
  CHECK (describes (OTHER_TABLE, TEXT + 0x400));
  process = child;
  end_process ();
}

/* A child lacks the mappings that madvise keeps from it, one at a time: the
   tables, the texts, and data.  */
static void
test_fork_without_a_mapping (void)
{
  for (unsigned int skip = 0; skip < 4; ++skip)
    {
      struct mm_struct child;

      start_with_three ();
      machine_fork (&child, &process, 1 << skip);
      current->mm = &child;
      CHECK (describes (skip > 1 ? TABLE : 0, TEXT + 0x100));
      CHECK (describes (skip > 1 ? OTHER_TABLE : 0, TEXT + 0x400));
      CHECK (describes (skip == 0 || skip == 2 ? 0 : TABLE, TEXT_MIDDLE));
      machine_exit (&child);
      current->mm = &process;
      CHECK (describes (TABLE, TEXT + 0x100));
      end_process ();
    }
}

/* A mapping of which a part was locked or made writable is split.  A child
   gets mappings as its parent has them, without those that SKIP names: the
   first halves of all tables and texts in bits 0 and 1, the second halves in
   bits 4 and 5.  */
static void
check_fork_of_split (unsigned long skip, bool first, bool third)
{
  struct mm_struct child;

  start_with_three ();
  machine_split (&process, TABLE + 16);
  machine_split (&process, TEXT + 0x180);
  machine_fork (&child, &process, skip);
  current->mm = &child;
  CHECK (describes (first ? TABLE : 0, TEXT + 0x100));
  CHECK (describes (third ? OTHER_TABLE : 0, TEXT + 0x400));
  machine_exit (&child);
  end_process ();
}

static void
test_fork_with_split_mappings (void)
{
  check_fork_of_split (0, true, true);
  check_fork_of_split (1 << 0, false, true);
  check_fork_of_split (1 << 1, false, true);
  check_fork_of_split (1 << 4, false, false);
  check_fork_of_split (1 << 5, false, false);
}

/* Changes by one of the relatives that need a copy of the shared set.  */
static int
remove_one (void)
{
  return sframe_remove (TABLE);
}

static int
add_one (void)
{
  return add (TABLE, TEXT + 0x300, 0x100);
}

static int
unmap_one (void)
{
  machine_unmap (current->mm, TEXT + 0x100, TEXT + 0x101);
  return 0;
}

static int
drop_one (void)
{
  struct sframe_view view;

  if (sframe_find_view (TEXT + 0x100, &view))
    sframe_drop_corrupt (&view);
  return 0;
}

/* Check the registrations of the process that has made a change, and of its
   RELATIVE.  If the change has FAILED for lack of memory, the process has all
   of them as before, or none if it FORGETS them; its relative has all in any
   case.  */
static void
check_relatives (bool failed, bool forgets, struct mm_struct *relative)
{
  if (failed)
    {
      CHECK (describes (forgets ? 0 : TABLE, TEXT + 0x100));
      CHECK (describes (forgets ? 0 : OTHER_TABLE, TEXT + 0x400));
      CHECK (describes (0, TEXT + 0x300));
    }
  else
    CHECK (describes (OTHER_TABLE, TEXT + 0x400));
  current->mm = relative;
  CHECK (describes (TABLE, TEXT + 0x100));
  CHECK (describes (TABLE, TEXT_MIDDLE));
  CHECK (describes (OTHER_TABLE, TEXT + 0x400));
}

/* Let each allocation of a CHANGE fail once.  The child makes the change if
   IN_CHILD is set, otherwise the parent.  munmap, which cannot fail, FORGETS
   all registrations of the process then.  */
static void
check_change_without_memory (int (*change) (void), bool in_child,
			     bool forgets, unsigned int allocations)
{
  unsigned int failures = 0;

  for (unsigned int n = 1;; ++n, ++failures)
    {
      struct mm_struct child;

      start_with_three ();
      machine_fork (&child, &process, 0);
      current->mm = in_child ? &child : &process;
      machine.no_memory_after = n;
      int result = change ();
      bool failed = machine.no_memory_after == 0;
      machine.no_memory_after = 0;
      expect ("change", result, failed && !forgets && change != drop_one
	      ? -ENOMEM : 0);
      check_relatives (failed, forgets, in_child ? &process : &child);
      machine_exit (&child);
      end_process ();
      if (!failed)
	break;
    }
  CHECK (failures == allocations);
}

static void
test_change_without_memory (void)
{
  for (int in_child = 0; in_child < 2; ++in_child)
    {
      /* The set, three texts; to add there is one more.  */
      check_change_without_memory (remove_one, in_child, false, 4);
      check_change_without_memory (add_one, in_child, false, 5);
      check_change_without_memory (unmap_one, in_child, true, 4);
      check_change_without_memory (drop_one, in_child, false, 4);
    }
}

/* Requests that change nothing need no memory: a repetition, a refused
   request, a table that is not registered, an unmapping of other memory, also
   right beside a text or a table.  */
static void
test_shared_while_unchanged (void)
{
  struct mm_struct child;

  start_with_three ();
  machine_fork (&child, &process, 0);
  unsigned long objects = machine.objects;
  struct sframe_set before = *process.sframe_set;
  current->mm = &child;
  expect ("the same", add (TABLE, TEXT + 0x100, 0x100), 0);
  expect ("overlap", add (TABLE, TEXT + 0x100, 0x101), -EEXIST);
  expect ("other table", add (OTHER_TABLE, TEXT_MIDDLE, 0x100), -EEXIST);
  expect ("not there", sframe_remove (DATA), -ENOENT);
  machine_unmap (&child, DATA, DATA_END);
  machine_unmap (&child, TEXT + 0x500, TEXT + 0x600);
  machine_unmap (&child, TEXT, TEXT + 0x100);
  machine_unmap (&child, TEXT + 0x200, TEXT + 0x400);
  machine_unmap (&child, BASE, TABLE);
  machine_unmap (&child, TABLE + TABLE_SIZE, OTHER_TABLE);
  CHECK (child.sframe_set == process.sframe_set && machine.objects == objects);
  CHECK (memcmp (&before, child.sframe_set, sizeof before) == 0);
  machine_exit (&process);
  /* Now it is the child's alone, and changed in place.  */
  expect ("remove", sframe_remove (TABLE), 0);
  rcu_barrier ();
  CHECK (machine.objects == objects - 1);
  process = child;
  current->mm = &process;
  end_process ();
}

/* Another CPU changes the set of a relative, or of the process itself, at each
   step of a lookup.  The process finds a range that it had at some time, never
   one that only its relative has.  */
static struct mm_struct relative;

static void
leave_relative (void)
{
  expect ("own change", add (TABLE, TEXT + 0x700, 0x10), 0);
  current->mm = &relative;
  expect ("relative", add (OTHER_TABLE, TEXT + 0x600, 0x100), 0);
  machine_exit (&relative);
  current->mm = &process;
}

static void
test_relative_changes_during_lookup (void)
{
  unsigned int n = 1;
  bool happened = true;

  for (; happened; ++n)
    {
      start_with_three ();
      machine_fork (&relative, &process, 0);
      current->mm = &process;
      machine.other_cpu = leave_relative;
      machine.other_cpu_after = n;
      CHECK (describes (0, TEXT + 0x600));
      happened = machine.other_cpu_after == 0;
      machine.other_cpu_after = 0;
      if (!happened)
	machine_exit (&relative);
      end_process ();
    }
  CHECK (n > 4);
}

static void
start_with_vdso (void)
{
  start ();
  begin_vdso ();
}

static int
add_vdso (unsigned long base)
{
  return sframe_add (base + VDSO_TABLE, TABLE_SIZE, base + VDSO_TEXT,
		     VDSO_TEXT_SIZE);
}

static void
check_vdso (unsigned long base, bool there)
{
  unsigned long table = there ? base + VDSO_TABLE : 0;

  CHECK (describes (0, base + VDSO_TEXT - 1));
  CHECK (describes (table, base + VDSO_TEXT));
  CHECK (describes (table, base + VDSO_TEXT + VDSO_TEXT_SIZE - 1));
  CHECK (describes (0, base + VDSO_TEXT + VDSO_TEXT_SIZE));
}

/* It takes no memory, even if the process registers it.  */
static void
test_vdso (void)
{
  struct mm_struct child;
  struct sframe_view view;

  start_with_vdso ();
  check_vdso (VDSO, true);
  /* Its header was read at boot.  */
  CHECK (sframe_find_view (VDSO + VDSO_TEXT, &view) && view.nr_fdes == 1);
  machine.accesses = 0;
  expect ("the same", add_vdso (VDSO), 0);
  CHECK (machine.accesses == 0);
  expect ("more text", sframe_add (VDSO + VDSO_TABLE, TABLE_SIZE,
				   VDSO + VDSO_TEXT, VDSO_TEXT_SIZE + 1),
	  -EEXIST);
  expect ("more table", sframe_add (VDSO + VDSO_TABLE, TABLE_SIZE + 4,
				    TEXT, 16), -EEXIST);
  expect ("another table for its last byte",
	  add (TABLE, VDSO + VDSO_TEXT + VDSO_TEXT_SIZE - 1, 1), -EEXIST);
  expect ("another table for its first byte", add (TABLE, VDSO + VDSO_TEXT, 1),
	  -EEXIST);
  CHECK (!sframe_has_set (&process) && machine.objects == 0);
  /* A task that exits does not wait to see whether it is mapped.  */
  machine.changing = machine.exiting = true;
  CHECK (describes (0, VDSO + VDSO_TEXT));
  machine.changing = false;
  machine.no_area_locks = true;
  CHECK (describes (VDSO + VDSO_TABLE, VDSO + VDSO_TEXT));
  machine.exiting = machine.no_area_locks = false;
  CHECK (sframe_in_vdso (VDSO + VDSO_TEXT)
	 && sframe_in_vdso (VDSO + VDSO_TEXT + VDSO_TEXT_SIZE - 1)
	 && !sframe_in_vdso (VDSO + VDSO_TEXT - 1)
	 && !sframe_in_vdso (VDSO + VDSO_TEXT + VDSO_TEXT_SIZE));
  machine_fork (&child, &process, 0);
  current->mm = &child;
  check_vdso (VDSO, true);
  CHECK (machine.objects == 0);
  machine_exit (&child);
  end_process ();

  /* It may describe more of the mapping, as any table.  */
  start_with_vdso ();
  expect ("text beside its own",
	  sframe_add (VDSO + VDSO_TABLE, TABLE_SIZE,
		      VDSO + VDSO_TEXT + VDSO_TEXT_SIZE + 16, 16), 0);
  CHECK (describes (VDSO + VDSO_TABLE, VDSO + VDSO_TEXT + VDSO_TEXT_SIZE + 16));
  check_vdso (VDSO, true);
  end_process ();
  current->mm = &(struct mm_struct) { .sframe_set = NULL };
  CHECK (!sframe_in_vdso (VDSO_TEXT));
}

/* It is followed by mremap, and gone with munmap, whatever is mapped there
   next.  */
static void
test_vdso_moves (void)
{
  const unsigned long other = VDSO + 0x8000;

  start_with_vdso ();
  put_table (other + VDSO_TABLE, other + VDSO_TEXT, VDSO_TEXT_SIZE);
  machine_unmap (&process, VDSO, VDSO + VDSO_SIZE);
  map (VDSO, VDSO + VDSO_SIZE, VM_READ | VM_EXEC);
  check_vdso (VDSO, false);
  expect ("as any other", add_vdso (VDSO), 0);
  check_vdso (VDSO, true);
  map_vdso (other);
  check_vdso (other, true);
  check_vdso (VDSO, true);
  machine.changing = true;
  check_vdso (other, true);
  machine.changing = false;
  end_process ();
}

/* Removed, it is so for children, too, until it is registered again.  */
static void
test_vdso_removed (void)
{
  struct mm_struct child;

  start_with_vdso ();
  expect ("inside", sframe_remove (VDSO + VDSO_TABLE + 4), -ENOENT);
  machine.no_memory_after = 1;
  expect ("no memory", sframe_remove (VDSO + VDSO_TABLE), -ENOMEM);
  machine.no_memory_after = 0;
  check_vdso (VDSO, true);
  expect ("more of it", sframe_add (VDSO + VDSO_TABLE, TABLE_SIZE, TEXT, 16),
	  0);
  expect ("remove", sframe_remove (VDSO + VDSO_TABLE), 0);
  check_vdso (VDSO, false);
  CHECK (describes (0, TEXT));
  /* A set without tables counts as none.  */
  CHECK (sframe_has_set (&process) && !sframe_has_tables (&process));
  expect ("twice", sframe_remove (VDSO + VDSO_TABLE), -ENOENT);
  expect ("a part of its text",
	  sframe_add (VDSO + VDSO_TABLE, TABLE_SIZE, VDSO + VDSO_TEXT, 16), 0);
  CHECK (describes (VDSO + VDSO_TABLE, VDSO + VDSO_TEXT + 15)
	 && describes (0, VDSO + VDSO_TEXT + 16));
  expect ("remove the part", sframe_remove (VDSO + VDSO_TABLE), 0);
  check_vdso (VDSO, false);
  machine_fork (&child, &process, 0);
  current->mm = &child;
  check_vdso (VDSO, false);
  expect ("own tables", add (TABLE, TEXT, 16), 0);
  CHECK (child.sframe_set != process.sframe_set);
  check_vdso (VDSO, false);
  expect ("again", add_vdso (VDSO), 0);
  check_vdso (VDSO, true);
  current->mm = &process;
  check_vdso (VDSO, false);
  machine_exit (&child);
  end_process ();
}

/* A process may write to its vDSO.  */
static void
test_vdso_corrupt (void)
{
  struct sframe_view view;

  start_with_vdso ();
  CHECK (sframe_find_view (VDSO + VDSO_TEXT, &view));
  poke (VDSO + VDSO_TABLE + OF_FDES, -1, 4);
  expect ("the kernel has its header", add_vdso (VDSO), 0);
  check_vdso (VDSO, true);
  machine.messages = 0;
  /* It was elsewhere when the fault was found.  */
  view.start += VDSO_SIZE;
  sframe_drop_corrupt (&view);
  CHECK (machine.messages == 0);
  check_vdso (VDSO, true);
  view.start -= VDSO_SIZE;
  sframe_drop_corrupt (&view);
  CHECK (machine.messages == 1);
  check_vdso (VDSO, false);
  sframe_drop_corrupt (&view);
  CHECK (machine.messages == 1);
  end_process ();
}

/* The list is sorted, wherever the vDSO is.  */
static void
test_vdso_listed (void)
{
  struct sframe_info info = { .text = 0 };
  unsigned int count = 0;

  for (int low = 0; low < 2; ++low)
    {
      start_with_vdso ();
      unsigned long text = low ? TEXT : VDSO + VDSO_SIZE;
      map (text, text + 0x100, VM_READ | VM_EXEC);
      expect ("add", add (TABLE, text, 16), 0);
      info = (struct sframe_info) { .text = 0 };
      process.locked = true;
      CHECK (sframe_next_text (&process, 0, &info));
      CHECK (info.text == (low ? TEXT : VDSO + VDSO_TEXT));
      CHECK (info.table == (low ? TABLE : VDSO + VDSO_TABLE));
      CHECK (info.table_size == TABLE_SIZE);
      CHECK (sframe_next_text (&process, info.text + info.text_size, &info));
      CHECK (info.text == (low ? VDSO + VDSO_TEXT : text));
      count += !sframe_next_text (&process, info.text + info.text_size, &info);
      /* From its last byte on, it is the first or the last one.  */
      CHECK (sframe_next_text (&process,
			       VDSO + VDSO_TEXT + VDSO_TEXT_SIZE - 1, &info));
      CHECK (info.text == VDSO + VDSO_TEXT);
      CHECK (sframe_next_text (&process, VDSO + VDSO_TEXT + VDSO_TEXT_SIZE,
			       &info) == !low);
      process.locked = false;
      end_process ();
    }
  CHECK (count == 2);
}

/* A vDSO without a table, without text, with an invalid table.  This must be
   the first case with a vDSO: a kernel reads its own only once.  */
static void
test_vdso_without_table (void)
{
  struct elf64_phdr *phdr = (void *) (vdso_start + 64);

  for (int wrong = 0; wrong < 3; ++wrong)
    {
      start ();
      put_vdso ();
      if (wrong == 0)
	phdr[2].p_type = PT_LOAD;
      else if (wrong == 1)
	phdr[0].p_flags = PF_R;
      else
	vdso_start[VDSO_TABLE] ^= 1;
      shim_sframe_init_vdso ();
      map_vdso (VDSO);
      check_vdso (VDSO, false);
      CHECK (!sframe_in_vdso (VDSO + VDSO_TEXT));
      end_process ();
    }
}

static void
test_fork_of_nothing (void)
{
  struct mm_struct child;

  start ();
  machine_fork (&child, &process, 0);
  CHECK (!sframe_has_set (&child) && machine.objects == 0);
  machine_exit (&child);
  machine_unmap (&process, TEXT, TEXT_END);
  CHECK (!sframe_has_set (&process));
  end_process ();
}

/* The choice of a process is stored with its tables, but not counted as
   one.  */
static void
test_choice (void)
{
  start ();
  CHECK (sframe_order (&process) == 0);
  expect ("as it is", sframe_set_order (0), 0);
  CHECK (!sframe_has_set (&process));
  expect ("choose", sframe_set_order (0x12), 0);
  CHECK (sframe_order (&process) == 0x12 && describes (0, TEXT));
  expect ("add", add (TABLE, TEXT, 16), 0);
  expect ("remove", sframe_remove (TABLE), 0);
  machine_unmap (&process, TEXT, TEXT_END);
  CHECK (sframe_order (&process) == 0x12);
  machine.killed = true;
  expect ("choose, killed", sframe_set_order (1), -EINTR);
  machine.killed = false;
  CHECK (sframe_order (&process) == 0x12);
  expect ("choose nothing", sframe_set_order (0), 0);
  CHECK (sframe_order (&process) == 0);
  end_process ();

  start ();
  machine.no_memory_after = 1;
  expect ("first, without memory", sframe_set_order (1), -ENOMEM);
  CHECK (!sframe_has_set (&process));
  end_process ();
}

/* Without memory munmap takes all tables from a child, but no more: the table
   of the vDSO stays removed, or stays.  The choice is lost only if not even an
   empty set can be made.  */
static void
check_lost (bool vdso, bool no_memory)
{
  struct mm_struct child, other;

  start_with_vdso ();
  expect ("add", add (TABLE, TEXT, 16), 0);
  expect ("choose", sframe_set_order (0x21), 0);
  if (!vdso)
    expect ("remove", sframe_remove (VDSO + VDSO_TABLE), 0);
  machine_fork (&child, &process, 0);
  current->mm = &child;
  machine.no_memory = no_memory;
  machine.no_memory_after = 1;
  machine_unmap (&child, TEXT, TEXT + 16);
  machine.no_memory = false;
  machine.no_memory_after = 0;
  CHECK (describes (0, TEXT));
  CHECK (sframe_order (&child) == (no_memory ? 0 : 0x21));
  check_vdso (VDSO, vdso);
  if (no_memory)
    {
      /* Other processes may have the same set, which never changes.  */
      machine.no_memory = true;
      expect ("choose, without memory", sframe_set_order (1), -ENOMEM);
      machine.no_memory = false;
      CHECK (!child.sframe_set->copy_denied);
    }
  machine_fork (&other, &child, 0);
  machine_exit (&child);
  current->mm = &other;
  check_vdso (VDSO, vdso);
  expect ("add", add (TABLE, TEXT_MIDDLE, 16), 0);
  CHECK (describes (TABLE, TEXT_MIDDLE));
  check_vdso (VDSO, vdso);
  machine_exit (&other);
  current->mm = &process;
  CHECK (describes (TABLE, TEXT) && sframe_order (&process) == 0x21);
  end_process ();
}

static void
test_lost (void)
{
  for (unsigned int i = 0; i < 4; ++i)
    check_lost (i & 1, i & 2);
}

/* A child inherits the choice of its parent; then each can change its own, and
   both keep all tables.  */
static void
test_choice_of_relatives (void)
{
  struct mm_struct child;

  start_with_three ();
  expect ("choose", sframe_set_order (0x21), 0);
  machine_fork (&child, &process, 0);
  current->mm = &child;
  CHECK (sframe_order (&child) == 0x21);
  expect ("the same", sframe_set_order (0x21), 0);
  CHECK (child.sframe_set == process.sframe_set);
  /* The set and three texts.  */
  for (unsigned int i = 1; i <= 4; ++i)
    {
      machine.no_memory_after = i;
      expect ("without memory", sframe_set_order (2), -ENOMEM);
      CHECK (sframe_order (&child) == 0x21
	     && child.sframe_set == process.sframe_set);
    }
  expect ("another", sframe_set_order (2), 0);
  CHECK (sframe_order (&child) == 2 && sframe_order (&process) == 0x21);
  CHECK (describes (TABLE, TEXT + 0x100) && describes (TABLE, TEXT_MIDDLE));
  expect ("remove", sframe_remove (TABLE), 0);
  current->mm = &process;
  CHECK (describes (TABLE, TEXT + 0x100) && describes (TABLE, TEXT_MIDDLE));
  machine_exit (&child);

  /* The copy for a change of tables has it, too.  */
  machine_fork (&child, &process, 0);
  expect ("remove", sframe_remove (TABLE), 0);
  CHECK (process.sframe_set != child.sframe_set
	 && sframe_order (&process) == 0x21);
  machine_exit (&child);
  end_process ();
}

/* Only the table that was found to be corrupt is removed.  */
static void
test_drop_corrupt (void)
{
  struct sframe_view view;

  start_with_three ();
  machine.messages = 0;
  CHECK (sframe_find_view (TEXT + 0x100, &view));
  sframe_drop_corrupt (&view);
  CHECK (machine.messages == 1);
  CHECK (describes (0, TEXT + 0x100) && describes (0, TEXT_MIDDLE));
  CHECK (describes (OTHER_TABLE, TEXT + 0x400));
  sframe_drop_corrupt (&view);
  CHECK (machine.messages == 1);

  /* A library was loaded anew, to the same place, meanwhile.  */
  expect ("the like of it", add (TABLE, TEXT + 0x100, 0x100), 0);
  sframe_drop_corrupt (&view);
  CHECK (machine.messages == 1 && describes (TABLE, TEXT + 0x100));
  expect ("more of the same", add (TABLE, TEXT_MIDDLE, 0x100), 0);
  CHECK (sframe_find_view (TEXT_MIDDLE, &view));
  sframe_drop_corrupt (&view);
  CHECK (machine.messages == 2);
  CHECK (describes (0, TEXT + 0x100) && describes (0, TEXT_MIDDLE));

  /* Another thread has put another table there meanwhile.  */
  machine.messages = 1;
  expect ("larger", sframe_add (TABLE, TABLE_SIZE + 4, TEXT, 16), 0);
  sframe_drop_corrupt (&view);
  CHECK (machine.messages == 1 && describes (TABLE, TEXT));
  expect ("remove", sframe_remove (TABLE), 0);
  put_table (DATA, TEXT, 16);
  expect ("elsewhere", add (DATA, TEXT, 16), 0);
  sframe_drop_corrupt (&view);
  CHECK (machine.messages == 1 && describes (DATA, TEXT));
  end_process ();
}

/* A task that exits does not wait for others, which may wait for a page with
   the mm locked.  */
static void
test_drop_corrupt_at_exit (void)
{
  struct sframe_view view;

  start_with_three ();
  CHECK (sframe_find_view (TEXT + 0x100, &view));
  machine.exiting = true;
  sframe_drop_corrupt (&view);
  machine.exiting = false;
  CHECK (describes (TABLE, TEXT + 0x100));
  sframe_drop_corrupt (&view);
  CHECK (describes (0, TEXT + 0x100));
  end_process ();
}

/* Another CPU removes the table, or the mapping, at each moment of a lookup.
   The reader finds the table or nothing, and touches nothing freed.  */
static void
remove_table (void)
{
  expect ("other CPU", sframe_remove (TABLE), 0);
}

static void
test_removed_during_lookup (void)
{
  static void (*const changes[]) (void) = { remove_table, unmap_text,
					    unmap_tables };
  unsigned int moments = 0;

  for (size_t i = 0; i < ARRAY_SIZE (changes); ++i)
    for (unsigned int n = 1;; ++n, ++moments)
      {
	struct sframe_view view;

	start ();
	expect ("add", add (TABLE, TEXT, 16), 0);
	machine.other_cpu = changes[i];
	machine.other_cpu_after = n;
	CHECK (!sframe_find_view (TEXT, &view)
	       || (view.start == TABLE && view.size == TABLE_SIZE));
	bool happened = machine.other_cpu_after == 0;
	machine.other_cpu_after = 0;
	if (happened)
	  CHECK (describes (0, TEXT));
	end_process ();
	if (!happened)
	  break;
      }
  CHECK (moments >= 3 * 2);
}

/* A lookup of one text range while other ranges are added and removed: one at
   each step of the search, or one at the Nth step, so that the tree is
   rebalanced around it.  */
static unsigned int next_text;
static bool at_each_step, locked_at_last;

static void
turn_tree (void)
{
  enum { MANY = 64 };

  unsigned long text = TEXT + 0x100 + next_text++ % MANY;

  locked_at_last = process.locked;
  /* Others wait while the search holds the lock.  */
  if (!process.locked && add (TABLE, text, 1) == 0
      && next_text / MANY % 2 != 0)
    {
      mmap_write_lock_killable (&process);
      sframe_unmap (&process, text, text + 1);
      mmap_write_unlock (&process);
    }
  if (at_each_step)
    machine.other_cpu_after = 1;
}

static void
check_found_while_turning (unsigned long found)
{
  unsigned int n = 1;
  bool happened = true;

  for (; happened && n < 100; ++n)
    {
      start ();
      for (unsigned long i = 0; i < 0x80; ++i)
	expect ("add", add (TABLE, TEXT + i, 1), 0);
      next_text = 0;
      for (unsigned int i = 0; i < 40 + n % 7; ++i)
	turn_tree ();
      machine.other_cpu = turn_tree;
      machine.other_cpu_after = n;
      CHECK (describes (TABLE, found));
      happened = machine.other_cpu_after == 0 || at_each_step;
      machine.other_cpu_after = 0;
      end_process ();
    }
  CHECK (n > 5);
}

static void
test_found_while_others_come_and_go (void)
{
  for (unsigned long i = 0; i < 0x80; i += 5)
    check_found_while_turning (TEXT + i);
  at_each_step = true;
  check_found_while_turning (TEXT + 0x7f);

  /* A search that can never be sure ends by having the others wait.  */
  start ();
  expect ("add", add (TABLE, TEXT, 1), 0);
  machine.other_cpu = turn_tree;
  machine.other_cpu_after = 1;
  CHECK (describes (0, TEXT + 0x80) && locked_at_last);
  machine.other_cpu_after = 0;
  end_process ();
}

/* Only the executable segments of a loaded object are registered, although all
   memory is executable here.  */
static void
test_elf (void)
{
  enum { BIAS = 0x3000 };
#define SEGMENT(type, flags, from, size) \
  { .p_type = (type), .p_flags = (flags), .p_vaddr = (from) - BIAS, \
    .p_memsz = (size) }
  const struct elf64_phdr headers[] = {
    SEGMENT (PT_LOAD, PF_R | PF_X, TEXT + 0x100, 0x100),
    SEGMENT (PT_LOAD, PF_R, TEXT, 0x100),
    SEGMENT (PT_NOTE, PF_R | PF_X, TEXT + 0x200, 0x100),
    SEGMENT (PT_GNU_SFRAME, PF_R, TABLE, TABLE_SIZE),
    SEGMENT (PT_LOAD, PF_R | PF_X, TEXT_MIDDLE, 0x200)
  };
#undef SEGMENT

  start ();
  sframe_add_elf (headers, 3, BIAS);
  CHECK (!sframe_has_set (&process));
  sframe_add_elf (headers, ARRAY_SIZE (headers), BIAS);
  CHECK (describes (0, TEXT) && describes (0, TEXT + 0xff));
  CHECK (describes (TABLE, TEXT + 0x100) && describes (TABLE, TEXT + 0x1ff));
  CHECK (describes (0, TEXT + 0x200));
  CHECK (describes (TABLE, TEXT_MIDDLE));
  CHECK (describes (TABLE, TEXT_MIDDLE + 0x1ff));
  CHECK (describes (0, TEXT_MIDDLE + 0x200));
  end_process ();

  start ();
  sframe_add_elf (headers + 3, 2, BIAS);
  CHECK (describes (0, TEXT + 0x100) && describes (TABLE, TEXT_MIDDLE));
  end_process ();
}

#define CASE(name) { #name, test_##name }
static const struct test_case cases[] = {
  CASE (ranges),
  CASE (ranges_at_their_limits),
  CASE (mappings_apart),
  CASE (headers),
  CASE (unreadable_header),
  CASE (header_not_in_memory),
  CASE (view_not_found),
  CASE (file_header_mapped),
  CASE (file_header_not_mapped),
  CASE (header_not_put_off),
  CASE (bad_header_put_off),
  CASE (put_off_and_replaced),
  CASE (changed_while_faulting_in),
  CASE (killed),
  CASE (32_bit_callers),
  CASE (same_again),
  CASE (same_again_when_split),
  CASE (header_changed),
  CASE (order_of_errors),
  CASE (refused_is_logged),
  CASE (overlaps),
  CASE (remove),
  CASE (array),
  CASE (array_refused),
  CASE (array_size),
  CASE (array_unreadable),
  CASE (array_limit),
  CASE (array_header_not_in_memory),
  CASE (array_32_bit_callers),
  CASE (limit),
  CASE (no_memory),
  CASE (no_memory_at_first),
  CASE (spare),
  CASE (unmap),
  CASE (unmap_again),
  CASE (mapped_over),
  CASE (fork),
  CASE (fork_without_a_mapping),
  CASE (fork_with_split_mappings),
  CASE (change_without_memory),
  CASE (shared_while_unchanged),
  CASE (relative_changes_during_lookup),
  CASE (vdso_without_table),
  CASE (vdso),
  CASE (vdso_moves),
  CASE (vdso_removed),
  CASE (vdso_corrupt),
  CASE (vdso_listed),
  CASE (fork_of_nothing),
  CASE (choice),
  CASE (lost),
  CASE (choice_of_relatives),
  CASE (drop_corrupt),
  CASE (drop_corrupt_at_exit),
  CASE (removed_during_lookup),
  CASE (found_while_others_come_and_go),
  CASE (elf),
};

int
main (void)
{
  return run_cases (cases, ARRAY_SIZE (cases));
}
