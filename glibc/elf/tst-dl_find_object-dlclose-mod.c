/* Module for tst-dl_find_object-dlclose: one that takes long to unmap.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

static char large[8 << 20];

void __attribute__ ((constructor))
large_fill (void)
{
  memset (large, 1, sizeof large);
}
