/* Machine dependencies of SFrame unwinding: the interface.

   SPDX-License-Identifier: LGPL-2.1-or-later

   A port has its own sframe-machine.h in its sysdeps directory; without one
   configure rejects --enable-sframe.  A port defines:

   SFRAME_MACHINE_ABI        the SFRAME_ABI_* of its sections.
   SFRAME_MACHINE_SP         DWARF number of the stack pointer.
   SFRAME_MACHINE_FP         DWARF number of the frame pointer.
   SFRAME_MACHINE_SP_OFFSET  SP of the caller minus CFA.
   SFRAME_MACHINE_ENTRY_SIZE the size of _start in crt1.o, rounded up.
   SFRAME_MACHINE_CODE_ALIGN the alignment of instructions.
   SFRAME_MACHINE_FRAMELESS  1 if a function can make a call without having
			     changed SP: its return address is in a register
			     that its callee does not change.
   SFRAME_MACHINE_SAVE_AREA  1 if a function can make a call without having
			     changed SP: it has saved its return address in
			     its caller's frame.
   SFRAME_MACHINE_RECORD     1 if FP points to the saved FP and RA, which may
			     be at any distance below the CFA; 0 if these are
			     right below the CFA.
   SFRAME_MACHINE_SP_LOOK    how many bytes of code sframe_find_sp may read; 0
			     if no function keeps the caller's SP in a register
			     that it does not save.

   static inline void sframe_capture_caller (struct sframe_registers *)
     always inlined; stores PC, SP and FP of the caller of the function that it
     is inlined into, with the values right after that function returns.

   static inline void sframe_call_rule (struct sframe_rule *)
     stores the rule at the first instruction of any function.

   static inline enum sframe_call
   sframe_call_before (const unsigned char *RETURN, size_t AVAILABLE,
		       uintptr_t PC,
		       const struct sframe_registers *REGISTERS,
		       struct sframe_stack *STACK)
     returns whether the instruction before RETURN is a call, and whether its
     target is PC, or a trap that ends at PC.  AVAILABLE bytes before
     RETURN can be read.  A call has at most SFRAME_MACHINE_CALL_SIZE bytes.
     REGISTERS are those right after the call; unless all of them are known,
     the result only tells whether there is a call.

   static inline int sframe_stub (const unsigned char *CODE)
     returns -1 unless CODE is in a PLT stub, a piece of code that jumps to the
     called function and for which the linker writes no table.  In a stub it
     returns how many bytes the stub has pushed so far; without these the rule
     of sframe_call_rule applies.  SFRAME_MACHINE_STUB_SIZE bytes before and
     from CODE can be read; 0 if there are no such stubs.

   static inline bool sframe_block_rule (struct sframe_rule *RULE,
					 const struct sframe_rule *FIRST)
     corrects RULE, of a PC in a repeated block, if necessary, and returns
     whether it can be trusted.  FIRST is the rule at the start of the block.

   static inline unsigned int
   sframe_find_sp (const unsigned char *CODE, size_t SIZE)
     returns the DWARF number of the register that holds the caller's SP in a
     frame interrupted at CODE, of which SIZE bytes can be read.  Used where
     the table says that the function has not changed SP.

   static inline bool sframe_entry_return (const unsigned char *CODE)
     returns whether CODE, a return address within the first
     SFRAME_MACHINE_ENTRY_SIZE bytes from the program's entry point, is that of
     the call in _start (crt1.o), which never returns.  */

#error "no sframe-machine.h for this machine"
