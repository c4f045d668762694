/* Messages from a test program to the recorder.

   SPDX-License-Identifier: LGPL-2.1-or-later

   A message is a write to descriptor -1: without a recorder it has no effect,
   and seccomp filters permit it.  The system call is made here, not in libc,
   so that its address tells the recorder which object has sent the message.

     constructor NAME      the sending object must be registered
     constructor-all NAME  all mapped objects must be registered
     destructor NAME       the sending object must still be registered
     is NAME               objects called NAME must be mapped and registered
     not NAME              no object called NAME may be registered
     fail                  let the system call that --fail chooses fail
     fail-no-more TEXT     it has failed, or there were fewer calls
     anything else         is copied to the trace  */

#ifndef MARKER_H
#define MARKER_H

#include <string.h>
#include <sys/syscall.h>

static inline void
marker (const char *text)
{
#ifdef __x86_64__
  long result;
  asm volatile ("syscall" : "=a" (result)
		: "0" (SYS_write), "D" (-1L), "S" (text), "d" (strlen (text))
		: "rcx", "r11", "memory");
#elif defined __s390x__
  register long number asm ("1") = SYS_write;
  register long descriptor asm ("2") = -1;
  register const char *buffer asm ("3") = text;
  register long size asm ("4") = strlen (text);
  asm volatile ("svc 0" : "+d" (descriptor)
		: "d" (number), "d" (buffer), "d" (size) : "memory", "cc");
#else
# error "make a system call here"
#endif
}

#endif
