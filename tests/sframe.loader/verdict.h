/* The assertions about one recorded run, and the results of each.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef VERDICT_H
#define VERDICT_H

#include <stdbool.h>
#include <stdio.h>

/* Each has one PASS or FAIL line; the texts are in verdict.c.  */
enum assertion
{
  IN_BOUNDS,
  ACCEPTED,
  ONCE,
  COMPLETE_AT_CONSTRUCTOR,
  COMPLETE_AT_DESTRUCTOR,
  COMPLETE_AT_EXIT,
  COMPLETE_ON_REQUEST,
  ABSENT_ON_REQUEST,
  AFTER_PROTECTION,
  ASKED_ONCE,
  REMOVED_KNOWN,
  REMOVED_WHOLE,
  NOTHING_LEFT,
  COUNTED_CALLS,
  COUNTED_ADDS,
  COUNTED_REMOVES,
  ENDED_WELL,
  ASSERTIONS
};

/* The record of the run, as text.  */
extern FILE *trace;

/* Count one fact for or against ASSERTION.  If it is against it (not OK),
   FORMAT says what was found instead; that is written to the trace.  */
void verdict (enum assertion assertion, bool ok, const char *format, ...)
  __attribute__ ((format (printf, 3, 4)));

/* Print a line for each assertion for which there is a fact.  Return true if
   all hold.  */
bool verdict_report (void);

#endif
