/* Finding the functions of several callers at once: not yet.

   SPDX-License-Identifier: LGPL-2.1-or-later

   A later patch replaces this file.  */

#ifndef _SFRAME_AHEAD_H
#define _SFRAME_AHEAD_H

#include <sframe-module.h>
#include <sframe-trace.h>

static inline void
__sframe_look_ahead (struct sframe_trace *trace, const sframe_module *module)
{
}

static inline bool
sframe_ahead_is_useful (const struct sframe_trace *trace,
			const sframe_module *module)
{
  return false;
}

#endif /* _SFRAME_AHEAD_H  */
