/* An audit module that takes a trace before and after each call of a function
   "audited", whose first argument says where to store it.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <execinfo.h>
#include <link.h>
#include <string.h>

#include <tst-audit.h>

#include "tst-sframe-audit.h"

#if defined __aarch64__
# define FIRST_ARGUMENT(regs) ((regs)->lr_xreg[0])
#elif defined __s390x__
# define FIRST_ARGUMENT(regs) ((regs)->lr_r2)
#else
# define FIRST_ARGUMENT(regs) ((regs)->lr_rdi)
#endif

unsigned int
la_version (unsigned int version)
{
  return LAV_CURRENT;
}

unsigned int
la_objopen (struct link_map *map, Lmid_t namespace, uintptr_t *cookie)
{
  return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}

/* pltexit is called only if this function sets a frame size.  */
ElfW(Addr)
pltenter (ElfW(Sym) *symbol, unsigned int index, uintptr_t *from,
	  uintptr_t *to, La_regs *regs, unsigned int *flags, const char *name,
	  long int *frame_size)
{
  if (strcmp (name, "audited") == 0)
    {
      struct audit_traces *traces = (void *) FIRST_ARGUMENT (regs);
      traces->enter.count = backtrace (traces->enter.pc, AUDIT_TRACE_MAX);
      *frame_size = 64;
    }
  return symbol->st_value;
}

unsigned int
pltexit (ElfW(Sym) *symbol, unsigned int index, uintptr_t *from, uintptr_t *to,
	 const La_regs *regs, La_retval *result, const char *name)
{
  if (strcmp (name, "audited") == 0)
    {
      struct audit_traces *traces = (void *) FIRST_ARGUMENT (regs);
      traces->exit.count = backtrace (traces->exit.pc, AUDIT_TRACE_MAX);
    }
  return 0;
}
