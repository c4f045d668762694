/* The registers that unwinding tracks: the interface.

   SPDX-License-Identifier: LGPL-2.1-or-later

   These macros are not in sframe-machine.h, since that includes structures
   whose size depends on them.  A port should track few registers: backtrace
   has little stack.  It defines, in DWARF numbers:

   SFRAME_MACHINE_REGISTERS  registers from 0 up to, but not including, this
			     one are tracked; at most 32.
   SFRAME_MACHINE_RA         the return address column of tables.
   SFRAME_MACHINE_CALL_SAVED the set of call-saved registers, bit N for number
			     N.  */

#error "no sframe-registers.h for this machine"
