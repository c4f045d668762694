/* The two macros that libsframe's installed headers expect from libiberty.

   SPDX-License-Identifier: LGPL-2.1-or-later

   <sframe.h> includes a header of this name for these macros; Debian has it in
   another package.  */

#ifndef ANSIDECL_H
#define ANSIDECL_H

#define ATTRIBUTE_PACKED __attribute__ ((packed))
#define ATTRIBUTE_UNUSED __attribute__ ((unused))

#endif /* ANSIDECL_H  */
