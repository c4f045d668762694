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
  /* Forked from one of several threads: what the others were doing is cut
     off in the middle here.  */
  bool torn;
  /* The task whose fork is under way, which others must not disturb, so
     that the copied table is what was copied memory's.  */
  struct task *forking;
};

struct task
{
  struct task *next;
  pid_t pid;
  /* Small number to tell tasks apart in the trace.  */
  int ordinal;
  /* NULL until its parent's report has come.  */
  struct space *space;
  long call;
  uint64_t arguments[6];
  /* Instruction pointer behind the system call.  */
  uint64_t ip;
  /* At exit from the call in progress, make it return ANSWER.  */
  bool has_answer;
  int64_t answer;
  uint64_t clone_flags;
  /* Stopped before a system call until FORKING of its space is done.  */
  bool held;
};

/* Run ARGV with NULL-terminated ENVIRONMENT additions, output to the file
   OUTPUT, until nothing of it is left or SECONDS have passed.  Return the
   wait status of the program itself, -1 if time ran out.  BEFORE_EXEC is
   called in the child.  */
int trace_program (char **argv, char **environment, const char *output,
		   unsigned seconds, void (*before_exec) (void));

#endif
