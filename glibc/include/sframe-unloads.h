/* State that the loader and all C libraries of a process share.

   SPDX-License-Identifier: LGPL-2.1-or-later

   It counts unloaded objects, and has the larger cache tables and what is known
   of libgcc.  A process has one such structure, that of the active loader, even
   if it has several C libraries.  */

#ifndef _SFRAME_UNLOADS_H
#define _SFRAME_UNLOADS_H

#include <gnu/lib-names.h>
#include <ldsodefs.h>
#include <stdint.h>

/* The unwinder that backtrace uses for registered code: UNWIND_SONAME, which
   unwind-link.h defines for shared objects only.  */
#ifndef HAVE_CC_WITH_LIBUNWIND
# define SFRAME_UNWINDER_SONAME LIBGCC_S_SO
#else
# define SFRAME_UNWINDER_SONAME LIBUNWIND_SO
#endif

struct sframe_unloads
{
  /* How many objects were unloaded.  Written by the loader under
     dl_load_lock.  A trace ignores rules that were cached under an older
     count: their objects may be gone.  */
  uint64_t count;
  /* The counters of traces that may read objects, one for each parity of the
     epoch, and the epoch; see elf/dl-sframe-retire.c.  */
  uint32_t pins[2];
  uint32_t epoch;
  /* The larger cache tables, or null; each pointer is written once.  See
     debug/sframe-grow.c.  */
  struct sframe_cache *tables[2];
  /* The unwinder of each namespace, or null: SFRAME_UNWINDER_SONAME is not
     loaded, not relocated yet, or about to be unloaded.  Written by the loader
     under dl_load_lock; see _dl_sframe_find_unwinder.  The last member, since
     the loader of a static program has one namespace only.  */
  struct link_map *unwinders[DL_NNS];
};

#endif /* _SFRAME_UNLOADS_H  */
