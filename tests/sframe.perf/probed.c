/* Functions with different first instructions, for probes there, and one for a
   probe of its return, whose callees take the time.

   SPDX-License-Identifier: GPL-2.0-only  */

#include <stddef.h>

#define NOINLINE __attribute__ ((noinline, noclone))
#define KEEP() asm volatile ("" : : : "memory")

#define FUNCTION(name, body)						\
  asm (".globl " #name "\n"						\
       ".type " #name ", @function\n"					\
       #name ":\n"							\
       ".cfi_startproc\n"						\
       body								\
       "ret\n"								\
       ".cfi_endproc\n"							\
       ".size " #name ", . - " #name "\n");				\
  extern void name (void)

FUNCTION (begin_sub, "sub $24, %rsp\n" ".cfi_adjust_cfa_offset 24\n"
	  "add $24, %rsp\n" ".cfi_adjust_cfa_offset -24\n");
FUNCTION (begin_mov, "mov $1, %eax\n");
FUNCTION (begin_push, "push %rbx\n" ".cfi_adjust_cfa_offset 8\n"
	  "pop %rbx\n" ".cfi_adjust_cfa_offset -8\n");

static volatile unsigned long turns;

void NOINLINE
spend_time (void)
{
  for (int i = 0; i < 3000000; ++i)
    ++turns;
  KEEP ();
}

/* Frames between this one and its caller return to the trampoline.  */
void NOINLINE
returns (void)
{
  spend_time ();
  KEEP ();
}

void NOINLINE
call_all (void)
{
  asm volatile ("mov $1, %%ebp" : : : "rbp");
  begin_sub ();
  begin_mov ();
  begin_push ();
  returns ();
  KEEP ();
}

int
main (void)
{
  for (int i = 0; i < 20; ++i)
    call_all ();
  return 0;
}
