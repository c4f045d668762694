/* Telling the loader that a trace may read objects that are unloaded.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe; no allocation, no lock, and
   nobody waits.

   A return address on a broken stack may be a stale one, of an object that
   another thread is unloading.  While there are readers that may have found
   such an object, _dl_sframe_retire keeps its link map and its memory; see
   there for the protocol.

   Ways that were not taken: to have dlclose wait for traces (a trace that a
   signal handler has interrupted, and left by siglongjmp, never ends); a lock
   (a handler may interrupt its holder); a copy of what is needed of link maps
   under the protocol of _dl_find_object (the tables themselves would still go
   away).  */

#ifndef _SFRAME_READER_H
#define _SFRAME_READER_H

#include <ldsodefs.h>
#include <sframe-unloads.h>
#include <stdint.h>

/* From now on no object goes away that READER finds.  *READER, which is zero at
   first, becomes the number of a counter, plus one.  */
static inline void
sframe_reader_begin (uint8_t *reader)
{
  if (*reader != 0)
    return;
  struct sframe_unloads *unloads = GLRO (dl_sframe_unloads);
  uint32_t epoch = __atomic_load_n (&unloads->epoch, __ATOMIC_RELAXED);
  *reader = epoch % 2 + 1;
  __atomic_fetch_add (&unloads->readers[epoch % 2], 1, __ATOMIC_RELAXED);
  /* Pairs with the fence in _dl_sframe_retire: either that sees the count, or
     _dl_find_object does not find the object here.  */
  __atomic_thread_fence (__ATOMIC_SEQ_CST);
}

/* READER does not look into any object any more.  */
static inline void
sframe_reader_end (uint8_t reader)
{
  /* Pairs with the acquire load in dl-sframe.c's reclaim.  */
  if (reader != 0)
    __atomic_fetch_sub (&GLRO (dl_sframe_unloads)->readers[reader - 1], 1,
			__ATOMIC_RELEASE);
}

#endif /* _SFRAME_READER_H  */
