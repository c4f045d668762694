/* The thread whose stack stack.c looks at, as the test plays it.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _SFRAME_THREAD_H
#define _SFRAME_THREAD_H

#include <sframe-stack.h>

bool sframe_thread_stack (struct sframe_range *range);

#endif /* _SFRAME_THREAD_H  */
