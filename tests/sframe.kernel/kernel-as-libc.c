/* The kernel's SFrame reader behind the interface of libc's, for the tests of
   libc's reader.
   SPDX-License-Identifier: GPL-2.0-only

   The crafted tables of ../sframe.unit were written from the specification.
   The kernel's reader must give the same rules; only the names of its results
   differ.  */

#include <sframe-read.h>
#include <string.h>

#include "result.h"

/* The kernel has one error for all headers that it refuses.  */
enum sframe_header_status
__sframe_read_header (const void *start, uint64_t size, unsigned int abi,
		      struct sframe_section *section)
{
  memset (section, 0, sizeof *section);
  if (!kernel_open (start, size))
    return SFRAME_HEADER_BOUNDS;
  section->start = start;
  section->abi = abi;
  return SFRAME_HEADER_OK;
}

static struct sframe_place
to_libc (const struct place *place)
{
  return (struct sframe_place) {
    .kind = place->kind, .reg = place->reg, .offset = place->offset
  };
}

/* The arguments SP and FP are ignored: the kernel uses those of the
   machine.  */
enum sframe_find_status
__sframe_find_rule (const struct sframe_section *section, uint64_t pc,
		    unsigned int sp, unsigned int fp,
		    struct sframe_rule *rule)
{
  struct result result = kernel_find (pc);

  if (result.status != FOUND)
    return result.status == NOT_FOUND ? SFRAME_NOT_FOUND : SFRAME_CORRUPT;
  *rule = (struct sframe_rule) {
    .cfa = to_libc (&result.cfa), .ra = to_libc (&result.ra),
    .fp = to_libc (&result.fp), .outermost = result.outermost,
    .signal = result.signal
  };
  return SFRAME_FOUND;
}
