/* Asking Linux about memory that a trace leads to.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The interface is described in sysdeps/generic/sframe-probe.h.  */

#ifndef _SFRAME_PROBE_H
#define _SFRAME_PROBE_H

#include <atomic.h>
#include <errno.h>
#include <signal.h>
#include <sframe-stack.h>
#include <sysdep.h>

/* Of the last page, where the system call interface has its error codes, so
   that nothing can be mapped there.  */
#define SFRAME_NEVER_READABLE (-sizeof (uintptr_t))

/* rt_sigprocmask copies the new mask, 8 bytes, from user memory before it
   looks at HOW: a bad HOW then gives EINVAL if they were readable and EFAULT
   if not, and the mask stays as it is.  Any other answer comes from a filter
   and tells nothing.  */
static inline enum sframe_probe
sframe_ask_word (uintptr_t address)
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

/* That order is a habit of kernels and emulators, not part of the interface.
   So the word of one that was not seen to refuse an address is not taken.  */
static inline enum sframe_probe
sframe_probe_word (uintptr_t address)
{
  static bool refuses;
  enum sframe_probe answer = sframe_ask_word (address);

  if (answer != sframe_readable || atomic_load_relaxed (&refuses))
    return answer;
  if (sframe_ask_word (SFRAME_NEVER_READABLE) != sframe_unreadable)
    return sframe_unknown;
  atomic_store_relaxed (&refuses, true);
  return answer;
}

#endif /* _SFRAME_PROBE_H  */
