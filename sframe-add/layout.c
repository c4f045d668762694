/* Add a table to an ELF file that was linked without one.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-add.h.

   All bytes of the file stay in place, except the ELF header and perhaps the
   program headers.  After them comes one segment, at addresses above all
   others:

     program headers, if they are moved | end | table

   and data that is not loaded:

     names of sections | section headers | origin

   The new program headers are PT_LOAD and PT_GNU_SFRAME.  If possible they
   take the places of two that nobody needs: then the program headers stay in
   the first page of the file, where Linux before 5.18 and eu-strip expect
   them, and which core dumps have.  The new section headers, if the file has
   section headers, are .sframe.end, .sframe and .sframe.origin.  The end is a
   few zero bytes that keep the segment in place when strip removes .sframe.
   The origin has the old program headers, ELF header and file size, to restore
   the old file, and a hash of everything before it, to detect later
   changes.  */

#include <sframe-format.h>
#include <stdlib.h>
#include <string.h>

#include "cfi.h"

#ifndef SHT_GNU_SFRAME
# define SHT_GNU_SFRAME 0x6ffffff4
#endif

/* The alignment of program headers and tables.  */
#define ALIGN UINT64_C (8)

/* The largest gap left in a file, see needs_same_distance.  It takes no space
   on disk, but it does in archives and in copies that are not sparse.  */
#define GAP_MAX (UINT64_C (64) << 20)

/* The last bytes of a converted file.  */
static const char origin_magic[8] = { 'S', 'F', 'r', 'a', 'm', 'e', '+', '2' };
/* The origin without the program headers.  */
#define ORIGIN_SIZE (sizeof (Elf64_Ehdr) + 8 + 8 + sizeof origin_magic)

static size_t
origin_size (const struct object *object)
{
  return object->segment_count * sizeof (Elf64_Phdr) + ORIGIN_SIZE;
}

/* How many sections are added.  */
enum { NEW_SECTIONS = 3 };

/* How many zero bytes are between program headers and table.  */
enum { END_SIZE = 8 };

/* The position of the new segment and of the table.  */
struct layout
{
  uint64_t offset;		/* Of the segment in the file.  */
  uint64_t address;
  uint64_t table;		/* Of the table in the segment.  */
  uint64_t size;		/* Of the segment.  */
  size_t count;			/* Of program headers.  */
  /* For each old program header, whether a new one takes its place; null if
     the program headers are moved.  */
  bool *spare;
};

static uint64_t
round_up (uint64_t value, uint64_t to)
{
  return (value + to - 1) & -to;
}

/* The first number from START on that is congruent to NUMBER modulo PAGE, a
   power of two.  */
static uint64_t
next_congruent (uint64_t start, uint64_t number, uint64_t page)
{
  return start + ((number - start) & (page - 1));
}

/* The end address of all segments.  *DISTANCE becomes the address minus the
   file offset in the first segment; *BYTES the end in the file of the last
   segment that has bytes there.  */
static uint64_t
segments_end (const struct object *object, uint64_t *distance,
	      uint64_t *bytes)
{
  uint64_t end = 0;
  bool first = true;

  *distance = *bytes = 0;
  for (size_t i = 0; i < object->segment_count; ++i)
    {
      const GElf_Phdr *segment = &object->segments[i];
      if (segment->p_type != PT_LOAD)
	continue;
      if (first)
	*distance = segment->p_vaddr - segment->p_offset;
      first = false;
      if (segment->p_filesz > 0)
	*bytes = segment->p_offset + segment->p_filesz;
      if (segment->p_vaddr + segment->p_memsz > end)
	end = segment->p_vaddr + segment->p_memsz;
    }
  return end;
}

/* Whether the program headers of OBJECT must have the same distance from its
   first segment in memory as in the file: ld.so assumes that for itself, and
   Linux before 5.18 for programs (AT_PHDR).  ld.so and static programs do not
   start with a wrong AT_PHDR.  For a library, ld.so uses e_phoff.  */
static bool
needs_same_distance (const struct object *object)
{
  return (object->header.e_type == ET_EXEC || object->header.e_entry != 0
	  || object_segment (object, PT_INTERP) != NULL
	  || object_segment (object, PT_DYNAMIC) == NULL);
}

/* Whether SEGMENT is one note of GNU, of TYPE.  Store its DESCRIPTION.  */
static bool
is_note (const struct object *object, const GElf_Phdr *segment,
	 unsigned int type, struct cursor *description)
{
  const struct buffer *file = &object->file;

  if (segment->p_offset > file->size
      || segment->p_filesz > file->size - segment->p_offset)
    return false;
  const unsigned char *start = file->data + segment->p_offset;
  struct cursor cursor = { start, start + segment->p_filesz,
			   object->machine->big_endian, false };
  unsigned int name_size = read_unsigned (&cursor, 4);
  unsigned int size = read_unsigned (&cursor, 4);
  bool same_type = read_unsigned (&cursor, 4) == type;
  struct cursor name = read_block (&cursor, sizeof ELF_NOTE_GNU);
  *description = read_block (&cursor, size);
  return (!cursor.failed && cursor.at == cursor.end && same_type
	  && name_size == sizeof ELF_NOTE_GNU
	  && memcmp (name.at, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0);
}

/* Whether the properties in SEGMENT only say that each x86-64 processor will
   do.  */
static bool
is_baseline (const struct object *object, const GElf_Phdr *segment)
{
  struct cursor words;

  if (!is_note (object, segment, NT_GNU_PROPERTY_TYPE_0, &words))
    return false;
  unsigned int type = read_unsigned (&words, 4);
  unsigned int size = read_unsigned (&words, 4);
  unsigned int value = read_unsigned (&words, 4);
  read_unsigned (&words, 4);
  return (!words.failed && words.at == words.end && size == 4 && value == 1
	  && type == GNU_PROPERTY_X86_ISA_1_NEEDED
	  && object->header.e_machine == EM_X86_64);
}

/* Program headers that nobody needs, those first that say least: a PT_NOTE
   that PT_GNU_PROPERTY repeats, which ld.so prefers; the ABI tag, which names
   the oldest Linux version; properties without any demand.  */
enum spare { SPARE_REPEATED, SPARE_ABI_TAG, SPARE_BASELINE, NOT_SPARE };

static enum spare
classify (const struct object *object, const GElf_Phdr *segment)
{
  const GElf_Phdr *properties = object_segment (object, PT_GNU_PROPERTY);
  struct cursor unused;

  if (segment == properties)
    return is_baseline (object, segment) ? SPARE_BASELINE : NOT_SPARE;
  if (segment->p_type != PT_NOTE)
    return NOT_SPARE;
  if (properties != NULL && segment->p_offset == properties->p_offset
      && segment->p_filesz == properties->p_filesz)
    return SPARE_REPEATED;
  return (is_note (object, segment, NT_GNU_ABI_TAG, &unused)
	  ? SPARE_ABI_TAG : NOT_SPARE);
}

/* Find program headers that the new ones can replace.  If there are not
   enough, LAYOUT->spare stays null.  */
static void
choose_spare (const struct object *object, struct layout *layout)
{
  size_t capacity = 0, count = object->segment_count;
  bool *spare = grow (NULL, &capacity, count, sizeof *spare);
  size_t needed = layout->count - count;

  memset (spare, 0, count * sizeof *spare);
  for (enum spare kind = SPARE_REPEATED; kind < NOT_SPARE; ++kind)
    for (size_t i = 0; i < count && needed > 0; ++i)
      if (classify (object, &object->segments[i]) == kind)
	{
	  spare[i] = true;
	  --needed;
	}
  if (needed > 0)
    {
      free (spare);
      return;
    }
  layout->spare = spare;
  layout->count = count;
}

/* Choose the address and the file offset of the segment.  Higher addresses
   cost nothing; a gap in the file is a hole, see write_all.

   GNU strip before 2.44 and llvm-strip put the program headers right after
   the bytes of the preceding segment, whatever the alignment there, and move
   the start of the new segment down to an address that is congruent to this
   offset.  Take such an address at once: otherwise the page below, which has
   the end of .bss, would be mapped from the file.  */
static const char *
choose_place (const struct object *object, struct layout *layout)
{
  uint64_t distance, bytes, end = segments_end (object, &distance, &bytes);
  uint64_t padding = -bytes & (ALIGN - 1), page = object->machine->page;

  if (end > INT64_MAX || object->file.size > INT64_MAX)
    return "its addresses are too high";
  layout->offset = next_congruent (object->file.size, bytes, page) + padding;
  layout->address = (next_congruent (round_up (end, page), bytes, page)
		     + padding);
  if (layout->spare != NULL || !needs_same_distance (object))
    return NULL;
  /* DISTANCE may be negative.  */
  uint64_t wanted = layout->address - distance;
  if (wanted < layout->offset)
    layout->address = layout->offset + distance;
  else if (wanted - layout->offset <= GAP_MAX)
    layout->offset = wanted;
  else
    return ("its memory is over 64 MiB larger than the file:"
	    " Linux before 5.18 could not start it");
  return NULL;
}

/* Whether data that no header describes follows the ELF file, such as an
   appended archive, which its reader expects at the end of the file.  */
static bool
has_more (const struct object *object)
{
  const struct buffer *file = &object->file;
  uint64_t end = (object->header.e_phoff
		  + object->segment_count * sizeof (Elf64_Phdr));
  size_t count;
  GElf_Shdr section;

  for (size_t i = 0; i < object->segment_count; ++i)
    if (object->segments[i].p_offset + object->segments[i].p_filesz > end)
      end = object->segments[i].p_offset + object->segments[i].p_filesz;
  if (elf_getshdrnum (object->elf, &count) != 0)
    count = 0;
  if (count > 0 && object->header.e_shoff + count * sizeof (Elf64_Shdr) > end)
    end = object->header.e_shoff + count * sizeof (Elf64_Shdr);
  for (size_t i = 0; i < count; ++i)
    if (gelf_getshdr (elf_getscn (object->elf, i), &section) != NULL
	&& section.sh_type != SHT_NOBITS
	&& section.sh_offset <= file->size
	&& section.sh_offset + section.sh_size > end)
      end = section.sh_offset + section.sh_size;
  while (end < file->size && file->data[end] == 0)
    ++end;
  return end < file->size;
}

/* Append COUNT headers of TYPE, SIZE bytes each, to OUT in file format.  */
static void
put_headers (struct buffer *out, void *headers, Elf_Type type, size_t size,
	     size_t count)
{
  Elf_Data from = { .d_buf = headers, .d_type = type, .d_version = EV_CURRENT,
		    .d_size = size * count };
  size_t at = out->size;

  put_zeros (out, size * count);
  Elf_Data to = from;
  to.d_buf = out->data + at;
  elf64_xlatetof (&to, &from, out->big_endian ? ELFDATA2MSB : ELFDATA2LSB);
}

/* Update SEGMENT if it is PT_PHDR and the program headers are moved.  */
static void
change_segment (const struct layout *layout, size_t headers_size,
		GElf_Phdr *segment)
{
  if (segment->p_type != PT_PHDR || layout->spare != NULL)
    return;
  segment->p_offset = layout->offset;
  segment->p_vaddr = segment->p_paddr = layout->address;
  segment->p_filesz = segment->p_memsz = headers_size;
}

/* Align SEGMENT, which ld -n or -N has aligned to less, to a page if the file
   already is.  Where no program headers precede the first segment, strip may
   otherwise move it in the file, and the kernel cannot map it then.  */
static void
align_segment (const struct object *object, const struct layout *layout,
	       GElf_Phdr *segment)
{
  uint64_t page = object->machine->page;

  if (segment->p_type == PT_LOAD && layout->spare == NULL
      && segment->p_align < page
      && (segment->p_offset - segment->p_vaddr) % page == 0)
    segment->p_align = page;
}

/* The alignment of the new segment: a page, if its address and its offset allow
   that.  They do not if they have the same distance as those of the first
   segment, which the linker has aligned to less.  */
static uint64_t
new_alignment (const struct object *object, const struct layout *layout)
{
  uint64_t distance = layout->address - layout->offset;
  uint64_t page = object->machine->page;

  return distance % page == 0 ? page : distance & -distance;
}

/* Append the program headers; PT_LOAD must be in ascending order.  */
static void
put_segments (const struct object *object, const struct layout *layout,
	      struct buffer *out)
{
  size_t capacity = 0, used = 0, last = 0;
  GElf_Phdr *headers = grow (NULL, &capacity, layout->count, sizeof *headers);
  GElf_Phdr load
    = { .p_type = PT_LOAD, .p_flags = PF_R, .p_offset = layout->offset,
	.p_vaddr = layout->address, .p_paddr = layout->address,
	.p_filesz = layout->size, .p_memsz = layout->size,
	.p_align = new_alignment (object, layout) };
  GElf_Phdr table = load;

  for (size_t i = 0; i < object->segment_count; ++i)
    if (object->segments[i].p_type == PT_LOAD)
      last = i;
  for (size_t i = 0; i < object->segment_count; ++i)
    {
      if (object->segments[i].p_type == PT_GNU_SFRAME
	  || (layout->spare != NULL && layout->spare[i]))
	continue;
      headers[used] = object->segments[i];
      align_segment (object, layout, &headers[used]);
      change_segment (layout, layout->count * sizeof *headers,
		      &headers[used++]);
      if (i == last)
	headers[used++] = load;
    }
  table.p_type = PT_GNU_SFRAME;
  table.p_offset += layout->table;
  table.p_vaddr += layout->table;
  table.p_paddr = table.p_vaddr;
  table.p_filesz -= layout->table;
  table.p_memsz = table.p_filesz;
  table.p_align = ALIGN;
  headers[used++] = table;
  put_headers (out, headers, ELF_T_PHDR, sizeof *headers, used);
  free (headers);
}

/* The old section headers, and room for the new ones.  */
static GElf_Shdr *
read_sections (const struct object *object, size_t count)
{
  size_t capacity = 0;
  GElf_Shdr *sections = grow (NULL, &capacity, count + NEW_SECTIONS,
			       sizeof *sections);

  for (size_t i = 0; i < count; ++i)
    if (gelf_getshdr (elf_getscn (object->elf, i), &sections[i]) == NULL)
      {
	free (sections);
	return NULL;
      }
  return sections;
}

/* The names of the new sections.  */
static const struct
{
  char end[sizeof ".sframe.end"];
  char table[sizeof ".sframe"];
  char origin[sizeof ".sframe.origin"];
  char old[sizeof ".sframe.old"];
} new_names = { ".sframe.end", ".sframe", ".sframe.origin", ".sframe.old" };

/* Append the old and the new section names to OUT and update SECTION, the
   header of the names.  Return the offset of the new names.  */
static GElf_Word
put_names (const struct object *object, GElf_Shdr *section,
	   struct buffer *out)
{
  GElf_Word ours = section->sh_size;

  size_t start = out->size;
  put_bytes (out, object->file.data + section->sh_offset, ours);
  put_bytes (out, &new_names, sizeof new_names);
  section->sh_offset = start;
  section->sh_size += sizeof new_names;
  return ours;
}

/* Write the headers of the COUNT old SECTIONS and of the new ones, whose names
   begin at offset NAMES.  An old table is renamed to .sframe.old.  */
static void
put_section_headers (const struct object *object, const struct layout *layout,
		     GElf_Shdr *sections, size_t count, GElf_Word names,
		     struct buffer *out)
{
  for (size_t i = 0; i < count; ++i)
    if (sections[i].sh_type == SHT_GNU_SFRAME)
      {
	sections[i].sh_type = SHT_PROGBITS;
	sections[i].sh_name = names + offsetof (typeof (new_names), old);
      }
  GElf_Shdr *new = sections + count;
  count += NEW_SECTIONS;
  new[0] = (GElf_Shdr)
    { .sh_name = names + offsetof (typeof (new_names), end),
      .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC,
      .sh_addr = layout->address + layout->table - END_SIZE,
      .sh_offset = layout->offset + layout->table - END_SIZE,
      .sh_size = END_SIZE, .sh_addralign = ALIGN };
  new[1] = (GElf_Shdr)
    { .sh_name = names + offsetof (typeof (new_names), table),
      .sh_type = SHT_GNU_SFRAME, .sh_flags = SHF_ALLOC,
      .sh_addr = layout->address + layout->table,
      .sh_offset = layout->offset + layout->table,
      .sh_size = layout->size - layout->table,
      .sh_addralign = ALIGN };
  new[2] = (GElf_Shdr)
    { .sh_name = names + offsetof (typeof (new_names), origin),
      .sh_type = SHT_PROGBITS,
      .sh_offset = out->size + count * sizeof (Elf64_Shdr),
      .sh_size = origin_size (object), .sh_addralign = 1 };
  put_headers (out, sections, ELF_T_SHDR, sizeof (Elf64_Shdr), count);
}

/* Whether the file of OBJECT has all of STRINGS.  */
static bool
has_strings (const struct object *object, const GElf_Shdr *strings)
{
  return (strings->sh_type == SHT_STRTAB
	  && strings->sh_offset <= object->file.size
	  && strings->sh_size <= object->file.size - strings->sh_offset
	  && strings->sh_size <= INT32_MAX);
}

/* Append section headers to OUT, if there were any, and update *HEADER.  */
static const char *
put_sections (const struct object *object, const struct layout *layout,
	      GElf_Ehdr *header, struct buffer *out)
{
  size_t count, names;
  const char *why = NULL;

  if (elf_getshdrnum (object->elf, &count) != 0
      || elf_getshdrstrndx (object->elf, &names) != 0)
    return message ("damaged section headers: %s", elf_errmsg (-1));
  if (count == 0 || object->header.e_shoff == 0)
    return NULL;
  if (count + NEW_SECTIONS >= SHN_LORESERVE)
    return "it has too many sections";
  GElf_Shdr *sections = read_sections (object, count);
  if (sections == NULL)
    return message ("damaged section headers: %s", elf_errmsg (-1));
  if (names >= count || !has_strings (object, &sections[names]))
    why = "damaged section headers: the names are not in the file";
  else
    {
      GElf_Word ours = put_names (object, &sections[names], out);
      put_zeros (out, -out->size & (ALIGN - 1));
      header->e_shoff = out->size;
      header->e_shnum = count + NEW_SECTIONS;
      put_section_headers (object, layout, sections, count, ours, out);
    }
  free (sections);
  return why;
}

/* FNV-1a of the first SIZE bytes of FILE.  It detects changes by strip and
   similar tools, not by an attacker.  */
static uint64_t
hash (const struct buffer *file, size_t size)
{
  uint64_t value = UINT64_C (0xcbf29ce484222325);

  for (size_t i = 0; i < size; ++i)
    value = (value ^ file->data[i]) * UINT64_C (0x100000001b3);
  return value;
}

/* Append the origin to OUT, which is otherwise complete.  */
static void
put_origin (const struct object *object, struct buffer *out)
{
  uint64_t value = hash (out, out->size);

  put_bytes (out, object->file.data + object->header.e_phoff,
	     origin_size (object) - ORIGIN_SIZE);
  put_bytes (out, object->file.data, sizeof (Elf64_Ehdr));
  put_number (out, object->file.size, 8);
  put_number (out, value, 8);
  put_bytes (out, origin_magic, sizeof origin_magic);
}

/* Append the segment to OUT, write the program headers, and complete *LAYOUT.
   The table is written first, since the program headers contain its size.  */
static const char *
put_segment (const struct object *object, const struct conversion *conversion,
	     struct layout *layout, struct buffer *out)
{
  struct buffer table = { .big_endian = out->big_endian };
  struct buffer headers = { .big_endian = out->big_endian };

  put_zeros (out, layout->offset - out->size);
  layout->table = END_SIZE;
  if (layout->spare == NULL)
    layout->table += round_up (layout->count * sizeof (Elf64_Phdr), ALIGN);
  const char *why = table_write (object, conversion,
				 layout->address + layout->table, &table);
  layout->size = layout->table + table.size;
  put_segments (object, layout, &headers);
  if (layout->spare != NULL)
    memcpy (out->data + object->header.e_phoff, headers.data, headers.size);
  else
    put_bytes (out, headers.data, headers.size);
  put_zeros (out, layout->offset + layout->table - out->size);
  put_bytes (out, table.data, table.size);
  free (headers.data);
  free (table.data);
  return why;
}

/* Append all that LAYOUT says to OUT, which has the old file.  */
static const char *
put_all (const struct object *object, const struct conversion *conversion,
	 struct layout *layout, struct buffer *out)
{
  struct buffer header = { .big_endian = out->big_endian };
  GElf_Ehdr changed = object->header;
  const char *why = put_segment (object, conversion, layout, out);

  if (why == NULL)
    why = put_sections (object, layout, &changed, out);
  if (layout->spare == NULL)
    changed.e_phoff = layout->offset;
  changed.e_phnum = layout->count;
  put_headers (&header, &changed, ELF_T_EHDR, sizeof (Elf64_Ehdr), 1);
  memcpy (out->data, header.data, header.size);
  free (header.data);
  put_origin (object, out);
  return why;
}

/* The number of tables that OBJECT has.  A damaged file may have several.  */
static size_t
count_tables (const struct object *object)
{
  size_t count = 0;

  for (size_t i = 0; i < object->segment_count; ++i)
    count += object->segments[i].p_type == PT_GNU_SFRAME;
  return count;
}

const char *
layout_add (const struct object *object, const struct conversion *conversion,
	    struct buffer *out)
{
  struct layout layout
    = { .count = object->segment_count + 2 - count_tables (object) };

  if (layout.count > HEADERS_MAX)
    return "it has too many program headers";
  choose_spare (object, &layout);
  const char *why = choose_place (object, &layout);
  if (why == NULL && has_more (object))
    why = "other data follows the ELF file, such as an archive";
  out->big_endian = object->machine->big_endian;
  if (why == NULL)
    {
      put_bytes (out, object->file.data, object->file.size);
      why = put_all (object, conversion, &layout, out);
    }
  free (layout.spare);
  return why;
}

/* What the origin at the end of a file says.  */
struct origin
{
  uint64_t start;		/* Of the origin.  */
  uint64_t header;		/* Of the old ELF header in it.  */
  uint64_t headers_size;	/* Of the old program headers.  */
  uint64_t headers_offset;	/* Of these in the old file.  */
  uint64_t size;		/* Of the old file.  */
  uint64_t hash;
};

/* The number of WIDTH bytes at OFFSET in FILE.  */
static uint64_t
number_at (const struct buffer *file, uint64_t offset, unsigned int width)
{
  struct cursor cursor = { file->data + offset, file->data + file->size,
			   file->big_endian, false };

  return read_unsigned (&cursor, width);
}

/* Read the origin of FILE; return whether there is one.  */
static bool
read_origin (const struct buffer *file, struct origin *origin)
{
  if (file->size < ORIGIN_SIZE + sizeof (Elf64_Ehdr))
    return false;
  const unsigned char *end = file->data + file->size;
  if (memcmp (end - sizeof origin_magic, origin_magic, sizeof origin_magic)
      != 0)
    return false;
  uint64_t header = file->size - ORIGIN_SIZE;
  *origin = (struct origin)
    { .start = header, .header = header,
      .headers_offset
	= number_at (file, header + offsetof (Elf64_Ehdr, e_phoff), 8),
      .size = number_at (file, header + sizeof (Elf64_Ehdr), 8),
      .hash = number_at (file, header + sizeof (Elf64_Ehdr) + 8, 8) };
  origin->headers_size
    = (number_at (file, header + offsetof (Elf64_Ehdr, e_phnum), 2)
       * sizeof (Elf64_Phdr));
  if (origin->headers_size > header)
    return false;
  origin->start -= origin->headers_size;
  return true;
}

const char layout_foreign[]
  = "its table is not from sframe-add, or strip has changed the file";

bool
layout_has_original (const struct object *object)
{
  struct buffer file = object->file;
  struct origin origin;

  file.big_endian = object->machine->big_endian;
  return read_origin (&file, &origin);
}

const char *
layout_original (const struct object *object, struct buffer *out)
{
  struct buffer file = object->file;
  struct origin origin;

  file.big_endian = object->machine->big_endian;
  if (!read_origin (&file, &origin))
    return layout_foreign;
  if (origin.size < sizeof (Elf64_Ehdr) || origin.size > origin.start
      || origin.headers_size > origin.size
      || origin.headers_offset > origin.size - origin.headers_size
      || origin.hash != hash (&file, origin.start))
    return "the file was changed after sframe-add had added the table";
  put_bytes (out, file.data, origin.size);
  memcpy (out->data + origin.headers_offset, file.data + origin.start,
	  origin.headers_size);
  memcpy (out->data, file.data + origin.header, sizeof (Elf64_Ehdr));
  return NULL;
}
