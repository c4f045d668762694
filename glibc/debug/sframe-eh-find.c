/* Find the .eh_frame entry for a PC, by the .eh_frame_hdr table if there is
   one.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: pure, see sframe-eh.h.  */

#include <sframe-eh.h>
#include <sframe-eh-cursor.h>
#include <sframe-stack-use.h>
#include <sframe-strip.h>

/* The first bytes of .eh_frame_hdr as all linkers write it: the version and
   the encodings of the .eh_frame address, the function count and the
   table.  */
static const unsigned char header_start[]
  = { 1, DW_EH_PE_pcrel | DW_EH_PE_sdata4, DW_EH_PE_udata4,
      DW_EH_PE_datarel | DW_EH_PE_sdata4 };

/* The same if the linker has made no table, since it did not understand some
   .eh_frame.  The header ends after the .eh_frame address.  */
static const unsigned char bare_header_start[]
  = { 1, DW_EH_PE_pcrel | DW_EH_PE_sdata4, DW_EH_PE_omit, DW_EH_PE_omit };

/* Offsets from the start of the header.  */
#define HEADER_FRAME 4
#define HEADER_COUNT 8
#define HEADER_TABLE 12

/* Size of a table entry: the function's start and its FDE, both as offsets
   from the header.  */
#define PAIR_SIZE 8
#define PAIR_FDE 4

/* Whether the byte at ADDRESS is one of BYTES.  */
static bool
has_byte (struct sframe_eh_bytes bytes, uintptr_t address)
{
  return (address >= (uintptr_t) bytes.at
	  && address < (uintptr_t) bytes.end);
}

static inline int32_t
load (const unsigned char *at)
{
  int32_t value;

  memcpy (&value, at, sizeof value);
  return value;
}

/* Store the number of functions in TABLE in *COUNT.  */
static enum sframe_eh_status
read_header (const struct sframe_eh_table *table, uint32_t *count)
{
  if (table->header_size < HEADER_TABLE)
    return SFRAME_EH_CORRUPT;
  if (memcmp (table->header, header_start, sizeof header_start) != 0)
    return SFRAME_EH_NOT_UNDERSTOOD;
  *count = load (table->header + HEADER_COUNT);
  return (*count <= (table->header_size - HEADER_TABLE) / PAIR_SIZE
	  ? SFRAME_EH_OK : SFRAME_EH_CORRUPT);
}

/* The address of the FDE of function number INDEX in the table of HEADER.  */
static uintptr_t
fde_address (const unsigned char *header, uint32_t index)
{
  const unsigned char *pair
    = header + HEADER_TABLE + (size_t) index * PAIR_SIZE;

  return (uintptr_t) header + (intptr_t) load (pair + PAIR_FDE);
}

void
__sframe_eh_find_records (struct sframe_eh_table *table)
{
  const unsigned char *header = table->header;
  uint32_t count;

  table->records = NULL;
  if (table->header_size >= HEADER_COUNT
      && memcmp (header, bare_header_start, sizeof bare_header_start) == 0)
    {
      uintptr_t field = (uintptr_t) header + HEADER_FRAME;
      table->records
	= (const unsigned char *) (field + load (header + HEADER_FRAME));
      table->header = NULL;
    }
  else if (read_header (table, &count) == SFRAME_EH_OK && count > 0)
    table->records = (const unsigned char *) fde_address (header, 0);
}

/* Store the address of the FDE of the last function that starts at or before
   PC in *FDE.  */
static enum sframe_eh_status RELEASE_STACK
search_eh (const struct sframe_eh_table *table, uintptr_t pc, uintptr_t *fde)
{
  const unsigned char *pairs = table->header + HEADER_TABLE;
  int64_t offset = pc - (uintptr_t) table->header;
  uint32_t low = 0;
  uint32_t high;
  enum sframe_eh_status status = read_header (table, &high);

  if (status != SFRAME_EH_OK)
    return status;
  /* Invariant: functions with an index below LOW start at or before PC, those
     from HIGH on start after PC.  */
  while (low < high)
    {
      uint32_t middle = low + (high - low) / 2;
      if (load (pairs + (size_t) middle * PAIR_SIZE) <= offset)
	low = middle + 1;
      else
	high = middle;
    }
  if (low == 0)
    return SFRAME_EH_NO_ENTRY;
  *fde = fde_address (table->header, low - 1);
  return SFRAME_EH_OK;
}

/* Set *CURSOR to the contents of the CIE or FDE at ADDRESS, after its
   length.  */
static enum sframe_eh_status
open_record (const struct sframe_eh_table *table, uintptr_t address,
	     struct sframe_eh_cursor *cursor)
{
  if (!has_byte (table->memory, address))
    return SFRAME_EH_CORRUPT;
  *cursor = (struct sframe_eh_cursor) { (const unsigned char *) address,
					table->memory.end, false };
  uint64_t length = sframe_eh_unsigned (cursor, 4);
  /* The mark of the 64-bit format, which no tool writes.  */
  if (length == UINT32_MAX)
    return SFRAME_EH_NOT_UNDERSTOOD;
  const unsigned char *start = sframe_eh_take (cursor, length);
  if (cursor->failed)
    return SFRAME_EH_CORRUPT;
  *cursor = (struct sframe_eh_cursor) { start, start + length, false };
  return SFRAME_EH_OK;
}

/* Read the augmentation data of a CIE into ENTRY.  AUGMENTATION is the string
   after its z.  */
static enum sframe_eh_status
read_augmentation (struct sframe_eh_cursor *cursor, const char *augmentation,
		   struct sframe_eh_entry *entry)
{
  unsigned int encoding;
  uint64_t ignored;

  for (; *augmentation != '\0'; ++augmentation)
    switch (*augmentation)
      {
      case 'R':
	entry->encoding = sframe_eh_unsigned (cursor, 1);
	break;
      case 'L':
	sframe_eh_unsigned (cursor, 1);
	break;
      case 'P':
	/* Skip the personality routine.  */
	encoding = sframe_eh_unsigned (cursor, 1);
	if (!sframe_eh_formatted (cursor, encoding & DW_EH_PE_format_mask,
				  &ignored))
	  return SFRAME_EH_NOT_UNDERSTOOD;
	break;
      case 'S':
	entry->signal = true;
	break;
#if SFRAME_MACHINE_SIGNS_RA
      /* Return addresses are signed with key B; the stack has memory tags.
	 The step is the same.  */
      case 'B':
      case 'G':
	break;
#endif
      default:
	return SFRAME_EH_NOT_UNDERSTOOD;
      }
  return cursor->failed ? SFRAME_EH_CORRUPT : SFRAME_EH_OK;
}

/* Read the fields after the augmentation string of a CIE, up to the RA column.
   Return whether ENTRY can hold them.  */
static bool
read_factors (struct sframe_eh_cursor *cursor, unsigned int version,
	      struct sframe_eh_entry *entry)
{
  uint64_t code = sframe_eh_uleb128 (cursor);
  int64_t data = sframe_eh_sleb128 (cursor);
  uint64_t ra = (version == 1 ? sframe_eh_unsigned (cursor, 1)
		 : sframe_eh_uleb128 (cursor));

  entry->code_factor = code;
  entry->data_factor = data;
  entry->ra_column = ra;
  return (entry->code_factor == code && entry->data_factor == data
	  && ra < SFRAME_EH_COLUMNS);
}

/* Read the fields of a CIE up to the RA column into ENTRY, and store its
   augmentation string in *AUGMENTATION.  */
static enum sframe_eh_status
read_cie_start (struct sframe_eh_cursor *cursor, const char **augmentation,
		struct sframe_eh_entry *entry)
{
  if (sframe_eh_unsigned (cursor, 4) != 0)
    return SFRAME_EH_CORRUPT;
  unsigned int version = sframe_eh_unsigned (cursor, 1);
  *augmentation = (const char *) cursor->at;
  while (sframe_eh_unsigned (cursor, 1) != 0)
    continue;
  bool fits = read_factors (cursor, version, entry);
  if (cursor->failed)
    return SFRAME_EH_CORRUPT;
  entry->augmented = **augmentation == 'z';
  if ((version != 1 && version != 3)
      || (!entry->augmented && **augmentation != '\0') || !fits)
    return SFRAME_EH_NOT_UNDERSTOOD;
  return SFRAME_EH_OK;
}

/* Read the CIE at ADDRESS into ENTRY.  */
static enum sframe_eh_status RELEASE_STACK
read_cie (const struct sframe_eh_table *table, uintptr_t address,
	  struct sframe_eh_entry *entry)
{
  struct sframe_eh_cursor cursor, data;
  const char *augmentation;
  enum sframe_eh_status status = open_record (table, address, &cursor);

  if (status != SFRAME_EH_OK)
    return status;
  entry->initial.end = cursor.end;
  if (cursor.end - cursor.at > SFRAME_EH_FIELDS_MAX)
    cursor.end = cursor.at + SFRAME_EH_FIELDS_MAX;
  status = read_cie_start (&cursor, &augmentation, entry);
  if (status != SFRAME_EH_OK)
    return status;
  entry->encoding = DW_EH_PE_absptr;
  entry->signal = false;
  if (entry->augmented)
    {
      uint64_t length = sframe_eh_uleb128 (&cursor);
      const unsigned char *start = sframe_eh_take (&cursor, length);
      if (start == NULL)
	return SFRAME_EH_CORRUPT;
      data = (struct sframe_eh_cursor) { start, cursor.at, false };
      status = read_augmentation (&data, augmentation + 1, entry);
    }
  entry->initial.at = cursor.at;
  return status;
}

/* Store the address of the CIE of the FDE at ADDRESS in *CIE.  */
static enum sframe_eh_status RELEASE_STACK
find_cie (const struct sframe_eh_table *table, uintptr_t address,
	  uintptr_t *cie)
{
  struct sframe_eh_cursor cursor;
  enum sframe_eh_status status = open_record (table, address, &cursor);

  if (status != SFRAME_EH_OK)
    return status;
  /* This field has the distance back to the CIE.  If ADDRESS is that of a CIE,
     the field is 0, so *CIE is the field itself: a record of length 0, which
     read_cie rejects.  */
  *cie = (uintptr_t) cursor.at;
  *cie -= sframe_eh_unsigned (&cursor, 4);
  return cursor.failed ? SFRAME_EH_CORRUPT : SFRAME_EH_OK;
}

/* Read the FDE at ADDRESS into ENTRY, which has its CIE.  */
static enum sframe_eh_status RELEASE_STACK
read_eh_fde (const struct sframe_eh_table *table, uintptr_t address,
	     struct sframe_eh_entry *entry)
{
  struct sframe_eh_cursor cursor;
  enum sframe_eh_status status = open_record (table, address, &cursor);
  uint64_t start, size;

  if (status != SFRAME_EH_OK)
    return status;
  /* The distance to the CIE.  */
  sframe_eh_take (&cursor, 4);
  if (!sframe_eh_address (&cursor, entry->encoding, &start)
      || !sframe_eh_formatted (&cursor,
			       entry->encoding & DW_EH_PE_format_mask, &size))
    return SFRAME_EH_NOT_UNDERSTOOD;
  if (entry->augmented)
    sframe_eh_take (&cursor, sframe_eh_uleb128 (&cursor));
  entry->start = start;
  entry->size = size;
  entry->program = sframe_eh_rest (&cursor);
  return cursor.failed ? SFRAME_EH_CORRUPT : SFRAME_EH_OK;
}

/* Read the FDE at ADDRESS and its CIE into ENTRY, which has the CIE at *CIE
   already, if that is not 0.  */
static SHARE_STACK enum sframe_eh_status
read_entry (const struct sframe_eh_table *table, uintptr_t address,
	    uintptr_t *cie, struct sframe_eh_entry *entry)
{
  uintptr_t known = *cie;
  enum sframe_eh_status status = find_cie (table, address, cie);

  if (status == SFRAME_EH_OK && *cie != known)
    status = read_cie (table, *cie, entry);
  if (status == SFRAME_EH_OK)
    status = read_eh_fde (table, address, entry);
  if (status != SFRAME_EH_OK)
    *cie = 0;
  return status;
}

/* Read all records of TABLE from its first one on until one is an FDE for PC;
   read that into ENTRY.  FDEs that are damaged or not understood are passed
   over: only their CIE says how to read which code they are for.  */
static enum sframe_eh_status RELEASE_STACK
scan_eh (const struct sframe_eh_table *table, uintptr_t pc,
	 struct sframe_eh_entry *entry)
{
  uintptr_t address = (uintptr_t) table->records, cie = 0;
  struct sframe_eh_cursor cursor;
  enum sframe_eh_status status;

  while ((status = open_record (table, address, &cursor)) == SFRAME_EH_OK)
    {
      /* The last record has no contents.  */
      if (cursor.at == cursor.end)
	return SFRAME_EH_NO_ENTRY;
      /* A CIE has 0 in place of the distance to its CIE.  */
      uint64_t distance = sframe_eh_unsigned (&cursor, 4);
      if (cursor.failed)
	return SFRAME_EH_CORRUPT;
      if (distance != 0)
	{
	  status = read_entry (table, address, &cie, entry);
	  if (status == SFRAME_EH_OK && pc - entry->start < entry->size)
	    break;
	}
      address = (uintptr_t) cursor.end;
    }
  return status;
}

enum sframe_eh_status
__sframe_eh_find (const struct sframe_eh_table *table, uintptr_t pc,
		  struct sframe_eh_entry *entry)
{
  uintptr_t fde, cie = 0;

  if (table->header == NULL)
    return scan_eh (table, pc, entry);
  enum sframe_eh_status status = search_eh (table, pc, &fde);
  if (status == SFRAME_EH_OK)
    status = read_entry (table, fde, &cie, entry);
  if (status == SFRAME_EH_OK && pc - entry->start >= entry->size)
    return SFRAME_EH_NO_ENTRY;
  return status;
}
