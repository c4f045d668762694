/* Overwrite a saved register or return address, for the tests of backtrace.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef _TST_SFRAME_OVERWRITE_H
#define _TST_SFRAME_OVERWRITE_H

#include "tst-sframe-asm.h"
#include "tst-sframe-support.h"

#if HAVE_SFRAME_ASM

static void FRAME
take (struct trace *trace)
{
  trace->count = backtrace (trace->pc, TRACE_MAX);
  KEEP_FRAME ();
}

/* Take TRACE while *PLACE, a stack slot of the function that this is inlined
   into, holds *VALUE, or its right value if VALUE is null.  */
static inline void __attribute__ ((always_inline))
take_with (void *volatile *place, void *const *value, struct trace *trace)
{
  void *saved = *place;
  if (value != NULL)
    *place = *value;
  take (trace);
  *place = saved;
}

static void FRAME __attribute__ ((unused))
smash_fp (void *const *value, struct trace *trace)
{
  take_with (SAVED_FP, value, trace);
}

static void FRAME __attribute__ ((unused))
smash_ra (void *const *value, struct trace *trace)
{
  take_with (SAVED_RA, value, trace);
}

#endif

#endif /* _TST_SFRAME_OVERWRITE_H  */
