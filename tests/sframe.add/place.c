/* A program that checks its own memory after sframe-add has changed its file.

   SPDX-License-Identifier: LGPL-2.1-or-later

   It prints a line for each thing that is wrong, and "ok" at the end.  With an
   argument, it also expects the program headers where Linux before 5.18 has
   them.  */

#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* More of this than of anything else lies below the table.  */
#ifndef ZEROS
# define ZEROS 100000
#endif
static char zeros[ZEROS];

#ifndef PT_GNU_SFRAME
# define PT_GNU_SFRAME 0x6474e554
#endif

extern const ElfW(Ehdr) __ehdr_start;

/* Where the segment with the table ends, which lies above all others; 0 if
   there is none.  */
static uintptr_t
table_end (const ElfW(Phdr) *headers, size_t count, uintptr_t base)
{
  uintptr_t end = 0;

  for (size_t i = 0; i < count; ++i)
    if (headers[i].p_type == PT_GNU_SFRAME)
      {
	const unsigned char *table = (void *) (base + headers[i].p_vaddr);
	if (table[0] + table[1] != 0xde + 0xe2 || table[2] != 3)
	  puts ("the table is not in memory");
	end = (uintptr_t) table + headers[i].p_memsz;
      }
  return end;
}

/* Store the entry of dl_iterate_phdr for the program, which comes first.  */
static int
visit (struct dl_phdr_info *info, size_t size, void *data)
{
  if (size < offsetof (struct dl_phdr_info, dlpi_adds))
    puts ("dl_iterate_phdr");
  *(struct dl_phdr_info *) data = *info;
  return 1;
}

int
main (int argc, char **argv __attribute__ ((unused)))
{
  const ElfW(Phdr) *headers = (void *) getauxval (AT_PHDR);
  size_t count = getauxval (AT_PHNUM);
  struct dl_phdr_info info = { 0 };

  dl_iterate_phdr (visit, &info);
  uintptr_t end = table_end (info.dlpi_phdr, info.dlpi_phnum, info.dlpi_addr);
  if (end == 0)
    puts ("dl_iterate_phdr has no table");
  if (table_end (headers, count, info.dlpi_addr) != end)
    puts ("AT_PHDR has another");
  if (argc > 1 && (const char *) headers
		  != (const char *) &__ehdr_start + __ehdr_start.e_phoff)
    puts ("Linux before 5.18 has another AT_PHDR");
  /* That of a static PIE is anywhere else.  */
  if ((uintptr_t) sbrk (0) < end
      && (uintptr_t) sbrk (0) >= (uintptr_t) &__ehdr_start)
    puts ("the heap is in the program");
  for (size_t i = 0; i < sizeof zeros; i += 4096)
    if (zeros[i] != 0)
      {
	puts ("zeros are lost");
	break;
      }
  memset (zeros, 1, sizeof zeros < 100000 ? sizeof zeros : 100000);
  if (table_end (headers, count, info.dlpi_addr) != end)
    puts ("zeros are part of the table");
  puts ("ok");
  return 0;
}
