/* The data that tst-sframe-audit and its modules share.

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
  /* Traces before the call, inside the function, and after its return.  */
  struct audit_trace enter;
  struct audit_trace inside;
  struct audit_trace exit;
};

int audited (struct audit_traces *traces);

#endif /* _TST_SFRAME_AUDIT_H */
