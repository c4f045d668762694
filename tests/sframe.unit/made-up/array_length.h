/* In libc-symbols.h.
   SPDX-License-Identifier: LGPL-2.1-or-later  */
