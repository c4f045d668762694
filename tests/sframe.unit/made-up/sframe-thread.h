/* The bounds of the thread's stack, simulated by stack.c.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _SFRAME_THREAD_H
#define _SFRAME_THREAD_H

#include <sframe-stack.h>

bool sframe_thread_stack (struct sframe_range *range);

#endif /* _SFRAME_THREAD_H  */
