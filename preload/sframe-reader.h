/* What a trace and the loader tell one another: nothing, with a loader that is not ours.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe.

   The functions are those of debug/sframe-reader.h.  That loader neither says
   that it has unloaded an object nor waits with it.  So no rule of an object
   that can be unloaded is remembered, see sframe-module.h; and an object that
   another thread unloads during a trace which has found it, by a stale address
   on a broken stack, may be unmapped under its eyes.  */

#ifndef _SFRAME_READER_H
#define _SFRAME_READER_H

#include <sframe-unloads.h>

/* Nothing that was remembered is ever wrong, so the count stays 0.  */
extern struct sframe_unloads sframe_unload_state attribute_hidden;

static inline struct sframe_unloads *
sframe_unloads (void)
{
  return &sframe_unload_state;
}

/* As the tunable glibc.rtld.sframe by default.  */
static inline int
sframe_setting (void)
{
  return 1;
}

static inline void
sframe_reader_begin (uint8_t *reader)
{
}

static inline void
sframe_reader_end (uint8_t reader)
{
}

#endif /* _SFRAME_READER_H  */
