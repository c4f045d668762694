/* As much of the kernel as its SFrame reader needs, in user space.
   SPDX-License-Identifier: GPL-2.0-only

   Given to the compiler by -include.  The headers that the reader includes
   are empty files that kernel.exp makes; what would be in them is here.  */

#ifndef SHIM_H
#define SHIM_H

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int32_t s32;
typedef int64_t s64;

#define CONFIG_HAVE_UNWIND_USER_SFRAME 1
#define __user
#define __packed __attribute__ ((packed))
#define BIT(n) (1UL << (n))
#define GENMASK_ULL(high, low) ((~0ULL >> (63 - (high))) & (~0ULL << (low)))
#define ARRAY_SIZE(a) (sizeof (a) / sizeof (a)[0])
#define min_t(type, a, b) ((type) (a) < (type) (b) ? (type) (a) : (type) (b))
#define unlikely(condition) (condition)
#define READ_ONCE(x) (*(volatile __typeof__ (x) *) &(x))

#define get_unaligned(p)						\
  (((const struct { __typeof__ (*(p)) value; } __packed *) (p))->value)

static inline s32
sign_extend32 (u32 value, int bit)
{
  int unused = 31 - bit;
  return (s32) (value << unused) >> unused;
}

/* User memory, which ends or faults where the test says.  */
extern unsigned long copy_from_user (void *to, const void *from,
				     unsigned long size);
#define get_user(x, p)							\
  ({ __typeof__ (*(p)) value_;						\
     unsigned long left_ = copy_from_user (&value_, (p), sizeof value_);	\
     if (left_ == 0)							\
       (x) = value_;							\
     left_ == 0 ? 0 : -EFAULT; })

struct mm_struct
{
  struct sframe_mm *sframe;
};

struct unwind_user_state
{
  unsigned long ip, sp, fp, ucontext;
  unsigned int sframe_rows, ws;
  bool topmost, done;
};

struct pt_regs
{
  unsigned long ax, dx, cx, bx, si, di, bp, sp, r8, r9, r10, r11, r12, r13,
    r14, r15;
};

struct ucontext
{
  unsigned long head[5];
  struct
  {
    unsigned long r8, r9, r10, r11, r12, r13, r14, r15, di, si, bp, bx, dx,
      ax, cx, sp, ip;
  } uc_mcontext;
};

static inline unsigned long
regs_get_register (struct pt_regs *regs, unsigned int offset)
{
  return *(unsigned long *) ((char *) regs + offset);
}

extern struct pt_regs *task_pt_regs (void *task);
#define current NULL

#endif /* SHIM_H  */
