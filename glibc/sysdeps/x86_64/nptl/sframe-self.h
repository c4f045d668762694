/* Pointer to the descriptor of the calling thread, for backtrace.  x86-64.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: THREAD_SELF is a word of the descriptor, which lies above the
   thread's stack: an overrun can overwrite it.  It cannot change the segment
   register.  */

#ifndef _SFRAME_SELF_H
#define _SFRAME_SELF_H

#include <tls.h>

#define SFRAME_SELF ((struct pthread __seg_fs *) 0)

#endif /* _SFRAME_SELF_H  */
