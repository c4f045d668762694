/* The unwinder of libgcc, for frames that libc's own tables do not tell of.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe unless SFRAME_HELP_LOAD is asked
   for, as far as this code goes: libgcc sorts the table of a piece of code that
   it was told of when it first looks there, for which it calls malloc.  */

#ifndef _SFRAME_LIBGCC_H
#define _SFRAME_LIBGCC_H

#include <stdint.h>
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

/* Room for the addresses of libgcc's functions, and what keeps libgcc from
   being unloaded; see sframe-reader.h.  */
struct sframe_libgcc
{
#ifdef SHARED
  struct unwind_link link;
  uint8_t reader;
#endif
};

/* Find libgcc's unwinder for a trace that has ended with the last of the COUNT
   PCs in ARRAY, and use *LIBGCC for what has to be stored.  Return null if
   libgcc is not there, or not to be loaded, or if it has no table for that PC
   either.  In the last case it would look at the code there, which it must not,
   and gain nothing.  Where libgcc is loaded already dlopen is not called, which
   would take a lock.  What is returned can be used until
   __sframe_libgcc_done.  */
struct unwind_link *__sframe_libgcc_link (struct sframe_libgcc *libgcc,
					  enum sframe_help help,
					  void *const *array, int count)
  attribute_hidden;

/* Nothing is needed any more that __sframe_libgcc_link has found.  */
void __sframe_libgcc_done (struct sframe_libgcc *libgcc) attribute_hidden;

#endif /* _SFRAME_LIBGCC_H  */
