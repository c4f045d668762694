/* Registration in a kernel that checks all of a table (CONFIG_SFRAME_VALIDATION).
   SPDX-License-Identifier: GPL-2.0-only

   Expected results are those of the help text of that option, and of
   manual/PR_ADD_SFRAME.2const for an array.  */

#include "process.h"

enum
{
  TABLE = 0x10000, BAD_TABLE = 0x11000, TABLES_END = 0x12000,
  TEXT = 0x20000, BAD_TEXT = 0x22000, TEXT_END = 0x24000,
  ARRAY = 0x30000, ARRAY_END = 0x31000
};

/* A row whose data has a size that there is not.  */
static void
spoil (unsigned long table)
{
  poke (table + OF_ROW + 1, 1 | 1 << 1 | 3 << 5, 1);
}

/* TABLE is good, BAD_TABLE is not.  */
static void
start (void)
{
  new_process ();
  map (TABLE, TABLES_END, VM_READ);
  map (TEXT, TEXT_END, VM_READ | VM_EXEC);
  map (ARRAY, ARRAY_END, VM_READ);
  put_table (TABLE, TEXT, 0x1000);
  put_table (BAD_TABLE, BAD_TEXT, 0x1000);
  spoil (BAD_TABLE);
  machine.messages = 0;
}

static int
add (unsigned long table, unsigned long text)
{
  return sframe_add (table, TABLE_SIZE, text, 0x100);
}

static void
test_one (void)
{
  start ();
  CHECK (add (TABLE, TEXT) == 0 && describes (TABLE, TEXT));
  CHECK (machine.messages == 0);
  CHECK (add (BAD_TABLE, BAD_TEXT) == -EINVAL && describes (0, BAD_TEXT));
  CHECK (machine.messages > 0 && describes (TABLE, TEXT));
  end_process ();
}

/* A table is checked with its first text range, and with no other one.  */
static void
test_first_range_only (void)
{
  start ();
  CHECK (add (TABLE, TEXT) == 0);
  spoil (TABLE);
  CHECK (add (TABLE, TEXT + 0x100) == 0 && describes (TABLE, TEXT + 0x100));
  CHECK (add (TABLE, TEXT) == 0 && describes (TABLE, TEXT));
  CHECK (sframe_remove (TABLE) == 0);
  CHECK (add (TABLE, TEXT) == -EINVAL && describes (0, TEXT));
  end_process ();
}

/* Let TABLE have two FDEs, for functions of 0x100 bytes from FIRST and SECOND,
   and ROWS in its header.  The attribute and the row of the second are copies
   of the first's, and follow them.  */
static void
put_two (unsigned long first, unsigned long second, unsigned int rows)
{
  enum { FDE_SIZE = 16, ROW_SIZE = 8, OTHER_FDE = OF_FDE + FDE_SIZE };

  memmove (at (TABLE + OF_ATTRIBUTE + FDE_SIZE), at (TABLE + OF_ATTRIBUTE),
	   ROW_SIZE);
  memcpy (at (TABLE + OF_ATTRIBUTE + FDE_SIZE + ROW_SIZE),
	  at (TABLE + OF_ATTRIBUTE + FDE_SIZE), ROW_SIZE);
  poke (TABLE + OF_FDES, 2, 4);
  poke (TABLE + OF_FRES, rows, 4);
  poke (TABLE + OF_FRE_LENGTH, 2 * ROW_SIZE, 4);
  poke (TABLE + OF_FRE_OFFSET, 2 * FDE_SIZE, 4);
  poke (TABLE + OF_FDE, first - (TABLE + OF_FDE), 8);
  poke (TABLE + OF_FDE + 8, 0x100, 4);
  poke (TABLE + OTHER_FDE, second - (TABLE + OTHER_FDE), 8);
  poke (TABLE + OTHER_FDE + 8, 0x100, 4);
  poke (TABLE + OTHER_FDE + 12, ROW_SIZE, 4);
}

static int
add_two (void)
{
  return sframe_add (TABLE, TABLE_SIZE + 16 + 8, TEXT, 0x300);
}

/* The rows of all functions together are not more than the header says.  */
static void
test_rows (void)
{
  for (unsigned int rows = 0; rows < 5; ++rows)
    {
      start ();
      put_two (TEXT, TEXT + 0x100, rows);
      CHECK (add_two () == (rows < 2 ? -EINVAL : 0));
      end_process ();
    }
}

/* In TABLE, a function of 0x10 bytes with rows that start at FIRST and
   SECOND.  */
static void
put_rows (unsigned int first, unsigned int second)
{
  put_table (TABLE, TEXT, 0x10);
  poke (TABLE + OF_FRES, 2, 4);
  poke (TABLE + OF_FRE_LENGTH, 5 + 2 * 3, 4);
  poke (TABLE + OF_ATTRIBUTE, 2, 2);
  memcpy (at (TABLE + OF_ROW + 3), at (TABLE + OF_ROW), 3);
  poke (TABLE + OF_ROW, first, 1);
  poke (TABLE + OF_ROW + 3, second, 1);
}

/* Rows ascend, and none starts after the function.  */
static void
test_starts (void)
{
  static const struct { unsigned int first, second; int result; } cases[] = {
    { 0, 4, 0 }, { 0, 0, 0 }, { 4, 4, 0 }, { 4, 0, -EINVAL },
    { 4, 3, -EINVAL }, { 0, 0x10, 0 }, { 0, 0x11, -EINVAL }, { 0x11, 0x12, -EINVAL }
  };

  for (size_t i = 0; i < ARRAY_SIZE (cases); ++i)
    {
      start ();
      put_rows (cases[i].first, cases[i].second);
      CHECK (sframe_add (TABLE, TABLE_SIZE + 3, TEXT, 0x100)
	     == cases[i].result);
      end_process ();
    }
}

/* A function with control words that has no row, and one of a later type, are
   left alone.  */
static void
test_functions_without_rules (void)
{
  for (unsigned int type = 1; type < 5; ++type)
    {
      start ();
      poke (TABLE + OF_ATTRIBUTE, 0, 2);
      poke (TABLE + OF_ATTRIBUTE + 3, type, 1);
      CHECK (add (TABLE, TEXT) == 0 && machine.messages == 0);
      end_process ();
    }
}

static void
test_order (void)
{
  start ();
  put_two (TEXT + 0x100, TEXT + 0x200, 2);
  CHECK (add_two () == 0);
  end_process ();
  start ();
  put_two (TEXT + 0x200, TEXT + 0x100, 2);
  CHECK (add_two () == -EINVAL);
  end_process ();
}

/* A range in the form of user space: number I of an array.  */
static void
put_element (unsigned int i, unsigned long table, unsigned long text)
{
  const uint64_t words[] = { table, TABLE_SIZE, text, 0x100 };

  for (size_t j = 0; j < ARRAY_SIZE (words); ++j)
    poke (ARRAY + i * 32 + 8 * j, words[j], 8);
}

/* Of an array whose element BAD is a bad table, those before it are registered;
   only if there is none, the answer is the error.  */
static void
test_array (void)
{
  for (unsigned int bad = 0; bad < 5; ++bad)
    {
      start ();
      for (unsigned int i = 0; i < 5; ++i)
	put_element (i, TABLE, TEXT + i * 0x100);
      put_element (bad, BAD_TABLE, BAD_TEXT);
      int result = sframe_add_array ((const char *) ARRAY, 5, 32, 0);
      CHECK (result == (bad == 0 ? -EINVAL : (int) bad));
      CHECK (describes (0, BAD_TEXT));
      for (unsigned int i = 0; i < 5; ++i)
	CHECK (describes (i < bad ? TABLE : 0, TEXT + i * 0x100));
      end_process ();
    }
}

/* A second thread registers the same array, so that in it the ranges before a
   bad table are not new.  */
static void
test_array_again (void)
{
  start ();
  put_element (0, TABLE, TEXT);
  put_element (1, TABLE, TEXT + 0x100);
  put_element (2, BAD_TABLE, BAD_TEXT);
  CHECK (sframe_add_array ((const char *) ARRAY, 3, 32, 0) == 2);
  CHECK (sframe_add_array ((const char *) ARRAY, 3, 32, 0) == 2);
  CHECK (describes (TABLE, TEXT + 0x100) && describes (0, BAD_TEXT));
  end_process ();
}

#define CASE(name) { #name, test_##name }
static const struct test_case cases[] =
{
  CASE (one),
  CASE (first_range_only),
  CASE (rows),
  CASE (starts),
  CASE (functions_without_rules),
  CASE (order),
  CASE (array),
  CASE (array_again),
};

int
main (void)
{
  return run_cases (cases, ARRAY_SIZE (cases));
}
