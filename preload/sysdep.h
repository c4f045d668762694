/* System calls that leave errno alone, by the public interface of libc.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe.  */

#ifndef _SYSDEP_H
#define _SYSDEP_H

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#define INTERNAL_SYSCALL_CALL(name, ...)		\
  ({							\
    const int saved_errno = errno;			\
    long int value = syscall (SYS_##name, __VA_ARGS__);	\
    if (value == -1)					\
      value = -errno;					\
    errno = saved_errno;				\
    value;						\
  })
#define INTERNAL_SYSCALL_ERROR_P(value) ((value) < 0)
#define INTERNAL_SYSCALL_ERRNO(value) (-(value))

#endif /* _SYSDEP_H  */
