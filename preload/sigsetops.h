/* Empty: libc-symbols.h has the definitions.
   SPDX-License-Identifier: LGPL-2.1-or-later  */
