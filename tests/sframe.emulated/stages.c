/* Load and unload an object, and print at each stage what must be registered.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Prints "stage NAME" and, for each executable segment of each mapped object
   that has an SFrame section, "TABLE SIZE TEXT SIZE" in hexadecimal, computed
   from the mappings and the files, not by the loader under test.  Then calls
   getppid, which a tracer can see.  */

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../sframe.loader/elf-truth.h"

static void
print_object (const struct object *object)
{
  struct registration list[MAX_SEGMENTS];
  size_t count = object_registrations (object, list);

  for (size_t i = 0; i < count; ++i)
    printf ("%" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 "\n",
	    list[i].table_start, list[i].table_size, list[i].text_start,
	    list[i].text_size);
}

/* Called by the object's constructor, too.  */
void
stage (const char *name)
{
  struct maps maps;
  struct objects objects;

  printf ("stage %s\n", name);
  maps_read (getpid (), &maps);
  objects_find (getpid (), &maps, &objects);
  for (size_t i = 0; i < objects.count; ++i)
    print_object (&objects.list[i]);
  objects_free (&objects);
  maps_free (&maps);
  fflush (stdout);
  syscall (SYS_getppid);
}

int
main (int argc, char **argv)
{
  stage ("started");
  for (int i = 1; i < argc; ++i)
    {
      void *object = dlopen (argv[i], RTLD_NOW);
      if (object == NULL)
	{
	  puts (dlerror ());
	  return 1;
	}
      stage ("opened");
      dlclose (object);
      stage ("closed");
    }
  return 0;
}
