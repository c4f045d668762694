/* Keep objects that a trace may read from being unmapped by dlclose.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe; no allocation, no lock, no
   waiting.

   A broken stack may hold the stale address of an object that another thread
   is unloading.  _dl_sframe_retire keeps the link map and the memory of such
   an object while there are readers that may have found it; elf/dl-sframe.c
   describes the protocol.

   Rejected designs: dlclose waits for traces (a trace that a signal handler
   leaves by siglongjmp never ends); a lock (a handler may interrupt its
   holder); copying the needed parts of link maps under the protocol of
   _dl_find_object (the tables would still be unmapped).  */

#ifndef _SFRAME_READER_H
#define _SFRAME_READER_H

#include <elf/dl-tunables.h>
#include <ldsodefs.h>
#include <sframe-unloads.h>
#include <stdint.h>

/* The state that the loader shares with all C libraries.  */
static inline struct sframe_unloads *
sframe_unloads (void)
{
  return GLRO (dl_sframe_unloads);
}

/* The tunable glibc.rtld.sframe.  */
static inline int
sframe_setting (void)
{
  return TUNABLE_GET (glibc, rtld, sframe, int32_t, NULL);
}

/* Begin to read: no object that the trace finds from now on is unmapped.  Set
   *READER, which must be zero before the first call, to the index of the
   counter plus one.  */
static inline void
sframe_reader_begin (uint8_t *reader)
{
  if (*reader != 0)
    return;
  struct sframe_unloads *unloads = sframe_unloads ();
  uint32_t epoch = __atomic_load_n (&unloads->epoch, __ATOMIC_RELAXED);
  *reader = epoch % 2 + 1;
  __atomic_fetch_add (&unloads->readers[epoch % 2], 1, __ATOMIC_RELAXED);
  /* Pairs with the fences in _dl_sframe_retire and _dl_sframe_busy_libgcc
     (elf/dl-sframe.c): either the loader reads the incremented counter, or
     this trace does not find the object, or sees that libgcc is being
     closed.  */
  __atomic_thread_fence (__ATOMIC_SEQ_CST);
}

/* End what sframe_reader_begin began.  Does nothing if READER is zero.  */
static inline void
sframe_reader_end (uint8_t reader)
{
  /* Pairs with the acquire loads in reclaim and has_readers
     (elf/dl-sframe.c).  */
  if (reader != 0)
    __atomic_fetch_sub (&sframe_unloads ()->readers[reader - 1], 1,
			__ATOMIC_RELEASE);
}

#endif /* _SFRAME_READER_H  */
