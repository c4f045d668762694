/* What libc's sources need of the loader, for tests on a made-up system.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _LDSODEFS_H
#define _LDSODEFS_H

#define GLRO(name) unit_##name

enum { unit_dl_pagesize = 4096 };

#endif /* _LDSODEFS_H  */
