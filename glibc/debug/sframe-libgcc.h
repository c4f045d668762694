/* Call libgcc's unwinder for frames that libc cannot unwind itself.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe, except if libgcc must be loaded.
   libgcc itself is not: it sorts a table registered by __register_frame at the
   first lookup, for which it calls malloc; each lookup, also of code that was
   not registered, waits while a __register_frame holds libgcc's lock; and a
   trace waits for what the process's first exception or cancellation
   computes.  */

#ifndef _SFRAME_LIBGCC_H
#define _SFRAME_LIBGCC_H

#include <stdint.h>
#include <unwind.h>
#include <unwind-link.h>

/* When a trace needs libgcc.  */
enum sframe_help
{
  /* Not at all: libgcc could not safely find more frames.  */
  SFRAME_HELP_NONE,
  /* For code that the program may have registered with libgcc (JIT).  If
     libgcc is not loaded, no code is registered, and the trace ends.  */
  SFRAME_HELP_IF_LOADED,
  /* For the whole trace; load libgcc if necessary.  */
  SFRAME_HELP_LOAD
};

/* The addresses of libgcc's functions, and the pin that keeps libgcc from
   being unloaded; see sframe-pin.h.  */
struct sframe_libgcc
{
#ifdef SHARED
  struct unwind_link link;
  uint8_t pin;
#endif
};

/* Load libgcc if the tunable glibc.rtld.sframe is 0.  So a program can do it
   in advance, by a call of backtrace for no frames.  */
void __sframe_libgcc_prepare (void) attribute_hidden;

/* Find libgcc's unwinder, for a trace that has ended with the last of the
   COUNT PCs in ARRAY.  The result may point into *LIBGCC and is valid until
   __sframe_libgcc_done.  Return null if libgcc is not available.  With
   SFRAME_HELP_IF_LOADED, also return null if libgcc has no table for that PC:
   its unwinder would read the code there, which may fault, and find nothing.
   With SFRAME_HELP_LOAD, libgcc stays loaded for ever.  */
struct unwind_link *__sframe_libgcc_link (struct sframe_libgcc *libgcc,
					  enum sframe_help help,
					  void *const *array, int count)
  attribute_hidden;

/* Release the result of __sframe_libgcc_link.  */
void __sframe_libgcc_done (struct sframe_libgcc *libgcc) attribute_hidden;

#endif /* _SFRAME_LIBGCC_H  */
