/* An object whose constructor throws, and with PROGRAM the program that
   loads it and would catch.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader lets no exception through: std::terminate ends the program
   while the object is mapped.  */

#include "marker.h"

#include <dlfcn.h>

#ifdef PROGRAM

int
main (int argc, char **argv)
{
  if (argc != 2)
    return 2;
  try
    {
      dlopen (argv[1], RTLD_NOW);
    }
  catch (int)
    {
      return 3;
    }
  return 1;
}

#else

static struct thrower
{
  thrower ()
  {
    marker ("constructor-all libthrow.so");
    throw 1;
  }
} instance;

#endif
