/* Find the functions of libgcc that backtrace calls, in another glibc.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see unwind-link.h.

   If libgcc is loaded when the program starts, as in every C++ program, the
   loader binds the weak references below.  A libgcc that is loaded later is
   not found: looking for it would take the lock of dlopen.  */

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <unwind-link.h>

#pragma weak _Unwind_Backtrace
#pragma weak _Unwind_GetIP
#pragma weak _Unwind_GetCFA

static struct unwind_link linked
  = { _Unwind_Backtrace, _Unwind_GetIP, _Unwind_GetCFA };

static bool
is_whole (const struct unwind_link *candidate)
{
  return (candidate->ptr__Unwind_Backtrace != NULL
	  && candidate->ptr__Unwind_GetIP != NULL
	  && candidate->ptr__Unwind_GetCFA != NULL);
}

/* libgcc is never unloaded after this.  */
static struct unwind_link *
load (void)
{
  static struct unwind_link loaded;
  void *libgcc = dlopen ("libgcc_s.so.1", RTLD_NOW | RTLD_NODELETE);

  if (libgcc == NULL)
    return NULL;
  loaded.ptr__Unwind_Backtrace = dlsym (libgcc, "_Unwind_Backtrace");
  loaded.ptr__Unwind_GetIP = dlsym (libgcc, "_Unwind_GetIP");
  loaded.ptr__Unwind_GetCFA = dlsym (libgcc, "_Unwind_GetCFA");
  dlclose (libgcc);
  return is_whole (&loaded) ? &loaded : NULL;
}

struct unwind_link *
__libc_unwind_link_get (void)
{
  return is_whole (&linked) ? &linked : load ();
}
