/* An ELF object in memory as the loader would place it, but not relocated.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef IMAGE_H
#define IMAGE_H

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sframe-eh.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct image
{
  const char *name;
  /* The file as it is.  */
  unsigned char *file;
  size_t file_size;
  /* Where address 0 of the object is.  */
  uintptr_t base;
  void *mapping;
  size_t mapping_size;
  struct sframe_eh_table table;
};

/* Read the file NAME, or the vDSO of this process if NAME is "vDSO".  */
static inline bool
image_read (struct image *image, const char *name)
{
  image->name = name;
  if (strcmp (name, "vDSO") == 0)
    {
      const Elf64_Ehdr *vdso = (const void *) getauxval (AT_SYSINFO_EHDR);
      if (vdso == NULL)
	return false;
      image->file_size = vdso->e_shoff + vdso->e_shnum * sizeof (Elf64_Shdr);
      image->file = malloc (image->file_size);
      memcpy (image->file, vdso, image->file_size);
      return true;
    }
  struct stat st;
  int fd = open (name, O_RDONLY);
  if (fd < 0)
    return false;
  bool good = fstat (fd, &st) == 0 && st.st_size > 0;
  image->file_size = good ? st.st_size : 1;
  image->file = malloc (image->file_size);
  good = good && read (fd, image->file, st.st_size) == st.st_size;
  close (fd);
  return good;
}

/* The program headers; null for a file that cannot be unwound here.  */
static inline const Elf64_Phdr *
image_headers (const struct image *image, unsigned int *count)
{
  const Elf64_Ehdr *header = (const void *) image->file;
  const uint16_t machine =
#if defined __x86_64__
    EM_X86_64;
#elif defined __s390x__
    EM_S390;
#elif defined __aarch64__
    EM_AARCH64;
#endif

  if (image->file_size < sizeof *header
      || memcmp (header->e_ident, ELFMAG, SELFMAG) != 0
      || header->e_ident[EI_CLASS] != ELFCLASS64
      || (header->e_type != ET_EXEC && header->e_type != ET_DYN)
      || header->e_machine != machine
      || header->e_phoff > image->file_size
      || (image->file_size - header->e_phoff) / sizeof (Elf64_Phdr)
	 < header->e_phnum)
    return NULL;
  *count = header->e_phnum;
  return (const void *) (image->file + header->e_phoff);
}

/* Copy the segment LOAD to its memory.  */
static inline void
image_segment (struct image *image, const Elf64_Phdr *load)
{
  memcpy ((void *) (image->base + load->p_vaddr),
	  image->file + load->p_offset, load->p_filesz);
}

/* Set the tables; the header is that of TABLE.  The memory of the object has no
   holes, so all of it may be read.  */
static inline void
image_table (struct image *image, const Elf64_Phdr *table)
{
  unsigned char *start = image->mapping, *end = start + image->mapping_size;

  if (table->p_vaddr < image->mapping_size)
    image->table = (struct sframe_eh_table)
      { .header = start + table->p_vaddr,
	.header_size = image->mapping_size - table->p_vaddr,
	.memory = { start, end } };
}

/* Place the object.  Return whether it has a table.  */
static inline bool
image_load (struct image *image, const char *name)
{
  const Elf64_Phdr *table = NULL;
  unsigned int count;

  *image = (struct image) { 0 };
  if (!image_read (image, name))
    return false;
  const Elf64_Phdr *ph = image_headers (image, &count);
  if (ph == NULL)
    return false;
  for (unsigned int i = 0; i < count; ++i)
    {
      if (ph[i].p_type == PT_GNU_EH_FRAME)
	table = &ph[i];
      if (ph[i].p_type == PT_LOAD
	  && image->mapping_size < ph[i].p_vaddr + ph[i].p_memsz)
	image->mapping_size = ph[i].p_vaddr + ph[i].p_memsz;
    }
  if (table == NULL)
    return false;
  image->mapping = mmap (NULL, image->mapping_size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (image->mapping == MAP_FAILED)
    return false;
  image->base = (uintptr_t) image->mapping;
  for (unsigned int i = 0; i < count; ++i)
    if (ph[i].p_type == PT_LOAD
	&& ph[i].p_filesz <= image->file_size
	&& ph[i].p_offset <= image->file_size - ph[i].p_filesz)
      image_segment (image, &ph[i]);
  image_table (image, table);
  return image->table.header != NULL;
}

static inline void
image_unload (struct image *image)
{
  free (image->file);
  if (image->mapping != NULL && image->mapping != MAP_FAILED)
    munmap (image->mapping, image->mapping_size);
}

#endif /* IMAGE_H  */
