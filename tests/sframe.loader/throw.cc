/* An object whose constructor throws, and, with PROGRAM, the program that
   loads it in a try block.

   SPDX-License-Identifier: LGPL-2.1-or-later

   No exception leaves the loader: std::terminate ends the program while the
   object is mapped.  */

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
