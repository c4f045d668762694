/* Taking numbers from bytes of .eh_frame, none of them beyond the end.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: pure, see sframe-eh.h.

   A number that does not fit before the end reads as 0, takes all the bytes
   and is remembered, so that one check after a row of reads is enough.  */

#ifndef _SFRAME_EH_CURSOR_H
#define _SFRAME_EH_CURSOR_H

#include <sframe-dwarf.h>
#include <sframe-eh.h>
#include <string.h>

struct sframe_eh_cursor
{
  const unsigned char *at;
  const unsigned char *end;
  /* Something did not fit.  */
  bool failed;
};

static inline struct sframe_eh_cursor
sframe_eh_cursor (struct sframe_eh_bytes bytes)
{
  return (struct sframe_eh_cursor) { bytes.at, bytes.end, false };
}

/* What is left for CURSOR.  */
static inline struct sframe_eh_bytes
sframe_eh_rest (const struct sframe_eh_cursor *cursor)
{
  return (struct sframe_eh_bytes) { cursor->at, cursor->end };
}

/* Step over SIZE bytes and return where they begin, null if they do not
   fit.  */
static inline const unsigned char *
sframe_eh_take (struct sframe_eh_cursor *cursor, uint64_t size)
{
  const unsigned char *start = cursor->at;

  if ((uint64_t) (cursor->end - start) < size)
    {
      cursor->at = cursor->end;
      cursor->failed = true;
      return NULL;
    }
  cursor->at += size;
  return start;
}

/* A number of WIDTH bytes: 1, 2, 4 or 8.  */
static inline uint64_t
sframe_eh_unsigned (struct sframe_eh_cursor *cursor, unsigned int width)
{
  const unsigned char *bytes = sframe_eh_take (cursor, width);
  uint16_t half;
  uint32_t word;
  uint64_t full;

  if (bytes == NULL)
    return 0;
  switch (width)
    {
    case 1:
      return *bytes;
    case 2:
      memcpy (&half, bytes, sizeof half);
      return half;
    case 4:
      memcpy (&word, bytes, sizeof word);
      return word;
    default:
      memcpy (&full, bytes, sizeof full);
      return full;
    }
}

/* VALUE, whose sign is bit number BITS - 1.  */
static inline uint64_t
sframe_eh_extend (uint64_t value, unsigned int bits)
{
  uint64_t sign = UINT64_C (1) << (bits - 1);
  return ((value & (sign | (sign - 1))) ^ sign) - sign;
}

static inline uint64_t
sframe_eh_signed (struct sframe_eh_cursor *cursor, unsigned int width)
{
  return sframe_eh_extend (sframe_eh_unsigned (cursor, width), width * 8);
}

/* The seven low bits of each byte up to one without the high bit.  *SHIFT
   becomes how many bits there were.  Bits beyond the 64th are dropped, as
   they have to be for a negative number.  */
static inline uint64_t
sframe_eh_leb128 (struct sframe_eh_cursor *cursor, unsigned int *shift)
{
  uint64_t value = 0;
  unsigned char byte;

  *shift = 0;
  do
    {
      byte = sframe_eh_unsigned (cursor, 1);
      if (*shift < 64)
	{
	  value |= (uint64_t) (byte & 0x7f) << *shift;
	  *shift += 7;
	}
    }
  while ((byte & 0x80) != 0);
  return value;
}

static inline uint64_t
sframe_eh_uleb128 (struct sframe_eh_cursor *cursor)
{
  unsigned int shift;
  return sframe_eh_leb128 (cursor, &shift);
}

static inline uint64_t
sframe_eh_sleb128 (struct sframe_eh_cursor *cursor)
{
  unsigned int shift;
  uint64_t value = sframe_eh_leb128 (cursor, &shift);
  return shift < 64 ? sframe_eh_extend (value, shift) : value;
}

/* Read a number of FORMAT, DW_EH_PE_format_mask of an encoding, to *VALUE.
   Return whether there is such a format.  */
static inline bool
sframe_eh_formatted (struct sframe_eh_cursor *cursor, unsigned int format,
		     uint64_t *value)
{
  switch (format)
    {
    case DW_EH_PE_uleb128:
      *value = sframe_eh_uleb128 (cursor);
      return true;
    case DW_EH_PE_sleb128:
      *value = sframe_eh_sleb128 (cursor);
      return true;
    case DW_EH_PE_absptr:
      *value = sframe_eh_unsigned (cursor, sizeof (uintptr_t));
      return true;
    case DW_EH_PE_udata2:
    case DW_EH_PE_udata4:
    case DW_EH_PE_udata8:
      *value = sframe_eh_unsigned (cursor, 1 << (format - 1));
      return true;
    case DW_EH_PE_sdata2:
    case DW_EH_PE_sdata4:
    case DW_EH_PE_sdata8:
      *value = sframe_eh_signed (cursor, 1 << (format - 9));
      return true;
    default:
      return false;
    }
}

/* Read an address of ENCODING, absolute or relative to itself, to *ADDRESS.
   Return whether the encoding is known.  */
static inline bool
sframe_eh_address (struct sframe_eh_cursor *cursor, unsigned char encoding,
		   uint64_t *address)
{
  uint64_t base = 0;

  if ((encoding & DW_EH_PE_base_mask) == DW_EH_PE_pcrel)
    base = (uintptr_t) cursor->at;
  else if ((encoding & DW_EH_PE_base_mask) != 0)
    return false;
  if ((encoding & DW_EH_PE_indirect) != 0
      || !sframe_eh_formatted (cursor, encoding & DW_EH_PE_format_mask,
			       address))
    return false;
  *address += base;
  return true;
}

/* The bytes of the expression at address BLOCK, which a row of ENTRY has for
   operand.  */
static inline struct sframe_eh_cursor
sframe_eh_block (const struct sframe_eh_entry *entry, uintptr_t block)
{
  struct sframe_eh_bytes bytes = entry->program;

  if (block >= (uintptr_t) entry->initial.at
      && block < (uintptr_t) entry->initial.end)
    bytes = entry->initial;
  struct sframe_eh_cursor cursor
    = { (const unsigned char *) block, bytes.end, false };
  uint64_t length = sframe_eh_uleb128 (&cursor);
  const unsigned char *start = sframe_eh_take (&cursor, length);
  /* It did fit when the row was found.  */
  cursor.end = cursor.at;
  cursor.at = start;
  return cursor;
}

#endif /* _SFRAME_EH_CURSOR_H  */
