/* Pass recorded system calls to the model, the checks and the trace.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CALLS_H
#define CALLS_H

#include <stdbool.h>
#include "tracer.h"

/* Which kernel is simulated.  */
enum kernel
{
  /* Knows the options; exec leaves nothing registered.  */
  KERNEL_NEW,
  /* Knows them, and exec registers what it maps.  */
  KERNEL_EXEC,
  /* Does not know them.  */
  KERNEL_OLD,
  /* Does not know them, and a filter kills the process for them.  */
  KERNEL_KILL,
  /* A filter lets both options fail with EPERM.  */
  KERNEL_FORBID
};

struct settings
{
  enum kernel kernel;
  /* Refuse the REFUSE_NTH range of PR_ADD_SFRAME with REFUSE_ERROR; 0: all
     ranges.  If REFUSE_ERROR is 0, the result is 0, as a seccomp filter can
     make it.  */
  bool refuse;
  unsigned refuse_nth;
  int refuse_error;
  /* Room in the kernel's table; 0: unlimited.  */
  size_t limit;
  /* A program file that only the kernel registers.  */
  const char *exempt;
  /* A file whose data may get another protection after its registration.  */
  const char *early;
  /* The file that replaces the vDSO, or NULL.  */
  const char *vdso;
  /* The system call that fails after a message "fail"; 0: none.  */
  unsigned fail_nth;
  /* How many calls each program makes, or -1 for any number.  */
  int calls;
};

extern struct settings settings;

/* Expect that objects called NAME are registered COUNT times in all, or
   removed that many times.  */
void expect_adds (const char *name, unsigned count);
void expect_removes (const char *name, unsigned count);

/* Whether the system call that TASK is about to make fails; if so, set its
   result.  */
bool call_fails (struct task *task);

/* TASK is about to make the system call that it describes.  */
void call_entered (struct task *task);

/* TASK's call has returned RESULT to the program.  */
void call_left (struct task *task, int64_t result);

/* TASK runs a new program.  */
void program_started (struct task *task);

/* Make the checks that need all calls.  */
void calls_finished (void);

#endif
