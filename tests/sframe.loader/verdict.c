/* Count, for each assertion, the facts for it and against it.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "verdict.h"

#include <stdarg.h>

FILE *trace;

static const char *const texts[ASSERTIONS] =
{
  [IN_BOUNDS] = "ranges equal the program headers",
  [ACCEPTED] = "the kernel accepts each call",
  [ONCE] = "nothing is registered twice",
  [COMPLETE_AT_CONSTRUCTOR] = "registered before constructors",
  [COMPLETE_AT_DESTRUCTOR] = "registered until destructors ran",
  [COMPLETE_AT_EXIT] = "registered at exit if mapped",
  [COMPLETE_ON_REQUEST] = "registered where the program looks",
  [ABSENT_ON_REQUEST] = "not registered where the program looks",
  [AFTER_PROTECTION] = "no mprotect after registration",
  [ASKED_ONCE] = "asks the kernel once, before any registration",
  [REMOVED_KNOWN] = "removes only what is registered",
  [REMOVED_WHOLE] = "text and table are unmapped together",
  [NOTHING_LEFT] = "at exit only mapped objects are registered",
  [COUNTED_CALLS] = "number of calls per process",
  [COUNTED_ADDS] = "number of registrations",
  [COUNTED_REMOVES] = "number of removals",
  [ENDED_WELL] = "the program ends as expected",
};

static struct
{
  unsigned facts;
  unsigned failures;
  char first[240];
} tally[ASSERTIONS];

void
verdict (enum assertion assertion, bool ok, const char *format, ...)
{
  tally[assertion].facts++;
  if (ok)
    return;
  char text[sizeof tally->first];
  va_list ap;
  va_start (ap, format);
  vsnprintf (text, sizeof text, format, ap);
  va_end (ap);
  fprintf (trace, "FAIL: %s: %s\n", texts[assertion], text);
  if (tally[assertion].failures++ == 0)
    snprintf (tally[assertion].first, sizeof text, "%s", text);
}

bool
verdict_report (void)
{
  bool all = true;
  for (int i = 0; i < ASSERTIONS; i++)
    if (tally[i].failures > 0)
      {
	printf ("FAIL: %s: %u of %u, first: %s\n", texts[i],
		tally[i].failures, tally[i].facts, tally[i].first);
	all = false;
      }
    else if (tally[i].facts > 0)
      printf ("PASS: %s (%u)\n", texts[i], tally[i].facts);
  return all;
}
