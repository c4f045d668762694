/* Read the SFrame section of an ELF file into memory of exactly its size.

   SPDX-License-Identifier: LGPL-2.1-or-later

   For files that this project's tools have just made, in the byte order of the
   machine.  For any other file the test ends with a message.  */

#ifndef ELF_SECTION_H
#define ELF_SECTION_H

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of glibc 2.41 and newer; the header of the host may be older.  */
#ifndef PT_GNU_SFRAME
# define PT_GNU_SFRAME 0x6474e554
#endif

struct elf_section
{
  unsigned char *bytes;		/* From malloc, for the sanitizer.  */
  size_t size;
};

struct elf_file
{
  const char *name;
  const unsigned char *bytes;
  size_t size;
};

static inline void
elf_failure (const char *name, const char *what)
{
  fprintf (stderr, "%s: %s\n", name, what);
  exit (EXIT_FAILURE);
}

static inline struct elf_file
elf_map (const char *name)
{
  struct elf_file file = { .name = name };
  struct stat st;
  int fd = open (name, O_RDONLY);

  if (fd < 0 || fstat (fd, &st) != 0)
    elf_failure (name, strerror (errno));
  file.size = st.st_size;
  file.bytes = mmap (NULL, file.size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (file.bytes == MAP_FAILED)
    elf_failure (name, strerror (errno));
  close (fd);
  return file;
}

/* SIZE bytes at OFFSET of FILE.  */
static inline const void *
elf_at (const struct elf_file *file, uint64_t offset, uint64_t size)
{
  if (offset > file->size || size > file->size - offset)
    elf_failure (file->name, "damaged ELF file");
  return file->bytes + offset;
}

/* The program header of FILE's SFrame section.  */
static inline Elf64_Phdr
elf_sframe_segment (const struct elf_file *file)
{
  const uint16_t one = 1;
  Elf64_Ehdr header;
  Elf64_Phdr segment;

  memcpy (&header, elf_at (file, 0, sizeof header), sizeof header);
  if (memcmp (header.e_ident, ELFMAG, SELFMAG) != 0
      || header.e_ident[EI_CLASS] != ELFCLASS64
      || header.e_ident[EI_DATA] != (*(const char *) &one == 1
				     ? ELFDATA2LSB : ELFDATA2MSB))
    elf_failure (file->name, "no 64-bit ELF file of this byte order");
  for (unsigned int i = 0; i < header.e_phnum; ++i)
    {
      uint64_t at = header.e_phoff + (uint64_t) i * sizeof segment;
      memcpy (&segment, elf_at (file, at, sizeof segment), sizeof segment);
      if (segment.p_type == PT_GNU_SFRAME)
	return segment;
    }
  elf_failure (file->name, "no PT_GNU_SFRAME");
  abort ();
}

static inline struct elf_section
read_sframe_section (const char *name)
{
  struct elf_file file = elf_map (name);
  Elf64_Phdr segment = elf_sframe_segment (&file);
  struct elf_section section = { .size = segment.p_filesz };

  section.bytes = malloc (section.size);
  if (section.bytes == NULL)
    elf_failure (name, strerror (errno));
  memcpy (section.bytes, elf_at (&file, segment.p_offset, section.size),
	  section.size);
  munmap ((void *) file.bytes, file.size);
  return section;
}

#endif /* ELF_SECTION_H  */
