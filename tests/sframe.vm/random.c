/* Call the vDSO for random bytes, for about a second: its ChaCha20 is
   assembly.
   SPDX-License-Identifier: GPL-2.0-only  */

#include <sys/random.h>
#include <time.h>

int
main (void)
{
  char bytes[192];

  while (clock () < CLOCKS_PER_SEC)
    for (int i = 0; i < 1000; ++i)
      if (getrandom (bytes, sizeof bytes, 0) != sizeof bytes)
	return 1;
  return 0;
}
