/* The parts of the kernel's headers for s390 that SFrame needs: registers and
   the stack.
   SPDX-License-Identifier: GPL-2.0-only

   The layout of signal frames is that of the kernel's own headers for user
   space, which kernel-shim.exp provides, with linux/signal.h.  Numbers have
   the byte order of the machine that runs the test.  */

#ifndef SHIM_S390_H
#define SHIM_S390_H

/* asm/processor.h  */

#define TASK_SIZE (-4096UL)

typedef struct
{
  unsigned long high, low;
} __vector128;

struct thread_struct
{
  struct
  {
    __vector128 vxrs[32];
  } ufpu;
};

/* All of them are always saved.  */
#define save_user_fpu_regs() ((void) 0)

/* asm/ptrace.h, asm/stacktrace.h  */

struct pt_regs
{
  unsigned long gprs[16];
  unsigned long ip;
};

/* R6 to R15 are those saved.  */
struct stack_frame_user
{
  unsigned long back_chain;
  unsigned long reserved[5];
  unsigned long gprs[10];
  unsigned long fprs[4];
};

struct stack_frame_vdso_wrapper
{
  struct stack_frame_user sf;
  unsigned long return_address;
};

/* asm/processor.h  */

extern unsigned long vdso_text_size (void);

/* asm/unistd.h  */

#define __NR_sigreturn 119
#define __NR_rt_sigreturn 173

/* asm/unwind_user.h, as far as it is not about words of 32 bits  */

struct unwind_user_state;
extern bool s390_unwind_ip_after (unsigned long ip);
extern int s390_unwind_signal (struct unwind_user_state *state);
extern bool s390_unwind_restorer (unsigned long ip);
extern bool s390_unwind_return_ok (unsigned long ip);
extern bool s390_unwind_in_stub (unsigned long ip);
extern int s390_unwind_saved_sp (unsigned long ip);
extern int s390_unwind_backchain (struct unwind_user_state *state);

#endif /* SHIM_S390_H  */
