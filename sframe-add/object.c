/* Read the ELF file that sframe-add converts.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-add.h.  libelf reads the headers and checks that they
   lie in the file; the addresses and offsets in them are checked here.  */

#include <sframe-format.h>
#include <stdlib.h>
#include <string.h>

#include "sframe-add.h"

static const struct machine machines[] =
  {
    { .elf = EM_X86_64, .abi = SFRAME_ABI_AMD64_LE,
      .sp = 7, .fp = 6, .ra = 16, .registers = 16,
      .fixed_ra_offset = -8, .page = 0x1000, .cfa_scale = 1 },
    { .elf = EM_S390, .big_endian = true, .abi = SFRAME_ABI_S390X_BE,
      .sp = 15, .fp = 11, .ra = 14, .registers = 32,
      .sp_offset = -SFRAME_S390X_CFA_ADJUSTMENT, .sp_saved_offset = -40,
      .page = 0x1000, .cfa_adjustment = SFRAME_S390X_CFA_ADJUSTMENT,
      .cfa_scale = SFRAME_S390X_CFA_SCALE },
    { .elf = EM_AARCH64, .abi = SFRAME_ABI_AARCH64_LE,
      .sp = 31, .fp = 29, .ra = 30, .registers = 32,
      .page = 0x10000, .cfa_scale = 1, .signs_ra = true }
  };

static const struct machine *
find_machine (const GElf_Ehdr *header)
{
  for (size_t i = 0; i < sizeof machines / sizeof *machines; ++i)
    if (machines[i].elf == header->e_machine
	&& header->e_ident[EI_CLASS] == ELFCLASS64
	&& header->e_ident[EI_DATA] == (machines[i].big_endian
					? ELFDATA2MSB : ELFDATA2LSB))
      return &machines[i];
  return NULL;
}

/* Whether the addresses of SEGMENT do not wrap and its bytes lie in the
   file.  */
static bool
segment_fits (const struct object *object, const GElf_Phdr *segment)
{
  uint64_t end;

  return (segment->p_offset <= object->file.size
	  && segment->p_filesz <= object->file.size - segment->p_offset
	  && !__builtin_add_overflow (segment->p_vaddr, segment->p_memsz,
				      &end)
	  && (segment->p_type != PT_LOAD
	      || segment->p_filesz <= segment->p_memsz));
}

static const char *
read_segments (struct object *object)
{
  uint64_t bytes = 0;

  if (elf_getphdrnum (object->elf, &object->segment_count) != 0
      || object->segment_count == 0)
    return "no program headers";
  if (object->segment_count > HEADERS_MAX
      || object->header.e_phnum == PN_XNUM)
    return "it has too many program headers";
  object->segments = calloc (object->segment_count, sizeof (GElf_Phdr));
  if (object->segments == NULL)
    return "out of memory";
  for (size_t i = 0; i < object->segment_count; ++i)
    {
      GElf_Phdr *segment = &object->segments[i];
      if (gelf_getphdr (object->elf, i, segment) == NULL)
	return message ("program header %zu: %s", i, elf_errmsg (-1));
      if (!segment_fits (object, segment))
	return message ("program header %zu: it leaves the file", i);
      if (segment->p_type == PT_LOAD)
	bytes += segment->p_filesz;
    }
  /* The work must be linear in the size of the file.  */
  if (bytes / 2 > object->file.size)
    return "too many segments have the same bytes of the file";
  return NULL;
}

/* Whether OBJECT is split debug information, whose code is in another file.
   Its program headers describe that file.  */
static bool
is_split (const struct object *object)
{
  Elf_Scn *section = NULL;
  GElf_Shdr header;
  bool has_code = false, lacks_code = false;

  while ((section = elf_nextscn (object->elf, section)) != NULL)
    if (gelf_getshdr (section, &header) != NULL
	&& (header.sh_flags & SHF_EXECINSTR) != 0)
      {
	has_code |= header.sh_type != SHT_NOBITS;
	lacks_code |= header.sh_type == SHT_NOBITS;
      }
  return lacks_code && !has_code;
}

const char *
object_open (struct object *object, enum outcome *outcome)
{
  const struct buffer *file = &object->file;

  *outcome = OUTCOME_SKIPPED;
  if (file->size < SELFMAG || memcmp (file->data, ELFMAG, SELFMAG) != 0)
    return "not an ELF file";
  *outcome = OUTCOME_FAILED;
  object->elf = elf_memory ((char *) file->data, file->size);
  if (object->elf == NULL || elf_kind (object->elf) != ELF_K_ELF
      || gelf_getehdr (object->elf, &object->header) == NULL)
    {
      /* libelf takes such a file for data, which is no error.  */
      int error = elf_errno ();
      return message ("damaged ELF header: %s",
		      error != 0 ? elf_errmsg (error)
		      : "it is too short, or of no known class");
    }
  object->machine = find_machine (&object->header);
  if (object->machine == NULL)
    {
      *outcome = OUTCOME_SKIPPED;
      return "not for 64-bit x86-64, s390x or little-endian AArch64";
    }
  if (object->header.e_type != ET_EXEC && object->header.e_type != ET_DYN)
    {
      *outcome = OUTCOME_SKIPPED;
      return (object->header.e_type == ET_REL
	      ? "not linked yet: let the assembler write a table (--gsframe)"
	      : "neither a program nor a shared object");
    }
  if (is_split (object))
    {
      *outcome = OUTCOME_SKIPPED;
      return "debug information without the code";
    }
  return read_segments (object);
}

void
object_close (struct object *object)
{
  elf_end (object->elf);
  free (object->segments);
  free (object->file.data);
}

const GElf_Phdr *
object_segment (const struct object *object, uint32_t type)
{
  for (size_t i = 0; i < object->segment_count; ++i)
    if (object->segments[i].p_type == type)
      return &object->segments[i];
  return NULL;
}

/* The bytes of the section names; empty if there are none.  */
static struct buffer
section_names (const struct object *object)
{
  const struct buffer *file = &object->file;
  GElf_Shdr header;
  size_t index;

  if (elf_getshdrstrndx (object->elf, &index) != 0
      || gelf_getshdr (elf_getscn (object->elf, index), &header) == NULL
      || header.sh_type == SHT_NOBITS || header.sh_offset > file->size
      || header.sh_size > file->size - header.sh_offset)
    return (struct buffer) { 0 };
  return (struct buffer) { .data = file->data + header.sh_offset,
			   .size = header.sh_size };
}

uint64_t
object_section (const struct object *object, const char *name, uint64_t *size)
{
  /* elf_strptr would look for the end of each name, however far it is.  */
  const struct buffer names = section_names (object);
  const size_t length = strlen (name) + 1;
  Elf_Scn *section = NULL;
  GElf_Shdr header;

  while ((section = elf_nextscn (object->elf, section)) != NULL)
    if (gelf_getshdr (section, &header) != NULL
	&& (header.sh_flags & SHF_ALLOC) != 0
	&& header.sh_name < names.size && length <= names.size - header.sh_name
	&& memcmp (names.data + header.sh_name, name, length) == 0)
      {
	*size = header.sh_size;
	return header.sh_addr;
      }
  return 0;
}

const unsigned char *
object_bytes (const struct object *object, uint64_t address, uint64_t *size)
{
  for (size_t i = 0; i < object->segment_count; ++i)
    {
      const GElf_Phdr *segment = &object->segments[i];
      uint64_t offset = address - segment->p_vaddr;
      if (segment->p_type == PT_LOAD && offset < segment->p_filesz)
	{
	  *size = segment->p_filesz - offset;
	  return object->file.data + segment->p_offset + offset;
	}
    }
  return NULL;
}

bool
object_is_code (const struct object *object, uint64_t address, uint64_t size)
{
  for (size_t i = 0; i < object->segment_count; ++i)
    {
      const GElf_Phdr *segment = &object->segments[i];
      uint64_t offset = address - segment->p_vaddr;
      if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X) != 0
	  && offset < segment->p_filesz && size <= segment->p_filesz - offset)
	return true;
    }
  return false;
}
