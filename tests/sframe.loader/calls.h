/* Pass recorded system calls to the model, the checks and the trace.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CALLS_H
#define CALLS_H

#include "tracer.h"

/* Which kernel is played.  */
enum kernel
{
  /* Knows the options; exec leaves nothing registered.  */
  KERNEL_NEW,
  /* Knows them, and exec registers what it maps.  */
  KERNEL_EXEC,
  /* Does not know them.  */
  KERNEL_OLD,
  /* Does not either, and a filter kills who asks.  */
  KERNEL_KILL,
  /* A filter answers EPERM to both options.  */
  KERNEL_FORBID
};

struct settings
{
  enum kernel kernel;
  /* Refuse the REFUSE_NTH PR_ADD_SFRAME with REFUSE_ERROR; the 0th: all.  */
  unsigned refuse_nth;
  int refuse_error;
  /* Room in the kernel's table; 0: unlimited.  */
  size_t limit;
  /* A program file that is the kernel's business alone.  */
  const char *exempt;
  /* A file whose data may be protected after its registration.  */
  const char *early;
  /* The file that stands in for the vDSO, or NULL.  */
  const char *vdso;
  /* The system call that fails after a message "fail"; 0: none.  */
  unsigned fail_nth;
  /* Calls each program makes in its life, or -1 if any number will do.  */
  int calls;
};

extern struct settings settings;

/* Demand that objects called NAME are registered COUNT times in all, or
   removed that often.  */
void expect_adds (const char *name, unsigned count);
void expect_removes (const char *name, unsigned count);

/* Whether the system call that TASK is before fails, with the answer that TASK
   has then.  */
bool call_fails (struct task *task);

/* TASK is before the system call it describes.  */
void call_entered (struct task *task);

/* TASK's call is over, with RESULT as the program will see it.  */
void call_left (struct task *task, int64_t result);

/* TASK runs a new program.  */
void program_started (struct task *task);

/* Settle what can be told only now.  */
void calls_finished (void);

#endif
