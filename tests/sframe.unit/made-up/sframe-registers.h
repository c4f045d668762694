/* The registers of a simulated machine.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The interface is described in sysdeps/generic/sframe-registers.h.  */

#ifndef _SFRAME_REGISTERS_H
#define _SFRAME_REGISTERS_H

#define SFRAME_MACHINE_REGISTERS 4
#define SFRAME_MACHINE_RA 3
#define SFRAME_MACHINE_CALL_SAVED 0xf

#endif /* _SFRAME_REGISTERS_H  */
