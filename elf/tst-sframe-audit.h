/* What tst-sframe-audit and its modules tell one another.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef _TST_SFRAME_AUDIT_H
#define _TST_SFRAME_AUDIT_H

#define AUDIT_TRACE_MAX 64

struct audit_trace
{
  int count;
  void *pc[AUDIT_TRACE_MAX];
};

struct audit_traces
{
  /* Before the function begins, inside of it, and after it has returned.  */
  struct audit_trace enter;
  struct audit_trace inside;
  struct audit_trace exit;
};

int audited (struct audit_traces *traces);

#endif /* _TST_SFRAME_AUDIT_H */
