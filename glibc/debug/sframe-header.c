/* Check the header of an SFrame section.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: pure, see sframe-read.h.  */

#include <sframe-format.h>
#include <sframe-read.h>
#include <string.h>

static enum sframe_header_status
check_identity (const struct sframe_header *header, unsigned int abi)
{
  if (header->magic == __builtin_bswap16 (SFRAME_MAGIC))
    return SFRAME_HEADER_BYTE_ORDER;
  if (header->magic != SFRAME_MAGIC)
    return SFRAME_HEADER_MAGIC;
  if (header->version != SFRAME_VERSION_3)
    return SFRAME_HEADER_VERSION;
  if ((header->flags & ~SFRAME_F_ALL) != 0)
    return SFRAME_HEADER_FLAGS;
  if (header->abi != abi)
    return SFRAME_HEADER_ABI;
  if ((header->flags & SFRAME_F_FDE_SORTED) == 0)
    return SFRAME_HEADER_UNSORTED;
  if (header->fde_count == 0)
    return SFRAME_HEADER_EMPTY;
  return SFRAME_HEADER_OK;
}

/* Check that both sub-sections lie in the SIZE bytes at START and store their
   addresses in *SECTION.  No 64-bit sum below can wrap: each has at most four
   terms below 2**37.  */
static enum sframe_header_status
check_layout (const unsigned char *start, uint64_t size,
	      const struct sframe_header *header,
	      struct sframe_section *section)
{
  uint64_t base = sizeof *header + header->auxiliary_length;
  uint64_t fdes = base + header->fde_offset;
  uint64_t fdes_end
    = fdes + (uint64_t) header->fde_count * sizeof (struct sframe_fde);
  uint64_t fres = base + header->fre_offset;

  if (fdes_end > fres || fres + header->fre_length > size)
    return SFRAME_HEADER_BOUNDS;
  if (((uintptr_t) start + fdes) % 4 != 0 || (uintptr_t) start % 4 != 0)
    return SFRAME_HEADER_ALIGNMENT;
  /* There is at least one attribute (FDEs might share one); an FRE has at
     least a one-byte start address and its information byte.  */
  if (sizeof (struct sframe_attribute) + (uint64_t) header->fre_count * 2
      > header->fre_length)
    return SFRAME_HEADER_COUNTS;

  section->fdes = start + fdes;
  section->fres = start + fres;
  return SFRAME_HEADER_OK;
}

enum sframe_header_status
__sframe_read_header (const void *start, uint64_t size, unsigned int abi,
		      struct sframe_section *section)
{
  struct sframe_header header;

  memset (section, 0, sizeof *section);
  if (size < sizeof header)
    return SFRAME_HEADER_TRUNCATED;
  memcpy (&header, start, sizeof header);

  enum sframe_header_status status = check_identity (&header, abi);
  if (status != SFRAME_HEADER_OK)
    return status;
  status = check_layout (start, size, &header, section);
  if (status != SFRAME_HEADER_OK)
    return status;

  section->start = start;
  section->fde_count = header.fde_count;
  section->fre_length = header.fre_length;
  section->flags = header.flags;
  section->abi = header.abi;
  section->fixed_fp_offset = header.fixed_fp_offset;
  section->fixed_ra_offset = header.fixed_ra_offset;
  return SFRAME_HEADER_OK;
}

const char *
__sframe_header_message (enum sframe_header_status status)
{
  switch (status)
    {
    case SFRAME_HEADER_OK:
      return "valid";
    case SFRAME_HEADER_TRUNCATED:
      return "smaller than a header";
    case SFRAME_HEADER_BYTE_ORDER:
      return "other byte order";
    case SFRAME_HEADER_MAGIC:
      return "wrong magic number";
    case SFRAME_HEADER_VERSION:
      return "not version 3";
    case SFRAME_HEADER_FLAGS:
      return "unknown flag";
    case SFRAME_HEADER_ABI:
      return "made for another machine";
    case SFRAME_HEADER_UNSORTED:
      return "index not sorted";
    case SFRAME_HEADER_EMPTY:
      return "no function described";
    case SFRAME_HEADER_ALIGNMENT:
      return "misaligned";
    case SFRAME_HEADER_BOUNDS:
      return "sub-section out of bounds";
    case SFRAME_HEADER_COUNTS:
      return "more entries than bytes for them";
    }
  return "unknown reason";
}
