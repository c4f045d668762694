/* Find the functions of libgcc that backtrace calls, in another glibc.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see unwind-link.h.

   The linker binds weak references when the program starts, if libgcc is one
   of the libraries that it needs, as it is of every C++ program.  One that was
   loaded later is not known: to look for it takes the lock of dlopen.  */

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
