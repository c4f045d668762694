/* The results that judge.c in a stepped program stores for the tracer, in
   memory that both share.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef RESULTS_H
#define RESULTS_H

/* The descriptor that the program inherits is in this variable.  */
#define RESULTS_VARIABLE "SFRAME_STEP_RESULTS"
/* If there is this one the program itself raises SIGTRAP to begin.  */
#define LATER_VARIABLE "SFRAME_STEP_LATER"

/* What the handler is called with: a signal that no program uses.  It is not
   SIGTRAP, of which unwinders on s390x think that the PC is behind the
   instruction that matters.  */
#define JUDGE_SIGNAL SIGSTKFLT

struct results
{
  /* Instructions at which traces were taken.  */
  long int judged;
  /* The calls made so far were known, and those where backtrace told them
     otherwise.  */
  long int known, wrong;
  /* Those where it ended at code that no table describes, rightly so.  */
  long int short_of;
  /* Frames were being replaced, so that libgcc alone is the judge; and those
     where backtrace told otherwise.  */
  long int replacing, replacing_wrong;
  /* A step was lost and with it a call or a return: libgcc agrees with
     backtrace, and the calls that it sees are taken for those made.  */
  long int lost;
  /* Nothing was known, not even by libgcc.  */
  long int unknown;
  /* The peers, of those where the calls were known.  */
  long int libgcc_wrong, libunwind_wrong, libunwind_asked;
  /* A peer read where nothing is.  */
  long int peer_faults;
  /* Where backtrace and libgcc differed.  */
  long int libgcc_differs;
  /* The kernel's chains: those from the instruction itself, and those from the
     handler that was called there.  */
  struct chains
  {
    /* Taken; as the calls were made; ending at code without a table, or going
       on there by a guess; otherwise.  */
    long int taken, right, cut, guessed, wrong;
  } topmost, handled;
};

#endif /* RESULTS_H  */
