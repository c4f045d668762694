/* Call the kernel's SFrame reader for one table, through an interface without
   types of the kernel or of libc.
   SPDX-License-Identifier: GPL-2.0-only  */

#include <linux/sframe.h>

#include "sframe.h"

#include "result.h"

static struct sframe_view opened;
static struct mm_struct process;

bool
kernel_open (const void *start, unsigned long size)
{
  struct sframe_header header;

  if (size < sizeof header)
    return false;
  current->mm = &process;
  process.nr_areas = 0;
  machine_map (&process, (unsigned long) start, size, VM_READ,
	       (unsigned char *) start);
  memcpy (&header, start, sizeof header);
  return sframe_parse_header (&header, (unsigned long) start, size,
			      &opened) == 0;
}

bool
kernel_validate (void)
{
  return sframe_validate (&opened) == 0;
}

static struct place
flatten (const struct sframe_place *place)
{
  bool has_register = (place->kind == SFRAME_REG_VALUE
		       || place->kind == SFRAME_REG_MEMORY);
  return (struct place) {
    .kind = place->kind, .reg = has_register ? place->reg : 0,
    .offset = place->kind == SFRAME_UNCHANGED ? 0 : place->off
  };
}

static enum status
to_status (int error)
{
  switch (error)
    {
    case 0:
      return FOUND;
    case -ENOENT:
      return NOT_FOUND;
    case -EFAULT:
      return UNREADABLE;
    case -E2BIG:
      return TOO_MUCH;
    default:
      return CORRUPT;
    }
}

struct result
kernel_find (uint64_t pc)
{
  /* What the last lookup has left in it must not be a part of this one's.  */
  static struct sframe_rule rule;
  unsigned int rows = 0;
  struct result result = { .status = UNREADABLE };

  result.status = to_status (sframe_find_rule (&opened, opened.start + pc,
					       &rows, &rule));
  if (result.status != FOUND)
    return result;
  result.outermost = rule.outermost;
  result.signal = rule.signal;
  if (result.outermost)
    return result;
  result.cfa = flatten (&rule.cfa);
  result.ra = flatten (&rule.ra);
  result.fp = flatten (&rule.fp);
  return result;
}
