/* System calls that leave errno alone, for another libc.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe.  No function of libc is called:
   the program may have its own syscall or mmap, which may take a lock.  */

#ifndef _SYSDEP_H
#define _SYSDEP_H

#include <errno.h>
#include <sys/syscall.h>

static inline long int
sframe_system_call (long int number, long int a, long int b, long int c,
		    long int d, long int e, long int f)
{
#ifdef __s390x__
  register long int r1 asm ("1") = number;
  register long int r2 asm ("2") = a;
  register long int r3 asm ("3") = b;
  register long int r4 asm ("4") = c;
  register long int r5 asm ("5") = d;
  register long int r6 asm ("6") = e;
  register long int r7 asm ("7") = f;

  asm volatile ("svc 0"
		: "+d" (r2)
		: "d" (r1), "d" (r3), "d" (r4), "d" (r5), "d" (r6), "d" (r7)
		: "memory", "cc");
  return r2;
#elif defined __aarch64__
  register long int x8 asm ("x8") = number;
  register long int x0 asm ("x0") = a;
  register long int x1 asm ("x1") = b;
  register long int x2 asm ("x2") = c;
  register long int x3 asm ("x3") = d;
  register long int x4 asm ("x4") = e;
  register long int x5 asm ("x5") = f;

  asm volatile ("svc 0"
		: "+r" (x0)
		: "r" (x8), "r" (x1), "r" (x2), "r" (x3), "r" (x4), "r" (x5)
		: "memory", "cc");
  return x0;
#elif defined __x86_64__
  register long int r10 asm ("r10") = d;
  register long int r8 asm ("r8") = e;
  register long int r9 asm ("r9") = f;
  long int result;

  asm volatile ("syscall"
		: "=a" (result)
		: "0" (number), "D" (a), "S" (b), "d" (c), "r" (r10),
		  "r" (r8), "r" (r9)
		: "rcx", "r11", "memory", "cc");
  return result;
#else
# error "no system calls for this machine"
#endif
}

/* Fill up with zeros to six arguments, and drop what is too much.  */
#define SFRAME_SYSTEM_CALL(number, a, b, c, d, e, f, ...)		\
  sframe_system_call (number, (long int) (a), (long int) (b),		\
		      (long int) (c), (long int) (d), (long int) (e),	\
		      (long int) (f))

#define INTERNAL_SYSCALL_CALL(name, ...)				\
  SFRAME_SYSTEM_CALL (SYS_##name, __VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define INTERNAL_SYSCALL_ERROR_P(value) ((unsigned long int) (value) > -4096UL)
#define INTERNAL_SYSCALL_ERRNO(value) (-(value))

#endif /* _SYSDEP_H  */
