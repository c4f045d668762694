/* The storm's part with random arguments: addresses and sizes at all limits.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "storm.h"

#include <limits.h>
#include <stdint.h>

extern const char __ehdr_start[];

/* An address: in the arena, which has valid tables or is unmapped, in this
   program, in the stack, in unmapped memory, in the kernel.  */
static unsigned long
some_address (void)
{
  const unsigned long addresses[] =
    {
      0, (unsigned long) __ehdr_start, (unsigned long) &tally,
      (unsigned long) some_address, (unsigned long) addresses,
      0x7fffffffe000, 0x7ffffffff000, 0x800000000000, 0xff00000000000000,
      0xffffffff80000000, 0xffffffffff600000, -PAGE, 1UL << 63, LONG_MAX,
    };
  unsigned long address = (unsigned long) arena_slot () + PAGE * roll (4);
  if (roll (3) == 0)
    address = addresses[roll (sizeof addresses / sizeof *addresses)];
  if (roll (4) == 0)
    address += (long) roll (4 * PAGE) - 2 * (long) PAGE;
  return address;
}

static unsigned long
some_size (void)
{
  static const unsigned long sizes[] =
    {
      0, 1, 27, 28, 29, PAGE - 1, PAGE, PAGE + 1, 2 * PAGE, 4 * PAGE,
      UINT32_MAX, 1UL << 32, 0x7ffffffff000, LONG_MAX, 1UL << 63, ULONG_MAX,
    };
  if (roll (4) == 0)
    return roll (3 * PAGE);
  return sizes[roll (sizeof sizes / sizeof *sizes)];
}

void
storm_arguments (void)
{
  while (storm_goes_on ())
    switch (roll (9))
      {
      case 0:
	arena_fill (arena_slot ());
	break;
      case 1:
	arena_register (arena_slot ());
	break;
      case 2:
	storm_remove (some_address (), 0, 0, 0);
	break;
      case 3:
	storm_remove (some_address (), roll (2), roll (2), roll (2) << 63);
	break;
      case 4:
	storm_choose ();
	break;
      default:
	storm_add (some_address (), some_size (), some_address (),
		   some_size ());
      }
}
