/* The parts of glibc's ldsodefs.h that the sources of libc need, for another
   libc.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _LDSODEFS_H
#define _LDSODEFS_H

#include <stdint.h>

#define GLRO(name) sframe_##name

/* x86-64 and s390x have pages of one size.  */
enum { sframe_dl_pagesize = 4096 };

/* Where the stack of the main thread ends.  */
extern void *__libc_stack_end;

#endif /* _LDSODEFS_H  */
