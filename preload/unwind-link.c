/* Find the functions of libgcc that backtrace calls, in another glibc.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see unwind-link.h.

   If libgcc is loaded when the program starts, as in every C++ program, the
   loader binds the weak references below.  A libgcc that is loaded later is
   not found: looking for it would take the lock of dlopen.  */

#include <stddef.h>
#include <unwind-link.h>

#pragma weak _Unwind_Backtrace
#pragma weak _Unwind_GetIP
#pragma weak _Unwind_GetCFA

static struct unwind_link linked
  = { _Unwind_Backtrace, _Unwind_GetIP, _Unwind_GetCFA };

struct unwind_link *
__libc_unwind_link_get (void)
{
  return (linked.ptr__Unwind_Backtrace != NULL
	  && linked.ptr__Unwind_GetIP != NULL
	  && linked.ptr__Unwind_GetCFA != NULL ? &linked : NULL);
}
