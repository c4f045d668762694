/* Keep objects that a trace may read from being unmapped by dlclose.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe; no allocation, no lock, no
   waiting.

   A broken stack may hold the stale address of an object that another thread
   is unloading.  _dl_sframe_retire keeps the link map and the memory of such
   an object while there are traces that may have found it;
   elf/dl-sframe-retire.c describes the protocol.

   Rejected designs: dlclose waits for traces (a trace that a signal handler
   leaves by siglongjmp never ends); a lock (a handler may interrupt its
   holder); copying the needed parts of link maps under the protocol of
   _dl_find_object (the tables would still be unmapped).  */

#ifndef _SFRAME_PIN_H
#define _SFRAME_PIN_H

#include <atomic.h>
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

/* Pin objects: none that the trace finds from now on is unmapped.  Set
   *PIN, which must be zero before the first call, to the index of the
   counter plus one.  */
static inline void
sframe_pin_begin (uint8_t *pin)
{
  if (*pin != 0)
    return;
  struct sframe_unloads *unloads = sframe_unloads ();
  uint32_t epoch = atomic_load_relaxed (&unloads->epoch);
  *pin = epoch % 2 + 1;
  atomic_fetch_add_relaxed (&unloads->pins[epoch % 2], 1);
  /* Pairs with the fences in _dl_sframe_retire and _dl_sframe_busy_libgcc
     (elf/dl-sframe-retire.c): either the loader reads the incremented
     counter, or this trace does not find the object.  */
  atomic_thread_fence_seq_cst ();
}

/* End what sframe_pin_begin began.  Does nothing if PIN is zero.  */
static inline void
sframe_pin_end (uint8_t pin)
{
  /* Pairs with the acquire loads in _dl_sframe_reclaim and has_pins
     (elf/dl-sframe-retire.c).  */
  if (pin != 0)
    atomic_fetch_add_release (&sframe_unloads ()->pins[pin - 1], -1);
}

#endif /* _SFRAME_PIN_H  */
