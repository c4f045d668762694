/* The machine dependencies of judge.c: registers, and how calls are made.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Document: the psABI supplements, "The Stack Frame" and "Calling Sequence".
   */

#ifndef MACHINE_H
#define MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>

/* A frame that has made a call or was interrupted: it continues at RET, and
   exists until SP is above HOME.  */
struct call
{
  uintptr_t ret, home;
  bool interrupted;
};

struct place
{
  uintptr_t pc, sp, link;
};

/* More than the longest instruction.  */
enum { INSTRUCTION_MAX = 15 };

#if defined __x86_64__

enum { LOSES_STEPS = 0 };

static inline struct place
place_of (const ucontext_t *context)
{
  const greg_t *registers = context->uc_mcontext.gregs;

  return (struct place) { .pc = registers[REG_RIP],
			  .sp = registers[REG_RSP] };
}

/* The interrupted context of the handler whose first instruction CONTEXT is
   at.  */
static inline const ucontext_t *
interrupted_by (const ucontext_t *context)
{
  return (const ucontext_t *) context->uc_mcontext.gregs[REG_RDX];
}

/* The return address of the function whose first instruction PLACE is at.  */
static inline uintptr_t
returns_to (const struct place *place)
{
  return *(const uintptr_t *) place->sp;
}

/* The home of a call whose callee has this CFA.  */
static inline uintptr_t
home_of (uintptr_t cfa)
{
  return cfa - 8;
}

static inline uintptr_t
home_of_call (const struct place *before, const struct place *now)
{
  (void) before;
  return now->sp;
}

static inline bool
is_call (const struct place *before, const struct place *now, uintptr_t ret)
{
  return (now->sp == before->sp - 8 && now->pc != ret
	  && ret - before->pc - 1 < INSTRUCTION_MAX);
}

/* Whether CALL has ended at PLACE.  */
static inline bool
is_over (const struct call *call, const struct place *place)
{
  return call->home < place->sp;
}

/* Whether CALL, which has ended, has returned to PLACE.  */
static inline bool
is_return (const struct call *call, const struct place *place)
{
  return call->ret == place->pc;
}

/* Whether the return address of CALL was overwritten.  */
static inline bool
is_rewritten (const struct call *call)
{
  return (!call->interrupted
	  && *(const uintptr_t *) call->home != call->ret);
}

static inline bool
is_left (const struct call *call, const struct place *place)
{
  (void) call;
  (void) place;
  return false;
}

/* The register with the address of the signals that the next instruction is to
   block.  */
static inline greg_t *
signal_set (ucontext_t *context)
{
  return &context->uc_mcontext.gregs[REG_RSI];
}

/* Whether the next instruction blocks signals.  */
static inline bool
is_blocking (const ucontext_t *context)
{
  const greg_t *registers = context->uc_mcontext.gregs;
  const unsigned char *code = (const unsigned char *) registers[REG_RIP];

  return (code[0] == 0x0f && code[1] == 0x05
	  && registers[REG_RAX] == SYS_rt_sigprocmask
	  && registers[REG_RDI] != SIG_UNBLOCK);
}

#elif defined __s390x__

static inline struct place
place_of (const ucontext_t *context)
{
  return (struct place) { .pc = context->uc_mcontext.psw.addr,
			  .sp = context->uc_mcontext.gregs[15],
			  .link = context->uc_mcontext.gregs[14] };
}

static inline const ucontext_t *
interrupted_by (const ucontext_t *context)
{
  return (const ucontext_t *) context->uc_mcontext.gregs[4];
}

/* The caller has a save area of 160 bytes for the callee.  */
static inline uintptr_t
home_of (uintptr_t cfa)
{
  return cfa - 160;
}

/* The emulator sometimes skips the signal of a step or two, mostly at calls
   and returns: up to this many bytes of instructions may not have been seen,
   in rare cases more.  */
enum { UNSEEN_MAX = 18, LOSES_STEPS = 1 };

/* Whether PC is TARGET or less than UNSEEN_MAX bytes after it.  */
static inline bool
is_near (uintptr_t pc, uintptr_t target)
{
  return pc - target < UNSEEN_MAX;
}

/* A call leaves the return address in R14, where it may stay long after the
   call.  So there must be a call before that address, and it must lead here as
   far as can be decoded: BRASL, BRAS, or BASR through a register.  */
static inline bool
is_call (const struct place *before, const struct place *now, uintptr_t ret)
{
  const unsigned char *code = (const unsigned char *) ret;
  int32_t far;
  int16_t near;

  if (now->pc == ret
      || ret - before->pc > (now->link == before->link
			     ? UNSEEN_MAX : 4 * UNSEEN_MAX))
    return false;
  __builtin_memcpy (&far, code - 4, sizeof far);
  __builtin_memcpy (&near, code - 2, sizeof near);
  return ((code[-6] == 0xc0 && code[-5] == 0xe5
	   && is_near (now->pc, ret - 6 + 2 * (intptr_t) far))
	  || (code[-4] == 0xa7 && code[-3] == 0xe5
	      && is_near (now->pc, ret - 4 + 2 * (intptr_t) near))
	  || (code[-2] == 0x0d && code[-1] >> 4 == 0xe
	      && now->sp == before->sp && ret - before->pc == 2));
}

static inline bool
is_return (const struct call *call, const struct place *place)
{
  return place->pc - call->ret < UNSEEN_MAX;
}

static inline greg_t *
signal_set (ucontext_t *context)
{
  return &context->uc_mcontext.gregs[3];
}

static inline bool
is_blocking (const ucontext_t *context)
{
  const greg_t *registers = context->uc_mcontext.gregs;
  const unsigned char *code
    = (const unsigned char *) context->uc_mcontext.psw.addr;

  return (code[0] == 0x0a
	  && (code[1] == SYS_rt_sigprocmask
	      || (code[1] == 0 && registers[1] == SYS_rt_sigprocmask))
	  && registers[2] != SIG_UNBLOCK);
}

#elif defined __aarch64__

enum { LOSES_STEPS = 0, INSTRUCTION_SIZE = 4 };

static inline struct place
place_of (const ucontext_t *context)
{
  return (struct place) { .pc = context->uc_mcontext.pc,
			  .sp = context->uc_mcontext.sp,
			  .link = context->uc_mcontext.regs[30] };
}

static inline const ucontext_t *
interrupted_by (const ucontext_t *context)
{
  return (const ucontext_t *) context->uc_mcontext.regs[2];
}

static inline uintptr_t
home_of (uintptr_t cfa)
{
  return cfa;
}

/* BL and BLR do no more than this.  */
static inline bool
is_call (const struct place *before, const struct place *now, uintptr_t ret)
{
  return (ret == before->pc + INSTRUCTION_SIZE && now->pc != ret
	  && now->sp == before->sp);
}

static inline bool
is_return (const struct call *call, const struct place *place)
{
  return call->ret == place->pc;
}

static inline greg_t *
signal_set (ucontext_t *context)
{
  return (greg_t *) &context->uc_mcontext.regs[1];
}

enum { SVC_0 = 0xd4000001 };

/* Whether a new thread is at one of the two instructions after the system call
   that has made it.  For them the tables name the caller of the old one.  */
static inline bool
is_new_thread (const ucontext_t *context)
{
  const mcontext_t *machine = &context->uc_mcontext;
  const uint32_t *code = (const uint32_t *) machine->pc;

  return (machine->regs[0] == 0
	  && (machine->regs[8] == SYS_clone || machine->regs[8] == SYS_clone3)
	  && (code[-1] == SVC_0 || code[-2] == SVC_0));
}

static inline bool
is_blocking (const ucontext_t *context)
{
  const mcontext_t *machine = &context->uc_mcontext;

  return (*(const uint32_t *) machine->pc == SVC_0
	  && machine->regs[8] == SYS_rt_sigprocmask
	  && machine->regs[0] != SIG_UNBLOCK);
}

#endif

#ifndef __x86_64__

/* A call leaves the return address in a register, and SP as it is.  At the first
   instruction of a function no signature is in it.  */
static inline uintptr_t
returns_to (const struct place *place)
{
  return place->link;
}

static inline uintptr_t
home_of_call (const struct place *before, const struct place *now)
{
  (void) now;
  return before->sp;
}

/* A function that has released its frame has not returned yet.  */
static inline bool
is_over (const struct call *call, const struct place *place)
{
  return (call->home < place->sp
	  || (call->home == place->sp && is_return (call, place)));
}

/* The return address may be anywhere.  */
static inline bool
is_rewritten (const struct call *call)
{
  (void) call;
  return false;
}

/* Whether PLACE, the target of a jump, is in the function that has made
   CALL.  */
static inline bool
is_left (const struct call *call, const struct place *place)
{
  return call->home == place->sp;
}

#endif

#ifndef __aarch64__

/* The function that makes threads has no tables there, or LOSES_STEPS makes up
   for them.  */
static inline bool
is_new_thread (const ucontext_t *context)
{
  (void) context;
  return false;
}

#endif

#endif /* MACHINE_H  */
