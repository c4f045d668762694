/* The kernel's SFrame reader, its very source, on user memory that may fault.
   SPDX-License-Identifier: GPL-2.0-only  */

#include "../../kernel-uapi/kernel/unwind/sframe_unwind.c"

#include "result.h"

unsigned long fault_after, accesses, outside;
const unsigned char *fault_at;

static struct sframe_view opened;

/* As in the kernel, what was not copied is cleared, and its size returned.  */
unsigned long
copy_from_user (void *to, const void *from, unsigned long size)
{
  uintptr_t at = (uintptr_t) from, fault = (uintptr_t) fault_at;
  unsigned long good = size;

  ++accesses;
  if (at < opened.start || at + size > opened.start + opened.size)
    ++outside;
  if (fault_after != 0 && --fault_after == 0)
    {
      fault_after = 1;
      good = 0;
    }
  else if (fault_at != NULL && at + size > fault)
    good = at < fault ? fault - at : 0;
  memcpy (to, from, good);
  memset ((char *) to + good, 0, size - good);
  return size - good;
}

struct pt_regs *
task_pt_regs (void *task)
{
  static struct pt_regs registers;
  return &registers;
}

bool
sframe_find_view (unsigned long ip, struct sframe_view *view)
{
  *view = opened;
  return true;
}

void
sframe_drop_corrupt (const struct sframe_view *view)
{
}

bool
kernel_open (const void *start, unsigned long size)
{
  struct sframe_header header;

  if (size < sizeof header)
    return false;
  memcpy (&header, start, sizeof header);
  return sframe_parse_header (&header, (unsigned long) start, size,
			      &opened) == 0;
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
  struct sframe_rule rule;
  unsigned int rows = 0;
  struct result result = { .status = UNREADABLE };

  result.status = to_status (sframe_find_rule (&opened, opened.start + pc,
					       &rows, &rule));
  if (result.status != FOUND)
    return result;
  result.outermost = rule.outermost;
  if (result.outermost)
    return result;
  result.cfa = flatten (&rule.cfa);
  result.ra = flatten (&rule.ra);
  result.fp = flatten (&rule.fp);
  return result;
}
