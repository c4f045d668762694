/* Ask Linux whether memory is readable.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The interface is described in sysdeps/generic/sframe-probe.h.  */

#ifndef _SFRAME_PROBE_H
#define _SFRAME_PROBE_H

#include <errno.h>
#include <signal.h>
#include <sframe-stack.h>
#include <sysdep.h>

/* In the last page, where nothing can be mapped: its addresses are the error
   codes of the system call interface.  */
#define SFRAME_NEVER_READABLE (-sizeof (uintptr_t))

/* rt_sigprocmask copies the new mask, 8 bytes, from user memory before it
   checks HOW.  With an invalid HOW it never changes the mask; it returns
   EINVAL if the bytes are readable and EFAULT if not.  Any other result comes
   from a seccomp filter and is no answer.  */
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

/* No interface guarantees that order, and a filter may return any error.  So
   trust the first answer only after the probe has given the other one: EINVAL
   after it has rejected an address known to be bad, EFAULT after it has
   accepted a word of this function.  Check again in each trace: a thread may
   install a seccomp filter at any time, for itself alone.  */
static inline enum sframe_probe
sframe_probe_word (uintptr_t address, bool *checked)
{
  enum sframe_probe answer = sframe_ask_word (address);

  if (answer == sframe_unknown || *checked)
    return answer;
  if (answer == sframe_readable)
    *checked = sframe_ask_word (SFRAME_NEVER_READABLE) == sframe_unreadable;
  else
    *checked = sframe_ask_word ((uintptr_t) &answer) == sframe_readable;
  return *checked ? answer : sframe_unknown;
}

#endif /* _SFRAME_PROBE_H  */
