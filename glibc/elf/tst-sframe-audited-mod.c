/* A function whose calls an audit module observes.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <execinfo.h>

#include "tst-sframe-audit.h"

int
audited (struct audit_traces *traces)
{
  traces->inside.count = backtrace (traces->inside.pc, AUDIT_TRACE_MAX);
  return traces->inside.count;
}
