/* The unwinder of libgcc, for frames that libc's own tables do not tell of.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe unless SFRAME_HELP_LOAD is asked
   for.  */

#ifndef _SFRAME_LIBGCC_H
#define _SFRAME_LIBGCC_H

#include <unwind.h>
#include <unwind-link.h>

/* What a trace needs libgcc for.  */
enum sframe_help
{
  /* For nothing: the trace has all that can be told.  */
  SFRAME_HELP_NONE,
  /* For code that the program may have told libgcc of.  If libgcc is not
     loaded, nobody has.  */
  SFRAME_HELP_IF_LOADED,
  /* For all of it; libgcc may be loaded.  */
  SFRAME_HELP_LOAD
};

/* Room for the addresses of libgcc's functions.  */
struct sframe_libgcc
{
#ifdef SHARED
  struct unwind_link link;
#endif
};

/* Find libgcc's unwinder, and use *LIBGCC for what has to be stored.  Return
   null if it is not there, or not to be loaded.  Where it is loaded already, no
   lock is taken and nothing allocated, which dlopen would do even then.  */
struct unwind_link *__sframe_libgcc_link (struct sframe_libgcc *libgcc,
					  enum sframe_help help)
  attribute_hidden;

#endif /* _SFRAME_LIBGCC_H  */
