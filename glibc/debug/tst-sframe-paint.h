/* Measure how much stack backtrace uses.

   SPDX-License-Identifier: LGPL-2.1-or-later

   paint  fill the stack below an address
   look   how far below it something was written since  */

#ifndef _TST_SFRAME_PAINT_H
#define _TST_SFRAME_PAINT_H

#include <stddef.h>

#include "tst-sframe-asm.h"
#include "tst-sframe-support.h"

enum
{
  PATTERN = 0xa5,
  /* How much of the area the functions here may use.  */
  OWN_USE = 512,
  /* What backtrace may use, its return address included, see
     sframe-backtrace.h; and the words that check for overruns, if all
     functions have one (--enable-stack-protector=all).  */
  STACK_USE_MAX = (HAVE_SFRAME_S390X ? 2432 : HAVE_SFRAME_AARCH64 ? 1920
		   : 1280) + (STACK_PROTECTOR_LEVEL == 2 ? 256 : 0),
};

/* Fill the SIZE bytes below SP.  */
static void FRAME
paint (volatile char *sp, size_t size)
{
  for (size_t i = OWN_USE; i < size; ++i)
    sp[-i] = PATTERN;
}

/* Return how far below SP something was written.  */
static size_t FRAME
look (const volatile char *sp, size_t size)
{
  size_t i = size - 1;
  while (i > OWN_USE && sp[-i] == (char) PATTERN)
    --i;
  return i;
}

#endif /* _TST_SFRAME_PAINT_H  */
