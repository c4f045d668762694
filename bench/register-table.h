/* Register a table with the kernel.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef REGISTER_TABLE_H
#define REGISTER_TABLE_H

#include <stdint.h>
#include <sys/prctl.h>

#define PR_ADD_SFRAME 0x53460001
#define PR_REMOVE_SFRAME 0x53460002

/* Register the TABLE_SIZE bytes at TABLE for the TEXT_SIZE bytes of code at
   TEXT.  Return 0, or -1 and set errno.  */
static inline int
register_table (uintptr_t table, uintptr_t table_size, uintptr_t text,
		uintptr_t text_size)
{
  uint64_t range[] = { table, table_size, text, text_size };
  return prctl (PR_ADD_SFRAME, range, 1UL, sizeof range, 0UL) == 1 ? 0 : -1;
}

#endif /* REGISTER_TABLE_H  */
