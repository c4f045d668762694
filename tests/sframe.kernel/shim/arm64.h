/* The parts of the kernel's headers for arm64 that SFrame needs: registers and
   instructions.
   SPDX-License-Identifier: GPL-2.0-only

   The layout of signal frames is that of the kernel's own headers for user
   space, which kernel-shim.exp provides, with linux/signal.h.  */

#ifndef SHIM_ARM64_H
#define SHIM_ARM64_H

/* asm/processor.h  */

#define TASK_SIZE (1UL << 48)

struct thread_struct
{
  unsigned long fault_address;
};

/* asm/ptrace.h; IP is what the kernel calls PC there.  */

struct pt_regs
{
  unsigned long regs[31];
  unsigned long sp, ip;
};

#define pt_regs_read_reg(pt_regs, number) ((pt_regs)->regs[number])

/* asm/insn.h, asm/debug-monitors.h  */

#define AARCH64_INSN_SIZE 4
#define BRK64_OPCODE_UPROBES 0xd42000a0
#define aarch64_insn_is_bl(insn) (((insn) & 0xfc000000) == 0x94000000)
#define aarch64_insn_is_blr(insn) (((insn) & 0xfffffc1f) == 0xd63f0000)
#define aarch64_insn_is_blr_auth(insn) (((insn) & 0xfefff800) == 0xd63f0800)

/* asm/unistd.h, asm/mmu.h  */

#define __NR_rt_sigreturn 139
#define MMCF_AARCH32 1

/* asm/unwind_user.h: a signature is in bits 48 to 54, a tag in the highest
   byte.  */

#define unwind_user_strip_ra(ra) ((ra) & ~(0x7fUL << 48))
#define unwind_user_untag(address) ((address) & ~(0xffUL << 56))

#endif /* SHIM_ARM64_H  */
