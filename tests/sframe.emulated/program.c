/* Print the machine and the libc, and end as the arguments say.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: program exit STATUS, or program raise SIGNAL.  */

#include <gnu/libc-version.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

int
main (int argc, char **argv)
{
  struct utsname name;

  if (argc != 3 || uname (&name) != 0)
    return 2;
  printf ("%s, glibc %s\n", name.machine, gnu_get_libc_version ());
  fflush (stdout);
  if (strcmp (argv[1], "raise") == 0)
    raise (atoi (argv[2]));
  return atoi (argv[2]);
}
