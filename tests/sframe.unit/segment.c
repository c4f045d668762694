/* Which segment of an object has its table, and whether the file has all of it.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The program headers are made up.  Expected results are those of the comments
   in sysdeps/generic/sframe-segment.h.  */

#include <stdint.h>

#include <sframe-segment.h>

#include "check.h"

enum { COUNT = 4, OFFSET = 0x1000, START = 0x5000, SIZE = 0x800 };

/* A segment with code, one with data that has the table, and one without; the
   last has the table's place.  */
static ElfW(Phdr) headers[COUNT] = {
  { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = 0x1000,
    .p_filesz = 0x1000, .p_memsz = 0x1000 },
  { .p_type = PT_LOAD, .p_flags = PF_R, .p_offset = OFFSET, .p_vaddr = START,
    .p_filesz = SIZE, .p_memsz = 2 * SIZE },
  { .p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_vaddr = 0x9000,
    .p_filesz = 0x1000, .p_memsz = 0x1000 },
  { .p_type = PT_GNU_SFRAME, .p_flags = PF_R, .p_offset = OFFSET + 0x100,
    .p_vaddr = START + 0x100, .p_filesz = 0x200, .p_memsz = 0x200 },
};
static ElfW(Phdr) *const load = &headers[1];
static ElfW(Phdr) *const table = &headers[COUNT - 1];

static void
place (ElfW(Addr) start, uint64_t size)
{
  table->p_vaddr = start;
  table->p_memsz = size;
}

static bool
is_loaded (void)
{
  const ElfW(Phdr) *found = sframe_segment_load (headers, COUNT, table);

  CHECK (found == NULL || found == load);
  return found == load;
}

static void
header (void)
{
  CHECK (sframe_segment_find (headers, COUNT) == table);
  CHECK (sframe_segment_find (table, 1) == table);
  CHECK (sframe_segment_find (headers, COUNT - 1) == NULL);
  CHECK (sframe_segment_find (headers, 0) == NULL);
}

static void
inside (void)
{
  CHECK (is_loaded ());
  place (START, SIZE);
  CHECK (is_loaded ());
  place (START + SIZE - 1, 1);
  CHECK (is_loaded ());
  place (START + SIZE, 0);
  CHECK (is_loaded ());
}

static void
outside (void)
{
  place (START - 1, 1);
  CHECK (!is_loaded ());
  place (START, SIZE + 1);
  CHECK (!is_loaded ());
  /* Memory that is no part of the file.  */
  place (START + SIZE, 1);
  CHECK (!is_loaded ());
  place (START + SIZE + 1, 0);
  CHECK (!is_loaded ());
  place (START + 1, UINT64_MAX);
  CHECK (!is_loaded ());
  place (UINT64_MAX, 2);
  CHECK (!is_loaded ());
}

static void
other_segments (void)
{
  CHECK (sframe_segment_load (load, 1, table) == load);
  CHECK (sframe_segment_load (headers, 1, table) == NULL);
  load->p_flags = PF_W | PF_X;
  CHECK (!is_loaded ());
  load->p_flags = PF_R | PF_W | PF_X;
  CHECK (is_loaded ());
  load->p_type = PT_NOTE;
  CHECK (!is_loaded ());
}

static void
files (void)
{
  /* PT_GNU_SFRAME may have any offset.  */
  table->p_offset = UINT64_MAX;
  CHECK (sframe_segment_is_in_file (load, table, 0));
  CHECK (sframe_segment_is_in_file (load, table, OFFSET + 0x300));
  CHECK (!sframe_segment_is_in_file (load, table, OFFSET + 0x2ff));
  CHECK (!sframe_segment_is_in_file (load, table, OFFSET));
  CHECK (!sframe_segment_is_in_file (load, table, OFFSET - 1));
  CHECK (!sframe_segment_is_in_file (load, table, 1));
  place (START, 0);
  CHECK (sframe_segment_is_in_file (load, table, OFFSET));
  CHECK (!sframe_segment_is_in_file (load, table, OFFSET - 1));
}

static const struct test_case cases[] = {
  { "the header of a table", header },
  { "tables inside a segment", inside },
  { "tables outside of all segments", outside },
  { "segments without a table", other_segments },
  { "files that are cut off", files },
};

int
main (void)
{
  return run_cases (cases, sizeof cases / sizeof *cases);
}
