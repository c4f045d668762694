/* Functions with all kinds of frames that unwinders distinguish, which call
   back; an object of its own.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <alloca.h>

typedef int callback (void);

extern int call_back (callback *function);

/* A frame of a fixed size.  */
static int __attribute__ ((noinline))
plain (callback *function)
{
  return function () + 1;
}

/* A frame of any size, known by FP.  */
static int __attribute__ ((noinline))
growing (callback *function, int size)
{
  volatile char *room = alloca (size);

  room[0] = 1;
  return plain (function) + room[0];
}

/* A frame that is aligned more than the caller's: the rules are flexible.  */
static int __attribute__ ((noinline))
aligned (callback *function, int size)
{
  volatile char room[64] __attribute__ ((aligned (64)));

  room[0] = 1;
  return growing (function, size) + room[0];
}

int
call_back (callback *function)
{
  return aligned (function, 100) + 1;
}
