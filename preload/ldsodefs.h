/* The parts of glibc's ldsodefs.h that the sources of libc need, for another
   libc.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _LDSODEFS_H
#define _LDSODEFS_H

#include <stdint.h>
#include <sys/auxv.h>

#define GLRO(name) sframe_##name

/* For sframe-unloads.h.  */
#define DL_NNS 1

/* Only some machines have pages of one size.  */
#if defined __x86_64__ || defined __s390x__
enum { sframe_dl_pagesize = 4096 };
#else
# define sframe_dl_pagesize getauxval (AT_PAGESZ)
#endif

/* Where the stack of the main thread ends.  */
extern void *__libc_stack_end;

#endif /* _LDSODEFS_H  */
