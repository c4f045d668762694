/* Attributes by which functions of backtrace use little stack.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: pure.  What backtrace may use is in debug/sframe-backtrace.h.  */

#ifndef _SFRAME_STACK_USE_H
#define _SFRAME_STACK_USE_H

/* A function that returns before the deepest call is not inlined, so that it
   releases its stack when it returns.  */
#define RELEASE_STACK __attribute__ ((noinline))
/* Functions on the path to the deepest call are inlined, so that they share
   one frame.  */
#define SHARE_STACK inline __attribute__ ((always_inline))

#endif /* _SFRAME_STACK_USE_H  */
