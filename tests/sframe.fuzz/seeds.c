/* Cut small tables out of ELF files, as first inputs of a fuzzer.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: seeds sframe|eh FILE COUNT DIR

   Writes COUNT files to DIR, each of which is a table of a few functions of
   FILE.  A third of the SFrame tables begins with a function of flexible type,
   as long as there are any.  Tables of s390x are converted to the byte order
   of this machine, on which the readers run.

   The functions begin at CODE, relative to the start of the table, and are
   CODE_SIZE apart, as the fuzz targets assume.  */

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CODE = 0x100000, CODE_SIZE = 0x10000, FUNCTIONS = 3, SEED_MAX = 4096 };
enum { PT_SFRAME = 0x6474e554 };

/* Sizes of the parts of SFrame, .eh_frame_hdr and .eh_frame.  */
enum { HEADER = 28, FDE = 16, ATTRIBUTE = 5, EH_HEADER = 12, PAIR = 8 };
enum { PCREL_SDATA4 = 0x1b, DATAREL_SDATA4 = 0x3b, UDATA4 = 3 };
/* The kind of a function, in the second information byte of its attribute.  */
enum { INFO2 = 3, FLEXIBLE = 1 };

static unsigned char *file;
static size_t file_size;
static bool swapped;

static unsigned char seed[SEED_MAX];
static size_t seed_size;

static void
give_up (const char *what)
{
  fprintf (stderr, "seeds: %s\n", what);
  exit (EXIT_FAILURE);
}

/* The number of WIDTH bytes at AT, in the byte order of the file.  */
static uint64_t
number (const unsigned char *at, size_t width)
{
  uint64_t value = 0;

  if (at < file || at + width > file + file_size)
    give_up ("the file is cut");
  for (size_t i = 0; i < width; ++i)
    value |= (uint64_t) at[swapped ? width - 1 - i : i] << 8 * i;
  return value;
}

/* Write it to offset AT of the seed, in this machine's order.  */
static void
put (size_t at, uint64_t value, size_t width)
{
  if (at + width > SEED_MAX)
    give_up ("the seed is too large");
  memcpy (seed + at, &value, width);
}

static void
append (const unsigned char *from, size_t width)
{
  put (seed_size, number (from, width), width);
  seed_size += width;
}

static void
read_file (const char *name)
{
  FILE *stream = fopen (name, "rb");

  if (stream == NULL || fseek (stream, 0, SEEK_END) != 0)
    give_up (strerror (errno));
  file_size = ftell (stream);
  file = malloc (file_size);
  rewind (stream);
  if (fread (file, 1, file_size, stream) != file_size
      || file_size < sizeof (Elf64_Ehdr) || memcmp (file, ELFMAG, SELFMAG) != 0
      || file[EI_CLASS] != ELFCLASS64)
    give_up ("not a 64-bit ELF file");
  fclose (stream);
  swapped = file[EI_DATA] != ELFDATA2LSB;
}

static uint64_t
field (const unsigned char *header, size_t offset, size_t width)
{
  return number (header + offset, width);
}

#define FIELD(type, header, name)					\
  field (header, offsetof (type, name), sizeof ((type *) 0)->name)

/* The program header number INDEX; null after the last one.  */
static const unsigned char *
segment (unsigned int index)
{
  if (index >= FIELD (Elf64_Ehdr, file, e_phnum))
    return NULL;
  return (file + FIELD (Elf64_Ehdr, file, e_phoff)
	  + index * sizeof (Elf64_Phdr));
}

/* Where the file has the byte of address ADDRESS.  */
static const unsigned char *
at_address (uint64_t address)
{
  const unsigned char *header;

  for (unsigned int i = 0; (header = segment (i)) != NULL; ++i)
    if (FIELD (Elf64_Phdr, header, p_type) == PT_LOAD
	&& address - FIELD (Elf64_Phdr, header, p_vaddr)
	   < FIELD (Elf64_Phdr, header, p_filesz))
      return (file + FIELD (Elf64_Phdr, header, p_offset)
	      + (address - FIELD (Elf64_Phdr, header, p_vaddr)));
  give_up ("an address outside the file");
  return NULL;
}

/* The address of the segment of type TYPE.  */
static uint64_t
address_of (uint32_t type)
{
  const unsigned char *header;

  for (unsigned int i = 0; (header = segment (i)) != NULL; ++i)
    if (FIELD (Elf64_Phdr, header, p_type) == type)
      return FIELD (Elf64_Phdr, header, p_vaddr);
  give_up ("the file has no such table");
  return 0;
}

/* Append the attribute and the rows at FROM.  */
static void
append_rows (const unsigned char *from)
{
  unsigned int rows = number (from, 2), address = 1 << (from[2] & 15);

  append (from, 2);
  for (int i = 2; i < ATTRIBUTE; ++i)
    append (from + i, 1);
  for (from += ATTRIBUTE; rows > 0; --rows)
    {
      unsigned int info = from[address];
      unsigned int words = info >> 1 & 15, width = 1 << (info >> 5 & 3);
      append (from, address);
      append (from + address, 1);
      for (from += address + 1; words > 0; --words, from += width)
	append (from, width);
    }
}

/* Make a seed of the SFrame functions of TABLE from number FIRST on.  */
static void
cut_sframe (const unsigned char *table, uint32_t first)
{
  const unsigned char *fdes = table + HEADER + number (table + 20, 4);
  const unsigned char *fres = table + HEADER + number (table + 24, 4);
  size_t rows_at = HEADER + FUNCTIONS * FDE;
  unsigned int rows = 0;

  seed_size = 0;
  append (table, 2);
  for (int i = 2; i < 8; ++i)
    append (table + i, 1);
  seed_size = rows_at;
  for (unsigned int i = 0; i < FUNCTIONS; ++i)
    {
      const unsigned char *fde = fdes + (first + i) * FDE;
      const unsigned char *attribute = fres + number (fde + 12, 4);
      uint32_t size = number (fde + 8, 4);
      size_t at = HEADER + i * FDE;
      put (at, CODE + i * CODE_SIZE - at, 8);
      put (at + 8, size < CODE_SIZE ? size : CODE_SIZE, 4);
      put (at + 12, seed_size - rows_at, 4);
      rows += number (attribute, 2);
      append_rows (attribute);
    }
  put (8, FUNCTIONS, 4);
  put (12, rows, 4);
  put (16, seed_size - rows_at, 4);
  put (20, 0, 4);
  put (24, FUNCTIONS * FDE, 4);
}

/* Append the .eh_frame record at FROM, and return its offset.  */
static size_t
append_record (const unsigned char *from)
{
  size_t at = seed_size, size = 4 + number (from, 4);

  append (from, 4);
  for (size_t i = 4; i < size; ++i)
    append (from + i, 1);
  return at;
}

/* Make a seed of the .eh_frame functions of TABLE, the header at ADDRESS.  */
static void
cut_eh (const unsigned char *table, uint64_t address, uint32_t first)
{
  seed_size = EH_HEADER + FUNCTIONS * PAIR;
  memset (seed, 0, seed_size);
  memcpy (seed, (unsigned char[]) { 1, PCREL_SDATA4, UDATA4, DATAREL_SDATA4 },
	  4);
  put (8, FUNCTIONS, 4);
  for (unsigned int i = 0; i < FUNCTIONS; ++i)
    {
      const unsigned char *pair = table + EH_HEADER + (first + i) * PAIR;
      uint64_t where = address + (int32_t) number (pair + 4, 4);
      const unsigned char *fde = at_address (where);
      const unsigned char *cie = at_address (where + 4 - number (fde + 4, 4));
      uint32_t size = number (fde + 12, 4), code = CODE + i * CODE_SIZE;
      size_t cie_at = append_record (cie), fde_at = append_record (fde);
      put (fde_at + 4, fde_at + 4 - cie_at, 4);
      put (fde_at + 8, code - (fde_at + 8), 4);
      put (fde_at + 12, size < CODE_SIZE ? size : CODE_SIZE, 4);
      put (EH_HEADER + i * PAIR, code, 4);
      put (EH_HEADER + i * PAIR + 4, fde_at, 4);
    }
  /* The end of the records.  */
  put (seed_size, 0, 4);
  seed_size += 4;
}

/* The number of the SFrame function from FIRST on that has flexible rules; the
   last from which a seed can be cut if there is none.  */
static uint32_t
find_flexible (const unsigned char *table, uint32_t first, uint32_t last)
{
  const unsigned char *fdes = table + HEADER + number (table + 20, 4);
  const unsigned char *fres = table + HEADER + number (table + 24, 4);

  for (; first < last; ++first)
    {
      const unsigned char *attribute
	= fres + number (fdes + first * FDE + 12, 4);
      if (number (attribute + INFO2, 1) == FLEXIBLE)
	break;
    }
  return first;
}

/* Several files, of x86-64 and s390x, may have their seeds in DIR.  */
static void
write_seed (const char *dir, const char *origin, unsigned int index)
{
  const char *slash = strrchr (origin, '/');
  char name[4096];

  snprintf (name, sizeof name, "%s/%s-%u-%u", dir,
	    slash == NULL ? origin : slash + 1, index, swapped);
  FILE *stream = fopen (name, "wb");
  if (stream == NULL || fwrite (seed, 1, seed_size, stream) != seed_size
      || fclose (stream) != 0)
    give_up (strerror (errno));
}

int
main (int argc, char **argv)
{
  if (argc != 5)
    give_up ("usage: seeds sframe|eh FILE COUNT DIR");
  bool sframe = strcmp (argv[1], "sframe") == 0;
  uint32_t count = strtoul (argv[3], NULL, 10);
  read_file (argv[2]);
  uint64_t address = address_of (sframe ? PT_SFRAME : PT_GNU_EH_FRAME);
  const unsigned char *table = at_address (address);
  uint32_t functions = number (table + 8, 4);
  if (functions < FUNCTIONS || count == 0)
    give_up ("too few functions");
  for (uint32_t i = 0; i < count; ++i)
    {
      uint32_t last = functions - FUNCTIONS;
      uint32_t first = (uint64_t) last * i / count;
      if (sframe)
	cut_sframe (table, i % 3 == 0 ? find_flexible (table, first, last)
			   : first);
      else
	cut_eh (table, address, first);
      write_seed (argv[4], argv[2], i);
    }
  return 0;
}
