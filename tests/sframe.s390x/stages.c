/* Load and unload an object, and tell at each stage what must be registered.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Prints "stage NAME" and, for each executable segment of each loaded object
   that has an SFrame section, "TABLE SIZE TEXT SIZE" in hexadecimal; then
   asks for its parent process, which a tracer can see.  */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static int
print_object (struct dl_phdr_info *info, size_t size, void *closure)
{
  const ElfW(Phdr) *table = NULL;

  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_GNU_SFRAME)
      table = &info->dlpi_phdr[i];
  for (int i = 0; i < info->dlpi_phnum && table != NULL; ++i)
    {
      const ElfW(Phdr) *text = &info->dlpi_phdr[i];
      if (text->p_type == PT_LOAD && (text->p_flags & PF_X) != 0)
	printf ("%lx %lx %lx %lx\n",
		(unsigned long) (info->dlpi_addr + table->p_vaddr),
		(unsigned long) table->p_memsz,
		(unsigned long) (info->dlpi_addr + text->p_vaddr),
		(unsigned long) text->p_memsz);
    }
  return 0;
}

/* Called by the object's constructor, too.  */
void
stage (const char *name)
{
  printf ("stage %s\n", name);
  dl_iterate_phdr (print_object, NULL);
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
