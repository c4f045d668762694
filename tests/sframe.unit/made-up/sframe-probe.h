/* The probe of memory, simulated by stack.c.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _SFRAME_PROBE_H
#define _SFRAME_PROBE_H

#include <sframe-stack.h>

enum sframe_probe sframe_probe_word (uintptr_t address, bool *checked);

#endif /* _SFRAME_PROBE_H  */
