/* Asking Linux about memory that a trace leads to.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The interface is described in sysdeps/generic/sframe-probe.h.  */

#ifndef _SFRAME_PROBE_H
#define _SFRAME_PROBE_H

#include <errno.h>
#include <signal.h>
#include <sframe-stack.h>
#include <sysdep.h>

/* rt_sigprocmask copies the new mask, 8 bytes, from user memory before it
   looks at HOW: a bad HOW then gives EINVAL if they were readable and EFAULT
   if not, and the mask stays as it is.  Any other answer comes from a filter
   and tells nothing.  */
static inline enum sframe_probe
sframe_probe_word (uintptr_t address)
{
  int result = INTERNAL_SYSCALL_CALL (rt_sigprocmask, ~0, address, NULL,
				      __NSIG_BYTES);
  if (INTERNAL_SYSCALL_ERROR_P (result))
    switch (INTERNAL_SYSCALL_ERRNO (result))
      {
      case EINVAL:
	return sframe_readable;
      case EFAULT:
	return sframe_unreadable;
      }
  return sframe_unknown;
}

static inline bool
sframe_alternate_stack (struct sframe_range *range)
{
  stack_t alternate;
  int result = INTERNAL_SYSCALL_CALL (sigaltstack, NULL, &alternate);

  if (INTERNAL_SYSCALL_ERROR_P (result)
      || (alternate.ss_flags & SS_DISABLE) != 0)
    return false;
  range->low = (uintptr_t) alternate.ss_sp;
  range->high = range->low + alternate.ss_size;
  return range->low <= range->high;
}

#endif /* _SFRAME_PROBE_H  */
