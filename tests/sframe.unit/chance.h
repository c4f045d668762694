/* Pseudo-random numbers, the same in each run that begins with the same state.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CHANCE_H
#define CHANCE_H

#include <stdint.h>

/* Anything but 0.  */
static uint64_t random_state = UINT64_C (88172645463325252);

/* Marsaglia's xorshift generator of 64 bits.  */
static inline uint64_t
next_random (void)
{
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

/* A number below LIMIT.  */
static inline uint64_t
below (uint64_t limit)
{
  return next_random () % limit;
}

#endif /* CHANCE_H  */
