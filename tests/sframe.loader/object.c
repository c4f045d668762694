/* A small shared object that sends messages to the recorder from its
   constructor and its destructor.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Macros:
   NAME         its file name
   CONSTRUCTOR  the message of the constructor (default: constructor-all)
   QUIET        no destructor
   OPENS        an object that the constructor loads
   MISSING      a function that no object defines
   STATIC_TLS   the number of bytes needed in the static TLS block
   CALL         a function of another object that this one calls
   DEFINE       the name of the one function defined here
   FAR          code in a section of its own, for the linker to put elsewhere
   AUDIT        1: an audit module; 0: one that the loader must refuse  */

#include "marker.h"

#include <dlfcn.h>
#include <stddef.h>

#ifndef CONSTRUCTOR
# define CONSTRUCTOR constructor-all
#endif

/* The macros have names without quotes, which are hard to pass on a command
   line.  */
#define STRING(text) STRING_1 (text)
#define STRING_1(text) #text

#ifdef MISSING
extern void MISSING (void);
void (*object_missing) (void) = MISSING;
#endif

#ifdef CALL
extern int CALL (int);
#endif

#ifdef STATIC_TLS
__thread char object_tls[STATIC_TLS]
  __attribute__ ((tls_model ("initial-exec")));
#endif

/* A function for which the compiler writes more than one row.  */
int __attribute__ ((noinline))
#ifdef DEFINE
DEFINE (int n)
#else
object_work (int n)
#endif
{
  volatile char room[64 + (n & 7)];
  room[n & 7] = n;
#ifdef STATIC_TLS
  object_tls[n & 7] = n;
#endif
#ifdef CALL
  return CALL (n) + room[n & 7];
#else
  return room[n & 7];
#endif
}

#ifdef FAR
int __attribute__ ((noinline, section ("far_text")))
object_far (int n)
{
  volatile char room[32];
  room[n & 7] = n;
  return room[n & 7];
}
#endif

static void __attribute__ ((constructor))
construct (void)
{
  marker (STRING (CONSTRUCTOR) " " STRING (NAME));
#ifdef OPENS
  if (dlopen (STRING (OPENS), RTLD_NOW) == NULL)
    marker ("cannot open " STRING (OPENS));
  else
    marker ("is " STRING (OPENS));
#endif
}

#ifndef QUIET
static void __attribute__ ((destructor))
destruct (void)
{
  marker ("destructor " STRING (NAME));
}
#endif

#ifdef AUDIT
unsigned int
la_version (unsigned int version)
{
  return AUDIT ? version : 0;
}
#endif
