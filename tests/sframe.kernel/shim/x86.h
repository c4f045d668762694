/* The parts of the kernel's headers for x86-64 that SFrame needs: registers
   and the signal frame.
   SPDX-License-Identifier: GPL-2.0-only  */

#ifndef SHIM_X86_H
#define SHIM_X86_H

/* asm/page_types.h  */

#define TASK_SIZE ((1UL << 47) - 4096)

/* asm/processor.h, asm/ptrace.h, asm/sigframe.h  */

struct thread_struct
{
  unsigned long trap_nr;
};

/* asm/cpufeature.h  */

#define cpu_feature_enabled(feature) machine.fred

/* asm/trapnr.h  */

#define X86_TRAP_BP 3

struct pt_regs
{
  unsigned long ax, dx, cx, bx, si, di, bp, sp, r8, r9, r10, r11, r12, r13,
    r14, r15, ip;
};

struct ucontext
{
  unsigned long head[5];
  struct
  {
    unsigned long r8, r9, r10, r11, r12, r13, r14, r15, di, si, bp, bx, dx,
      ax, cx, sp, ip, flags, segments, err, trapno, oldmask, cr2, fpstate,
      reserved[8];
  } uc_mcontext;
  sigset_t uc_sigmask;
};

struct rt_sigframe
{
  char *pretcode;
  struct ucontext uc;
  struct
  {
    int si_signo, si_errno, si_code;
    unsigned char rest[116];
  } info;
};

#define regs_get_register(regs, offset) \
  (*(unsigned long *) ((char *) (regs) + (offset)))

#endif /* SHIM_X86_H  */
