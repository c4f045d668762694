/* The function of the measured subject that walks the stack.

   SPDX-License-Identifier: LGPL-2.1-or-later

   WALK is that function.  WALKER is a part of the name of the object that must
   define it: libunwind also defines backtrace, which replaces libc's if both
   are linked in the usual order.  */

#ifndef _WALK_H
#define _WALK_H

#include <execinfo.h>

#ifndef WALK
# define WALK backtrace
# define WALKER "/libc.so."
#endif

extern int WALK (void **, int);

/* libc's callers of main, and of the first function of a thread, have no frame
   pointers.  A walk by frame pointers ends before them.  */
#ifdef FRAME_POINTERS
enum { MAIN_FRAMES = 1, THREAD_FRAMES = 1 };
extern __thread void **outermost_frame;
# define BEGIN_STACK() (outermost_frame = __builtin_frame_address (0))
#else
enum { MAIN_FRAMES = 4, THREAD_FRAMES = 3 };
# define BEGIN_STACK() ((void) 0)
#endif

#endif /* _WALK_H  */
