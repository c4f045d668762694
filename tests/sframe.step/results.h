/* The results that judge.c in a stepped program stores for the tracer, in
   memory that both share.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef RESULTS_H
#define RESULTS_H

/* This variable has the number of the descriptor that the program
   inherits.  */
#define RESULTS_VARIABLE "SFRAME_STEP_RESULTS"
/* If this variable is set, the program raises SIGTRAP to begin.  */
#define LATER_VARIABLE "SFRAME_STEP_LATER"

/* The signal of the handler, which no program uses.  It is not SIGTRAP: on
   s390x, unwinders assume that the PC of a SIGTRAP is after the instruction
   that trapped.  */
#define JUDGE_SIGNAL SIGSTKFLT

struct results
{
  /* Instructions at which traces were taken.  */
  long int judged;
  /* Instructions at which the calls were known, and those of them at which
     backtrace differed.  */
  long int known, wrong;
  /* Those at which backtrace ended at code without a table, correctly.  */
  long int short_of;
  /* Instructions at which frames were being replaced, so that only libgcc's
     trace is compared; and those of them at which backtrace differed.  */
  long int replacing, replacing_wrong;
  /* The signal of a step with a call or a return was skipped: backtrace agrees
     with libgcc, and the calls are taken from libgcc's trace.  */
  long int lost;
  /* Instructions at which the calls were not known, nor found by libgcc; and
     those of them at which backtrace lacks a frame that libgcc has.  */
  long int unknown, unknown_differs;
  /* The other unwinders, at the instructions at which the calls were
     known.  */
  long int libgcc_wrong, libunwind_wrong, libunwind_asked;
  /* Faults of the other unwinders.  */
  long int peer_faults;
  /* Instructions at which backtrace and libgcc differed.  */
  long int libgcc_differs;
  /* The kernel's chains: those taken at the instruction itself, and those
     taken in the handler.  */
  struct chains
  {
    /* All; those with the calls that were made; those that end at code without
       a table; those that continue there by a frame pointer; wrong ones.  */
    long int taken, right, cut, guessed, wrong;
  } topmost, handled;
};

#endif /* RESULTS_H  */
