/* Read numbers from .eh_frame, never beyond the end of the bytes.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: pure, see sframe-eh.h.

   A number that does not fit before the end reads as 0, moves the cursor to
   the end and sets FAILED, so one check after several reads is enough.  */

#ifndef _SFRAME_EH_CURSOR_H
#define _SFRAME_EH_CURSOR_H

#include <sframe-dwarf.h>
#include <sframe-eh.h>
#include <string.h>

struct sframe_eh_cursor
{
  const unsigned char *at;
  const unsigned char *end;
  /* A read did not fit.  */
  bool failed;
};

static inline struct sframe_eh_cursor
sframe_eh_cursor (struct sframe_eh_bytes bytes)
{
  return (struct sframe_eh_cursor) { bytes.at, bytes.end, false };
}

/* The bytes that CURSOR has not read.  */
static inline struct sframe_eh_bytes
sframe_eh_rest (const struct sframe_eh_cursor *cursor)
{
  return (struct sframe_eh_bytes) { cursor->at, cursor->end };
}

/* Skip SIZE bytes and return their start, or null if they do not fit.  */
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

/* Read an unsigned number of WIDTH bytes: 1, 2, 4 or 8.  */
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

/* Sign-extend the low BITS bits of VALUE.  */
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

/* Read a LEB128 number and store the number of bits that were read in *SHIFT.
   Bits beyond the 64th are dropped; in a negative number they repeat the
   sign.  */
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

/* Read a number of FORMAT (an encoding & DW_EH_PE_format_mask) into *VALUE.
   Return false if the format is unknown.  */
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

/* Read an address of ENCODING, absolute or PC-relative, into *ADDRESS.  Return
   false if the encoding is not supported.  */
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

/* A cursor for the expression at address BLOCK, an operand in a row of
   ENTRY.  */
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
  /* It fits: __sframe_eh_find_row has read it.  */
  cursor.end = cursor.at;
  cursor.at = start;
  return cursor;
}

#endif /* _SFRAME_EH_CURSOR_H  */
