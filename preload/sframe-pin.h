/* The interface between traces and the loader, on another glibc: empty.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe.

   The functions are described in debug/sframe-pin.h.  The loader of another
   glibc neither counts unloaded objects nor keeps them mapped for a trace.  So
   rules of objects that can be unloaded are not cached, see sframe-module.h.
   And if a trace has found an object by a stale address on a broken stack,
   another thread may unmap the object during the trace.  */

#ifndef _SFRAME_PIN_H
#define _SFRAME_PIN_H

#include <sframe-unloads.h>

/* Its count stays 0: objects whose rules are cached are never unloaded.  */
extern struct sframe_unloads __sframe_unload_state attribute_hidden;

static inline struct sframe_unloads *
sframe_unloads (void)
{
  return &__sframe_unload_state;
}

/* The default of the tunable glibc.rtld.sframe; there is no tunable here.  */
static inline int
sframe_setting (void)
{
  return 1;
}

static inline void
sframe_pin_begin (uint8_t *pin)
{
}

static inline void
sframe_pin_end (uint8_t pin)
{
}

#endif /* _SFRAME_PIN_H  */
