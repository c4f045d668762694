/* Test backtrace in the functions of an audit module around a call through the
   PLT: it goes through _dl_runtime_profile, whose frame SFrame cannot describe
   on all machines.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <debug/tst-sframe-support.h>

#include "tst-sframe-audit.h"

static struct audit_traces traces;

static void FRAME
call (void)
{
  audited (&traces);
  KEEP_FRAME ();
}

/* From the frame of call outwards, TRACE must equal the trace taken inside the
   function, which was called by _dl_runtime_profile, and that by call.  */
static void
check (const struct audit_trace *trace)
{
  const struct audit_trace *inside = &traces.inside;
  int common = inside->count - 2;
  TEST_VERIFY (trace->count > inside->count);
  if (trace->count > inside->count)
    TEST_COMPARE_BLOB (trace->pc + trace->count - common,
		       common * sizeof (void *),
		       inside->pc + 2, common * sizeof (void *));
}

static int
do_test (void)
{
  /* More than once: later calls use cached rules and a bound symbol.  */
  for (int i = 0; i < 4; ++i)
    {
      memset (&traces, 0, sizeof traces);
      call ();
      TEST_VERIFY (traces.inside.count > 4);
      TEST_VERIFY (_Unwind_FindEnclosingFunction (traces.inside.pc[2])
		   == call);
      check (&traces.enter);
      check (&traces.exit);
    }
  TEST_VERIFY (!libgcc_is_loaded ());
  return 0;
}

#include <support/test-driver.c>
