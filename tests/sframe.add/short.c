/* Load libraries whose files end inside their tables, and take a trace from each.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: short LIBRARY

   LIBRARY is loaded as it is, cut off, and cut off with a PT_GNU_SFRAME whose
   file offset is not that of its segment.  The program prints the number of
   frames of each trace.  Reading a table beyond the end of its file causes
   SIGBUS.  */

#include <dlfcn.h>
#include <elf.h>
#include <err.h>
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef PT_GNU_SFRAME
# define PT_GNU_SFRAME 0x6474e554
#endif

enum { PAGE = 4096 };

static unsigned char image[1 << 20] __attribute__ ((aligned (8)));
static size_t size;

static void
load (const char *library)
{
  FILE *file = fopen (library, "r");

  if (file == NULL)
    err (1, "%s", library);
  size = fread (image, 1, sizeof image, file);
  fclose (file);
}

static Elf64_Phdr *
find_table (void)
{
  const Elf64_Ehdr *header = (const Elf64_Ehdr *) image;
  Elf64_Phdr *segments = (Elf64_Phdr *) (image + header->e_phoff);

  for (unsigned int i = 0; i < header->e_phnum; i++)
    if (segments[i].p_type == PT_GNU_SFRAME)
      return &segments[i];
  errx (1, "no table");
}

/* Store the first bytes of the image, up to SIZE, in the file NAME.  */
static void
store (const char *name, size_t size)
{
  FILE *file = fopen (name, "w");

  if (file == NULL || fwrite (image, 1, size, file) != size
      || fclose (file) != 0)
    err (1, "%s", name);
}

static int
count_frames (void)
{
  void *pc[50];

  return backtrace (pc, 50);
}

static void
trace (const char *library)
{
  void *handle = dlopen (library, RTLD_NOW);
  if (handle == NULL)
    errx (1, "%s", dlerror ());
  int (*call) (int (*) (void)) = dlsym (handle, "call");
  if (call == NULL)
    errx (1, "%s", dlerror ());
  printf ("%d\n", call (count_frames));
}

int
main (int argc, char **argv)
{
  if (argc != 2)
    errx (1, "usage: short LIBRARY");
  load (argv[1]);
  Elf64_Phdr *table = find_table ();
  size_t cut = (table->p_offset / PAGE + 1) * PAGE;
  if (table->p_offset + table->p_filesz < cut + PAGE)
    errx (1, "the table is too small");
  store ("./cut.so", cut);
  table->p_offset = 0;
  store ("./cut-offset.so", cut);
  trace (argv[1]);
  trace ("./cut.so");
  trace ("./cut-offset.so");
  return 0;
}
