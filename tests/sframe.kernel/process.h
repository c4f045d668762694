/* A process with a table and some text ranges, for the tests of the registry.
   SPDX-License-Identifier: GPL-2.0-only

   Its memory is one array, and a mapping is a part of it.  Tables are written
   at the offsets of the specification, without the structures of the sources
   under test.  */

#ifndef PROCESS_H
#define PROCESS_H

#include <linux/sframe.h>
#include <stdio.h>
#include <stdlib.h>

#include "sframe.h"

#include "../sframe.unit/check.h"

/* From BASE on lies MEMORY.  */
enum { BASE = 0x10000, MEMORY = 0x80000 };
/* The smallest good table: header, one FDE, its attribute, one row of a byte
   of start, one of information and one of data.  */
enum { TABLE_SIZE = 28 + 16 + 5 + 3 };
/* Offsets in it.  */
enum
{
  OF_MAGIC = 0, OF_VERSION = 2, OF_FLAGS = 3, OF_ABI = 4, OF_FIXED_RA = 6,
  OF_AUXILIARY = 7, OF_FDES = 8, OF_FRES = 12, OF_FRE_LENGTH = 16,
  OF_FDE_OFFSET = 20, OF_FRE_OFFSET = 24, OF_FDE = 28, OF_ATTRIBUTE = 44,
  OF_ROW = 49
};

static unsigned char memory[MEMORY];
static struct mm_struct process;

static inline unsigned char *
at (unsigned long address)
{
  require (address - BASE < MEMORY, "an address in the test's memory");
  return memory + (address - BASE);
}

/* Write the WIDTH low bytes of VALUE, lowest first.  */
static inline void
poke (unsigned long address, uint64_t value, unsigned int width)
{
  for (unsigned int i = 0; i < width; ++i)
    *at (address + i) = value >> 8 * i;
}

/* Write a good table for the SIZE bytes at TEXT, whose only row has a CFA of
   SP + 16 and the RA below it.  */
static inline void
put_table (unsigned long table, unsigned long text, unsigned long size)
{
  memset (at (table), 0, TABLE_SIZE);
  poke (table + OF_MAGIC, 0xdee2, 2);
  poke (table + OF_VERSION, 3, 1);
  /* Sorted; starts count from their fields.  */
  poke (table + OF_FLAGS, 1 | 4, 1);
  poke (table + OF_ABI, 3, 1);
  poke (table + OF_FIXED_RA, -8, 1);
  poke (table + OF_FDES, 1, 4);
  poke (table + OF_FRES, 1, 4);
  poke (table + OF_FRE_LENGTH, 5 + 3, 4);
  poke (table + OF_FRE_OFFSET, 16, 4);
  poke (table + OF_FDE, text - (table + OF_FDE), 8);
  poke (table + OF_FDE + 8, size, 4);
  poke (table + OF_ATTRIBUTE, 1, 2);
  /* CFA based on SP, one word of a byte.  */
  poke (table + OF_ROW + 1, 1 | 1 << 1, 1);
  poke (table + OF_ROW + 2, 16, 1);
}

static inline struct vm_area_struct *
map (unsigned long start, unsigned long end, vm_flags_t flags)
{
  return machine_map (&process, start, end - start, flags, at (start));
}

/* Begin with a process that has no mappings, on a machine where all works.  */
static inline void
new_process (void)
{
  memset (&process, 0, offsetof (struct mm_struct, areas));
  sframe_init_mm (&process);
  current->mm = &process;
}

/* Whether TABLE is the table that describes IP; 0: no table does.  */
static inline bool
describes (unsigned long table, unsigned long ip)
{
  struct sframe_view view;

  if (!sframe_find_view (ip, &view))
    return table == 0;
  return table == view.start;
}

/* End the process; nothing may be left of it.  */
static inline void
end_process (void)
{
  CHECK (!process.locked);
  machine_exit (&process);
  rcu_barrier ();
  CHECK (machine.objects == 0);
}

#endif /* PROCESS_H  */
