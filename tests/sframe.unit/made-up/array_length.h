/* Empty: libc-symbols.h has the definition.
   SPDX-License-Identifier: LGPL-2.1-or-later  */
