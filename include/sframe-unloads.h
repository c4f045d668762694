/* What the loader and backtrace tell one another about objects that are unloaded.

   SPDX-License-Identifier: LGPL-2.1-or-later

   There is one of these in a process, that of the loader at work, whatever
   number of C libraries the process has.  */

#ifndef _SFRAME_UNLOADS_H
#define _SFRAME_UNLOADS_H

#include <stdint.h>

struct sframe_unloads
{
  /* How many objects were unloaded.  Written by the loader, which holds
     dl_load_lock; tells a trace which of the rules that are remembered are of
     objects that are gone.  */
  uint64_t count;
  /* The two counters of traces that may read objects, and how often the loader
     has changed from one to the other; see elf/dl-sframe.c.  */
  uint32_t readers[2];
  uint32_t epoch;
};

#endif /* _SFRAME_UNLOADS_H  */
