/* Find and read the CIEs and FDEs of .eh_frame.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-add.h.  FDEs are found through .eh_frame_hdr, if there is
   one.  A CIE is read once for each FDE that uses it.

   Document: Linux Standard Base Core Specification, "Exception Frames".

   libdw is not used, since the tests compare sframe-add with libdw: the two
   must share no code.  */

#include <inttypes.h>
#include <sframe-dwarf.h>
#include <stdlib.h>

#include "cfi.h"

/* Reading CIEs and FDEs.  */

/* Set *CURSOR to the contents of the record at ADDRESS, after its length.
   Return whether they are in the file.  */
static bool
open_record (const struct object *object, uint64_t address,
	     struct cursor *cursor)
{
  uint64_t size;
  const unsigned char *bytes = object_bytes (object, address, &size);

  if (bytes == NULL)
    return false;
  *cursor = (struct cursor) { bytes, bytes + size,
			      object->machine->big_endian, false };
  uint64_t length = read_unsigned (cursor, 4);
  if (length == UINT32_MAX)
    length = read_unsigned (cursor, 8);
  struct cursor record = read_block (cursor, length);
  bool fits = !cursor->failed;
  *cursor = record;
  return fits && length > 0;
}

/* Read the augmentation data of a CIE.  AUGMENTATION is the string after its
   z.  */
static const char *
read_augmentation (struct cursor *cursor, const unsigned char *augmentation,
		   bool signs_ra, struct entry *entry)
{
  for (; *augmentation != '\0'; ++augmentation)
    switch (*augmentation)
      {
      case 'R':
	entry->encoding = read_unsigned (cursor, 1);
	break;
      case 'L':
	read_unsigned (cursor, 1);
	break;
      case 'P':
	read_formatted (cursor,
			read_unsigned (cursor, 1) & DW_EH_PE_format_mask);
	break;
      case 'S':
	entry->signal = true;
	break;
      case 'B':
	if (!signs_ra)
	  return "its CIE has an unknown augmentation";
	entry->key = RA_KEY_B;
	break;
      case 'G':
	/* The memory of its frames is tagged.  */
	if (signs_ra)
	  break;
	/* Fall through.  */
      default:
	return "its CIE has an unknown augmentation";
      }
  return cursor->failed ? "its CIE is damaged" : NULL;
}

/* Read a CIE up to its augmentation data into *ENTRY; *AUGMENTATION becomes
   the string.  */
static const char *
read_cie_head (struct cursor *cursor, struct entry *entry,
	       const unsigned char **augmentation)
{
  if (read_unsigned (cursor, 4) != 0)
    return "its CIE is damaged";
  unsigned int version = read_unsigned (cursor, 1);
  *augmentation = cursor->at;
  while (read_unsigned (cursor, 1) != 0)
    continue;
  entry->code_factor = read_uleb128 (cursor);
  entry->data_factor = read_sleb128 (cursor);
  entry->ra = (version == 1 ? read_unsigned (cursor, 1)
	       : read_uleb128 (cursor));
  if (cursor->failed)
    return "its CIE is damaged";
  if (version != 1 && version != 3)
    return "its CIE has an unknown version";
  entry->augmented = **augmentation == 'z';
  if (!entry->augmented && **augmentation != '\0')
    return "its CIE has an unknown augmentation";
  return NULL;
}

/* Read the CIE at ADDRESS into *ENTRY.  */
static const char *
read_cie (const struct object *object, uint64_t address, struct entry *entry)
{
  struct cursor cursor;
  const unsigned char *augmentation;

  if (!open_record (object, address, &cursor))
    return "its CIE is damaged";
  entry->work += cursor.end - cursor.at;
  const char *why = read_cie_head (&cursor, entry, &augmentation);
  if (why == NULL && entry->augmented)
    {
      struct cursor data = read_block (&cursor, read_uleb128 (&cursor));
      why = (cursor.failed ? "its CIE is damaged"
	     : read_augmentation (&data, augmentation + 1,
				  object->machine->signs_ra, entry));
    }
  entry->initial = cursor;
  return why;
}

/* Read the FDE at ADDRESS and its CIE into *ENTRY.  */
static const char *
read_fde (const struct object *object, uint64_t address, struct entry *entry)
{
  struct cursor cursor;

  *entry = (struct entry) { .encoding = DW_EH_PE_absptr, .key = RA_KEY_A };
  if (!open_record (object, address, &cursor))
    return "its FDE is damaged";
  entry->work = cursor.end - cursor.at;
  /* This field has the distance back to the CIE.  */
  uint64_t cie = address_of (object, cursor.at);
  cie -= read_unsigned (&cursor, 4);
  const char *why = read_cie (object, cie, entry);
  if (why != NULL)
    return why;
  entry->start = read_address (object, &cursor, entry->encoding, 0);
  entry->size = read_formatted (&cursor,
				entry->encoding & DW_EH_PE_format_mask);
  if (entry->augmented)
    read_block (&cursor, read_uleb128 (&cursor));
  entry->program = cursor;
  return cursor.failed ? "its FDE is damaged" : NULL;
}

/* An FDE, and the start of its function as .eh_frame_hdr lists it.  */
struct listed
{
  uint64_t address, start;
  struct entry entry;
  /* Why it cannot be read, or null.  */
  const char *why;
};

/* What an FDE that cannot be read counts for: it takes memory for its report,
   but perhaps two bytes of the file.  */
#define UNREADABLE_WORK 2048

/* Read the FDE at ADDRESS, of a function that is listed at START.  */
static void
read_listed (const struct object *object, uint64_t address, uint64_t start,
	     struct conversion *conversion, struct listed *fde)
{
  *fde = (struct listed) { .address = address, .start = start };
  fde->why = read_fde (object, address, &fde->entry);
  conversion->work += fde->entry.work;
  if (fde->why != NULL)
    conversion->work += UNREADABLE_WORK;
}

/* Whether FDE has code, as far as that can be read.  */
static bool
has_code (const struct listed *fde)
{
  return fde->why != NULL || fde->entry.size != 0;
}

/* FDE cannot be converted, for the reason WHY.  */
static void
leave_fde_out (struct conversion *conversion, const struct listed *fde,
	       const char *why)
{
  if (fde->entry.size == 0)
    why = message ("FDE at %#" PRIx64 ": %s", fde->address, why);
  leave_out (conversion, fde->start, fde->entry.size, why);
}

/* Convert FDE.  LIMIT is the start of the next FDE, where a lookup by
   .eh_frame_hdr no longer finds this one.  *END is the end of the last
   converted one.  */
static void
convert_fde (const struct object *object, struct listed *fde, uint64_t limit,
	     struct conversion *conversion, uint64_t *end)
{
  struct entry *entry = &fde->entry;
  const char *why = fde->why;

  if (!has_code (fde))
    return;
  if (why == NULL && entry->start != fde->start)
    why = ".eh_frame_hdr has another start address for it";
  if (why == NULL && entry->size > limit - fde->start)
    entry->size = limit - fde->start;
  if (why == NULL && entry->size > UINT32_MAX)
    why = "it has 4 GiB of code or more";
  if (why == NULL && !object_is_code (object, entry->start, entry->size))
    why = "it is not in an executable segment";
  if (why == NULL && entry->start < *end)
    why = "it begins inside another function";
  if (why == NULL && entry->ra != object->machine->ra)
    why = "its CIE has an unknown return address column";
  if (why == NULL)
    why = convert_entry (object, entry, conversion);
  if (why != NULL)
    leave_fde_out (conversion, fde, why);
  else
    *end = entry->start + entry->size;
}

/* Finding FDEs.  */

/* Convert the FDEs in the table of .eh_frame_hdr at CURSOR, which has COUNT
   pairs of addresses.  Of those with code that begin at one address, a lookup
   finds the last.  */
static const char *
convert_pairs (const struct object *object, struct cursor *cursor,
	       unsigned int encoding, uint64_t count, uint64_t base,
	       struct conversion *conversion)
{
  struct listed last = { 0 }, next;
  uint64_t end = 0;

  for (; count > 0; --count)
    {
      uint64_t start = read_address (object, cursor, encoding, base);
      uint64_t address = read_address (object, cursor, encoding, base);
      if (cursor->failed)
	return "damaged .eh_frame_hdr: its table leaves the segment";
      if (conversion->work / WORK_MAX > object->file.size)
	return ("damaged .eh_frame: too many FDEs share one CIE or cannot be"
		" read");
      if (start < last.start)
	return "damaged .eh_frame_hdr: its table is not sorted";
      read_listed (object, address, start, conversion, &next);
      if (start > last.start)
	convert_fde (object, &last, start, conversion, &end);
      else if (has_code (&last) && has_code (&next))
	leave_fde_out (conversion, &last,
		       "another FDE begins at the same address");
      if (start > last.start || has_code (&next))
	last = next;
    }
  convert_fde (object, &last, UINT64_MAX, conversion, &end);
  return NULL;
}

/* Convert the FDEs that .eh_frame_hdr, the segment SEGMENT, lists.  */
static const char *
convert_listed (const struct object *object, const GElf_Phdr *segment,
		struct conversion *conversion)
{
  uint64_t size;

  const unsigned char *bytes = object_bytes (object, segment->p_vaddr, &size);
  if (bytes == NULL)
    return "damaged .eh_frame_hdr: it is in no segment";
  struct cursor cursor = { bytes, bytes + size,
			   object->machine->big_endian, false };
  unsigned int version = read_unsigned (&cursor, 1);
  unsigned int frame = read_unsigned (&cursor, 1);
  unsigned int count = read_unsigned (&cursor, 1);
  unsigned int table = read_unsigned (&cursor, 1);
  if (version != 1 || cursor.failed)
    return "damaged .eh_frame_hdr: its version is not 1";
  read_address (object, &cursor, frame, segment->p_vaddr);
  uint64_t functions = read_address (object, &cursor, count,
				     segment->p_vaddr);
  if (cursor.failed)
    return "no search table in .eh_frame_hdr";
  return convert_pairs (object, &cursor, table, functions, segment->p_vaddr,
			conversion);
}

/* Whether .eh_frame_hdr, the segment SEGMENT, has a search table.  Linkers
   leave it out if there is no function, or if they do not understand
   .eh_frame.  True if the segment is damaged: convert_listed reports that.  */
static bool
has_search_table (const struct object *object, const GElf_Phdr *segment)
{
  uint64_t size;
  const unsigned char *bytes = object_bytes (object, segment->p_vaddr, &size);

  return (bytes == NULL || size < 4
	  || (bytes[2] != DW_EH_PE_omit && bytes[3] != DW_EH_PE_omit));
}

/* The addresses of a function and of its FDE.  */
struct pair
{
  uint64_t start, fde;
};

static int
compare_pairs (const void *one, const void *other)
{
  const struct pair *a = one, *b = other;

  if (a->start != b->start)
    return a->start < b->start ? -1 : 1;
  return (a->fde > b->fde) - (a->fde < b->fde);
}

/* Store a pair for each FDE of .eh_frame, SIZE bytes at ADDRESS, in *PAIRS and
   return their number.  */
static size_t
read_pairs (const struct object *object, uint64_t address, uint64_t size,
	    struct pair **pairs)
{
  size_t count = 0, capacity = 0;
  uint64_t work = 0;
  uint64_t end = address + size;
  struct cursor record;
  struct entry entry;

  *pairs = NULL;
  while (address < end && open_record (object, address, &record))
    {
      uint64_t next = (address_of (object, record.at)
		       + (record.end - record.at));
      /* A CIE has 0 here.  convert_fde will report damaged FDEs.  */
      if (read_unsigned (&record, 4) != 0)
	{
	  read_fde (object, address, &entry);
	  work += entry.work;
	  *pairs = grow (*pairs, &capacity, count + 1, sizeof **pairs);
	  (*pairs)[count++] = (struct pair) { entry.start, address };
	}
      if (next <= address || work / WORK_MAX > object->file.size)
	break;
      address = next;
    }
  if (count > 0)
    qsort (*pairs, count, sizeof **pairs, compare_pairs);
  return count;
}

/* Convert all FDEs of an .eh_frame without search table, as in static
   programs.  */
static const char *
convert_section (const struct object *object, uint64_t address, uint64_t size,
		 struct conversion *conversion)
{
  struct pair *pairs;
  uint64_t end = 0;
  const char *why = NULL;
  size_t count = read_pairs (object, address, size, &pairs);

  for (size_t i = 0; i < count && why == NULL; ++i)
    {
      struct listed fde;
      uint64_t next = i + 1 < count ? pairs[i + 1].start : UINT64_MAX;
      read_listed (object, pairs[i].fde, pairs[i].start, conversion, &fde);
      convert_fde (object, &fde, next > pairs[i].start ? next : UINT64_MAX,
		   conversion, &end);
      if (conversion->work / WORK_MAX > object->file.size)
	why = "damaged .eh_frame: too many FDEs share one CIE";
    }
  free (pairs);
  return why;
}

bool
has_frames (const struct object *object)
{
  uint64_t size;

  return (object_segment (object, PT_GNU_EH_FRAME) != NULL
	  || object_section (object, ".eh_frame", &size) != 0);
}

const char *
convert (const struct object *object, struct conversion *conversion)
{
  const GElf_Phdr *segment = object_segment (object, PT_GNU_EH_FRAME);
  uint64_t size = 0;

  *conversion = (struct conversion) { 0 };
  if (segment != NULL && has_search_table (object, segment))
    return convert_listed (object, segment, conversion);
  uint64_t address = object_section (object, ".eh_frame", &size);
  if (address == 0)
    return "no search table in .eh_frame_hdr, and no section .eh_frame";
  return convert_section (object, address, size, conversion);
}

void
conversion_forget (struct conversion *conversion)
{
  free (conversion->functions);
  free (conversion->rows);
  conversion->functions = NULL;
  conversion->rows = NULL;
}

void
conversion_free (struct conversion *conversion)
{
  conversion_forget (conversion);
  free (conversion->left_out);
  free (conversion->findings);
}
