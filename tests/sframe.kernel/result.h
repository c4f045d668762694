/* The result of a lookup by either reader, without the types of either.
   SPDX-License-Identifier: GPL-2.0-only  */

#ifndef RESULT_H
#define RESULT_H

#include <stdbool.h>
#include <stdint.h>

enum status { FOUND, NOT_FOUND, CORRUPT, UNREADABLE, TOO_MUCH };

struct place
{
  unsigned int kind, reg;
  int32_t offset;
};

struct result
{
  enum status status;
  bool outermost, signal;
  struct place cfa, ra, fp;
};

/* Whether the kernel's reader accepts the header of the SIZE bytes at
   START.  */
extern bool kernel_open (const void *start, unsigned long size);
/* Its result for PC, relative to the section that was opened last.  */
extern struct result kernel_find (uint64_t pc);

/* Whether all of the section opened last is as it should be.  */
extern bool kernel_validate (void);

#endif /* RESULT_H  */
