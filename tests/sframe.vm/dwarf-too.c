/* Make perf record --call-graph dwarf also record the kernel's own chain.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Preloaded into perf.  With each copy of the stack the kernel also records
   the user's call chain, before the program continues: both are of the same
   moment.  perf script then prints the chain, and the frames that it unwinds
   from the copy.  */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>

/* Do not change the program that perf starts.  */
static void __attribute__ ((constructor))
leave_alone (void)
{
  unsetenv ("LD_PRELOAD");
}

/* perf also writes the attributes to its file; change them before that.  */
static void
change (struct perf_event_attr *attr)
{
  if ((attr->sample_type & PERF_SAMPLE_STACK_USER) == 0)
    return;
  attr->exclude_callchain_user = 0;
  attr->defer_callchain = 1;
  attr->defer_output = 1;
}

long int
syscall (long int number, ...)
{
  long int (*real) (long int, ...) = dlsym (RTLD_NEXT, "syscall");
  long int argument[6];
  va_list list;

  va_start (list, number);
  for (int i = 0; i < 6; ++i)
    argument[i] = va_arg (list, long int);
  va_end (list);
  if (number == SYS_perf_event_open)
    change ((struct perf_event_attr *) argument[0]);
  return real (number, argument[0], argument[1], argument[2], argument[3],
	       argument[4], argument[5]);
}
