/* What sframe-stack.c needs of the loader, for its test.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _LDSODEFS_H
#define _LDSODEFS_H

#define GLRO(name) stack_##name

enum { stack_dl_pagesize = 4096 };

#endif /* _LDSODEFS_H  */
