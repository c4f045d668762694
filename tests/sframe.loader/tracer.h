/* Follow a program and all its children from system call to system call.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TRACER_H
#define TRACER_H

#include "kernel-model.h"

/* An address space.  Threads share one, as vfork's child does with its
   parent.  */
struct space
{
  unsigned users;
  struct model model;
  /* Calls of either option that the program now running has made.  */
  unsigned calls;
  /* Has asked the kernel whether it has the options.  */
  bool asked;
  /* The system call that fails, counted down to 1; 0: none.  */
  unsigned fail_nth;
  /* Forked from one of several threads: calls of the other threads are
     incomplete here.  */
  bool torn;
  /* The task that is forking.  Other tasks wait, so that the copied table
     matches the copied memory.  */
  struct task *forking;
};

struct task
{
  struct task *next;
  pid_t pid;
  /* The number of the task in the trace.  */
  int ordinal;
  /* NULL until its parent has reported the task.  */
  struct space *space;
  long call;
  uint64_t arguments[6];
  /* The address after the system call instruction.  */
  uint64_t ip;
  /* Replace the result of the current call by ANSWER.  */
  bool has_answer;
  int64_t answer;
  uint64_t clone_flags;
  /* Stopped before a system call until the FORKING task of its space is
     done.  */
  bool held;
};

/* Run ARGV, with the NULL-terminated additions in ENVIRONMENT and output to
   the file OUTPUT, until all its processes have ended or SECONDS have passed.
   Return the wait status of the program itself, -1 after a timeout.
   BEFORE_EXEC is called in the child.  */
int trace_program (char **argv, char **environment, const char *output,
		   unsigned seconds, void (*before_exec) (void));

#endif
