/* Read numbers and addresses of .eh_frame and SFrame tables.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-add.h.

   libc has a reader of its own, include/sframe-eh-cursor.h: that one reads its
   own memory, in its own byte order.  This one reads files for any machine, whose
   addresses are not those of the bytes.

   Document: Linux Standard Base Core Specification, "DWARF Extensions".  */

#include <sframe-dwarf.h>

#include "cfi.h"

struct cursor
read_block (struct cursor *cursor, uint64_t size)
{
  struct cursor block = *cursor;

  if ((uint64_t) (cursor->end - cursor->at) < size)
    {
      cursor->at = cursor->end;
      cursor->failed = true;
      block.at = block.end;
      return block;
    }
  cursor->at += size;
  block.end = cursor->at;
  return block;
}

uint64_t
read_unsigned (struct cursor *cursor, unsigned int width)
{
  struct cursor bytes = read_block (cursor, width);
  uint64_t value = 0;

  for (unsigned int i = 0; i < width && bytes.at + i < bytes.end; ++i)
    value |= ((uint64_t) bytes.at[i]
	      << 8 * (cursor->big_endian ? width - 1 - i : i));
  return value;
}

/* Sign-extend the low BITS bits of VALUE.  */
static uint64_t
extend (uint64_t value, unsigned int bits)
{
  uint64_t sign = UINT64_C (1) << (bits - 1);
  return ((value & (sign | (sign - 1))) ^ sign) - sign;
}

uint64_t
read_signed (struct cursor *cursor, unsigned int width)
{
  return extend (read_unsigned (cursor, width), width * 8);
}

static uint64_t
read_leb128 (struct cursor *cursor, unsigned int *shift)
{
  uint64_t value = 0, byte;

  *shift = 0;
  do
    {
      byte = read_unsigned (cursor, 1);
      if (*shift < 64)
	{
	  value |= (byte & 0x7f) << *shift;
	  *shift += 7;
	}
    }
  while ((byte & 0x80) != 0);
  return value;
}

uint64_t
read_uleb128 (struct cursor *cursor)
{
  unsigned int shift;
  return read_leb128 (cursor, &shift);
}

uint64_t
read_sleb128 (struct cursor *cursor)
{
  unsigned int shift;
  uint64_t value = read_leb128 (cursor, &shift);
  return shift < 64 ? extend (value, shift) : value;
}

uint64_t
read_formatted (struct cursor *cursor, unsigned int format)
{
  switch (format)
    {
    case DW_EH_PE_absptr:
      return read_unsigned (cursor, 8);
    case DW_EH_PE_uleb128:
      return read_uleb128 (cursor);
    case DW_EH_PE_sleb128:
      return read_sleb128 (cursor);
    case DW_EH_PE_udata2:
    case DW_EH_PE_udata4:
    case DW_EH_PE_udata8:
      return read_unsigned (cursor, 1 << (format - 1));
    case DW_EH_PE_sdata2:
    case DW_EH_PE_sdata4:
    case DW_EH_PE_sdata8:
      return read_signed (cursor, 1 << (format - 9));
    default:
      cursor->failed = true;
      return 0;
    }
}

uint64_t
address_of (const struct object *object, const unsigned char *at)
{
  uint64_t offset = at - object->file.data;

  for (size_t i = 0; i < object->segment_count; ++i)
    {
      const GElf_Phdr *segment = &object->segments[i];
      if (segment->p_type == PT_LOAD
	  && offset - segment->p_offset < segment->p_filesz)
	return offset - segment->p_offset + segment->p_vaddr;
    }
  return 0;
}

uint64_t
read_address (const struct object *object, struct cursor *cursor,
	      unsigned int encoding, uint64_t base)
{
  uint64_t from = 0;

  switch (encoding & (DW_EH_PE_base_mask | DW_EH_PE_indirect))
    {
    case DW_EH_PE_pcrel:
      from = address_of (object, cursor->at);
      break;
    case DW_EH_PE_datarel:
      from = base;
      break;
    case 0:
      break;
    default:
      cursor->failed = true;
    }
  return from + read_formatted (cursor, encoding & DW_EH_PE_format_mask);
}
