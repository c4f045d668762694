/* Build .eh_frame_hdr and .eh_frame byte by byte, and read them at the edge of
   readable memory.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Numbers are those of the documents, not of sframe-dwarf.h: otherwise a
   mistake there would not be detected.  */

#ifndef EH_CRAFT_H
#define EH_CRAFT_H

#include <sframe-eh.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "check.h"

/* DWARF numbers of registers: REGISTERS are tracked, and COLUMNS have rules.
   The caller's SP is CFA + SP_OFFSET.  At the first instruction of a function
   the CFA is SP + ENTRY_CFA; it saves RA at CFA + RA_AT.  */
#if defined __x86_64__
enum { SAVED = 3, FP = 6, SP = 7, RA = 16, REGISTERS = 16, COLUMNS = 17 };
enum { SP_OFFSET = 0, ENTRY_CFA = 8, RA_AT = -8 };
#elif defined __s390x__
enum { SAVED = 8, FP = 11, SP = 15, RA = 14, REGISTERS = 32, COLUMNS = 32 };
enum { SP_OFFSET = -160, ENTRY_CFA = 160, RA_AT = -48 };
#endif
/* The same on both machines.  Calls may change the first three, and preserve
   the others, as they do SAVED.  */
enum { FREE0 = 0, FREE1 = 1, FREE4 = 4, SAVED12 = 12, SAVED13 = 13 };

/* The factors of the CIEs made here are unusual, so that a test fails if one
   is not applied.  */
enum { CODE_FACTOR = 2, DATA_FACTOR = -4 };

/* The two bytes of NUMBER: as SLEB128 from -8192 to 8191, as ULEB128 up to
   16383.  */
#define LEB(number) (((number) & 0x7f) | 0x80), ((number) >> 7 & 0x7f)

/* Encodings.  */
enum { ABSPTR = 0, SDATA2 = 10, SDATA4 = 11, SDATA8 = 12, UDATA4 = 3,
       ULEB = 1, SLEB = 9, PCREL = 0x10, DATAREL = 0x30, INDIRECT = 0x80,
       OMIT = 0xff };

/* The functions begin this far above the bytes.  */
enum { CODE = 0x10000 };
enum { BYTES_MAX = 1 << 20 };

static struct
{
  unsigned char bytes[BYTES_MAX];
  size_t size;
  /* The size of the table, which comes first.  */
  size_t table_size;
  /* The places of the first record, the last CIE and the last FDE.  */
  size_t records, cie, fde;
  /* The pointer encoding of the last CIE for its FDEs.  */
  unsigned int encoding;
  bool augmented;
  /* Where the bytes are while they are read.  */
  unsigned char *placed, *mapping;
  size_t mapping_size;
} craft;

static inline void
put (size_t at, uint64_t value, size_t width)
{
  union { uint8_t b; uint16_t h; uint32_t w; uint64_t d; } v;

  require (at + width <= BYTES_MAX, "room for bytes");
  switch (width)
    {
    case 1: v.b = value; break;
    case 2: v.h = value; break;
    case 4: v.w = value; break;
    default: v.d = value;
    }
  memcpy (craft.bytes + at, &v, width);
}

static inline void
emit (uint64_t value, size_t width)
{
  put (craft.size, value, width);
  craft.size += width;
}

static inline void
emit_bytes (const void *bytes, size_t size)
{
  require (craft.size + size <= BYTES_MAX, "room for bytes");
  if (size > 0)
    memcpy (craft.bytes + craft.size, bytes, size);
  craft.size += size;
}

/* Begin with a table for COUNT functions.  */
static inline void
begin (unsigned int count)
{
  memset (&craft, 0, sizeof craft);
  emit (1, 1);
  emit (PCREL | SDATA4, 1);
  emit (UDATA4, 1);
  emit (DATAREL | SDATA4, 1);
  emit (0, 4);
  emit (count, 4);
  craft.table_size = craft.size;
  craft.size += 8 * count;
  craft.records = craft.size;
}

/* Set the length of the record that begins at START.  */
static inline void
end_record (size_t start)
{
  put (start, craft.size - start - 4, 4);
}

/* Append a CIE with the string AUGMENTATION, its data DATA, and PROGRAM.  */
static inline void
cie_full (unsigned int version, const char *augmentation,
	  const void *data, size_t data_size,
	  const void *program, size_t program_size)
{
  craft.cie = craft.size;
  emit (0, 4);
  emit (0, 4);
  emit (version, 1);
  emit_bytes (augmentation, strlen (augmentation) + 1);
  emit (CODE_FACTOR, 1);
  emit (DATA_FACTOR & 0x7f, 1);
  emit (RA, 1);
  craft.augmented = *augmentation == 'z';
  if (craft.augmented)
    {
      emit (data_size, 1);
      emit_bytes (data, data_size);
    }
  emit_bytes (program, program_size);
  end_record (craft.cie);
}

/* The rules of nearly all CIEs: the CFA of a function's first instruction, and
   RA where functions save it.  */
static const unsigned char usual[]
  = { 0x0c, SP, LEB (ENTRY_CFA), 0x80 | RA, RA_AT / DATA_FACTOR };

static inline void
cie (unsigned int encoding)
{
  unsigned char data = encoding;

  craft.encoding = encoding;
  cie_full (1, "zR", &data, 1, usual, sizeof usual);
}

/* Append NUMBER in FORMAT.  */
static inline void
emit_formatted (uint64_t number, unsigned int format)
{
  switch (format & 0xf)
    {
    case SDATA2: emit (number, 2); break;
    case UDATA4: case SDATA4: emit (number, 4); break;
    case ULEB: case SLEB:
      for (int i = 0; i < 9; ++i)
	emit ((number >> 7 * i & 0x7f) | 0x80, 1);
      emit (number >> 63 ? (format & 0xf) == SLEB ? 0x7f : 1 : 0, 1);
      break;
    default: emit (number, 8);
    }
}

/* Append an FDE for the SIZE bytes at CODE + START with PROGRAM and let pair
   number INDEX of the table lead to it.  */
static inline void
fde (unsigned int index, uint64_t start, uint64_t size,
     const void *program, size_t program_size)
{
  craft.fde = craft.size;
  put (craft.table_size + 8 * index, CODE + start, 4);
  put (craft.table_size + 8 * index + 4, craft.fde, 4);
  emit (0, 4);
  emit (craft.size - craft.cie, 4);
  uint64_t origin = (craft.encoding & 0x70) == PCREL ? craft.size : 0;
  emit_formatted (CODE + start - origin, craft.encoding);
  emit_formatted (size, craft.encoding);
  if (craft.augmented)
    emit (0, 1);
  emit_bytes (program, program_size);
  end_record (craft.fde);
}

/* One function of 100 bytes with PROGRAM.  */
static inline void
one_function (const void *program, size_t size)
{
  begin (1);
  cie (PCREL | SDATA4);
  fde (0, 0, 100, program, size);
}

/* Copy the bytes to where the first one beyond them is not readable.  */
static inline void
place (void)
{
  size_t page = sysconf (_SC_PAGESIZE);
  size_t inside = (craft.size + page - 1) / page * page;

  if (craft.mapping != NULL)
    munmap (craft.mapping, craft.mapping_size);
  craft.mapping_size = inside + 2 * page;
  craft.mapping = mmap (NULL, craft.mapping_size, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require (craft.mapping != MAP_FAILED, "mmap");
  require (mprotect (craft.mapping + page, inside,
		     PROT_READ | PROT_WRITE) == 0, "mprotect");
  craft.placed = craft.mapping + page + inside - craft.size;
  memcpy (craft.placed, craft.bytes, craft.size);
}

/* The address of byte PC of the code.  */
static inline uintptr_t
code (uint64_t pc)
{
  return (uintptr_t) craft.placed + CODE + pc;
}

/* Look for byte PC of the code.  The bytes are placed anew.  */
static inline enum sframe_eh_status
find (uint64_t pc, struct sframe_eh_entry *entry)
{
  place ();
  struct sframe_eh_table table
    = { .header = craft.placed, .header_size = craft.size,
	.memory = { craft.placed, craft.placed + craft.size } };
  return __sframe_eh_find (&table, code (pc), entry);
}

/* The same without the table, from the first record on.  */
static inline enum sframe_eh_status
scan (uint64_t pc, struct sframe_eh_entry *entry)
{
  place ();
  struct sframe_eh_table table
    = { .memory = { craft.placed, craft.placed + craft.size },
	.records = craft.placed + craft.records };
  return __sframe_eh_find (&table, code (pc), entry);
}

static inline enum sframe_eh_status
find_row (uint64_t pc, struct sframe_eh_row *row)
{
  struct sframe_eh_entry entry;
  enum sframe_eh_status status = find (pc, &entry);

  memset (row, 0xa5, sizeof *row);
  return (status == SFRAME_EH_OK
	  ? __sframe_eh_find_row (&entry, code (pc), row) : status);
}

#endif /* EH_CRAFT_H  */
