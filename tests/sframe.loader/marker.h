/* Messages from a test program to the recorder.

   SPDX-License-Identifier: LGPL-2.1-or-later

   A message is a write to descriptor -1: harmless without a recorder, and
   let through by filters.  The system call is made here and not in libc, so
   that the recorder sees whose constructor is running.

     constructor NAME      the object that speaks has to be registered
     constructor-all NAME  all mapped objects have to be registered
     destructor NAME       the object that speaks is still registered
     is NAME               objects called NAME are mapped and registered
     not NAME              no object called NAME is registered
     fail                  the system call that --fail chooses is to fail
     fail-no-more TEXT     it has been chosen, or there were fewer
     anything else         goes into the trace  */

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
