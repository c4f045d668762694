/* What SFrame unwinding must know of a machine: the interface.

   SPDX-License-Identifier: LGPL-2.1-or-later

   A port puts its own sframe-machine.h into its sysdeps directory; configure
   refuses --enable-sframe where there is none.  A port defines:

   SFRAME_MACHINE_ABI        the SFRAME_ABI_* of its sections.
   SFRAME_MACHINE_SP         DWARF number of the stack pointer.
   SFRAME_MACHINE_FP         DWARF number of the frame pointer.
   SFRAME_MACHINE_SP_OFFSET  SP of the caller minus CFA.
   SFRAME_MACHINE_ENTRY_SIZE the size of _start in crt1.o, rounded up.
   SFRAME_MACHINE_CODE_ALIGN what the address of any instruction is a multiple
			     of.
   SFRAME_MACHINE_SP_LOOK    how many bytes of code tell where SP is in a
			     function that keeps it in a register that it does
			     not save; 0 if there are no such functions.

   static inline void sframe_capture_caller (struct sframe_registers *)
     always inlined; stores PC, SP and FP as they are in the caller of the
     function that it is inlined into, right after that function returns.

   static inline void sframe_call_rule (struct sframe_rule *)
     stores the rule that applies right after a call, where the callee has not
     executed an instruction yet.

   static inline enum sframe_call
   sframe_call_before (const unsigned char *RETURN, size_t AVAILABLE,
		       uintptr_t PC,
		       const struct sframe_registers *REGISTERS,
		       struct sframe_stack *STACK)
     what the instruction before RETURN is, AVAILABLE bytes before which can be
     read, and whether it has led to PC or, if that traps, to what is right
     before PC.  A call takes at most SFRAME_MACHINE_CALL_SIZE bytes.
     REGISTERS are those right after the call; unless all of them are known,
     only whether it is a call can be told.

   static inline bool sframe_stub (const unsigned char *CODE)
     whether the instruction at CODE, SFRAME_MACHINE_STUB_SIZE bytes around
     which can be read in both directions, belongs to a piece of code that
     jumps on to the function that was called, and for which the linker writes
     no table.  In all of it the rule of a call applies.  If the size is 0
     there is none.

   static inline bool sframe_block_rule (struct sframe_rule *RULE,
					 const struct sframe_rule *FIRST)
     RULE is for a repeated block, FIRST is the rule where the block begins.
     Returns whether RULE can be believed, perhaps after having been
     corrected.

   static inline unsigned int
   sframe_find_sp (const unsigned char *CODE, size_t SIZE)
     the DWARF number of the register that holds the SP of the caller in a
     frame interrupted at CODE, of which SIZE bytes can be read, if the table
     says that the function has not changed SP.

   static inline bool sframe_entry_return (const unsigned char *CODE)
     whether CODE, the return address of a call within the first
     SFRAME_MACHINE_ENTRY_SIZE bytes of the program, is that of _start in
     crt1.o, which does not expect the call to return.  */

#error "no sframe-machine.h for this machine"
