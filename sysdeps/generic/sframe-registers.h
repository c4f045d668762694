/* The registers that unwinding keeps track of: the interface.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Apart from sframe-machine.h since the size of structures depends on these,
   and structures should be small: there is 1 KiB of stack for all of
   backtrace.  A port defines, in DWARF numbers:

   SFRAME_MACHINE_REGISTERS  how many, from 0 up, rules may use; at most 32.
   SFRAME_MACHINE_RA         that of the return address in tables.
   SFRAME_MACHINE_CALL_SAVED the set, bit N for number N, of those that a
			     function leaves as it found them.  */

#error "no sframe-registers.h for this machine"
