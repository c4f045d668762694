/* Read the program headers of mapped files from the files themselves.

   SPDX-License-Identifier: LGPL-2.1-or-later

   No code or declaration is shared with the loader under test, not even that
   of the SFrame header: a common mistake would not be detected.  */

#include "elf-truth.h"

#include <elf.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#ifdef __x86_64__
enum { THIS_ABI = 3 };
#elif defined __s390x__
enum { THIS_ABI = 4 };
#elif defined __aarch64__
enum { THIS_ABI = 2 };
#else
# error "name the SFrame ABI identifier of this machine"
#endif

struct sframe_head
{
  uint16_t magic;
  uint8_t version;
  uint8_t flags;
  uint8_t abi;
  int8_t fixed_fp;
  int8_t fixed_ra;
  uint8_t auxiliary;
  uint32_t fdes;
  uint32_t fres;
  uint32_t fre_bytes;
  uint32_t fde_offset;
  uint32_t fre_offset;
};

const char *
sframe_defect (const unsigned char *table, size_t size)
{
  struct sframe_head h;
  if (size < sizeof h)
    return "truncated header";
  memcpy (&h, table, sizeof h);
  if (h.magic != 0xdee2)
    return "no magic number, or that of the other byte order";
  if (h.version != 3)
    return "not version 3";
  if (h.abi != THIS_ABI)
    return "ABI of another machine";
  if ((h.flags & 1) == 0)
    return "not sorted";
  /* 4: function starts relative to themselves.  */
  if ((h.flags & ~5) != 0)
    return "flag without a meaning";
  if (h.fdes == 0)
    return "no functions";
  /* One function's entry in the index takes 16 bytes.  */
  uint64_t room = size - sizeof h;
  if (h.auxiliary > room)
    return "auxiliary header outside the section";
  room -= h.auxiliary;
  if (h.fde_offset + h.fdes * UINT64_C (16) > room)
    return "function index outside the section";
  if ((uint64_t) h.fre_offset + h.fre_bytes > room)
    return "rows outside the section";
  /* A row has at least its start and its information, a byte each.  */
  if (h.fres * UINT64_C (2) > h.fre_bytes)
    return "more rows than bytes for them";
  return NULL;
}

/* Store the needed parts of the program header PH of FILE, whose image has
   SIZE bytes.  */
static void
take_program_header (struct elf_file *file, const Elf64_Phdr *ph,
		     const unsigned char *image, size_t size)
{
  if (ph->p_type == PT_INTERP)
    file->has_interpreter = true;
  if (ph->p_type == PT_DYNAMIC)
    file->is_dynamic = true;
  if (ph->p_type == PT_LOAD && file->count < MAX_SEGMENTS)
    file->segments[file->count++] = (struct segment)
      {
	ph->p_vaddr, ph->p_memsz, ph->p_filesz, ph->p_offset,
	(ph->p_flags & PF_X) != 0
      };
  /* PT_GNU_SFRAME; the number is newer than some elf.h.  */
  if (ph->p_type == 0x6474e554)
    {
      file->table_vaddr = ph->p_vaddr;
      file->table_size = ph->p_memsz;
      bool inside = (ph->p_offset <= size
		     && ph->p_memsz <= size - ph->p_offset);
      file->table_defect = (inside ? sframe_defect (image + ph->p_offset,
						    ph->p_memsz)
			    : "outside the file");
      file->header_defect = inside && file->table_defect != NULL;
    }
}

/* Whether the table lies in the part of FILE that one segment maps.  */
static bool
table_loaded (const struct elf_file *file)
{
  for (size_t i = 0; i < file->count; i++)
    {
      const struct segment *s = &file->segments[i];
      uint64_t before = file->table_vaddr - s->vaddr;
      if (file->table_vaddr >= s->vaddr && before <= s->file_size
	  && file->table_size <= s->file_size - before)
	return true;
    }
  return false;
}

/* Read the headers of an image of SIZE bytes.  False: not an ELF file of
   this machine's class.  */
static bool
parse_image (struct elf_file *file, const unsigned char *image, size_t size)
{
  Elf64_Ehdr eh;
  if (size < sizeof eh)
    return false;
  memcpy (&eh, image, sizeof eh);
  if (memcmp (eh.e_ident, ELFMAG, SELFMAG) != 0
      || eh.e_ident[EI_CLASS] != ELFCLASS64
      || eh.e_phentsize != sizeof (Elf64_Phdr)
      || eh.e_phoff > size
      || eh.e_phnum > (size - eh.e_phoff) / sizeof (Elf64_Phdr))
    return false;
  file->executable_type = eh.e_type == ET_EXEC;
  for (size_t i = 0; i < eh.e_phnum; i++)
    {
      Elf64_Phdr ph;
      memcpy (&ph, image + eh.e_phoff + i * sizeof ph, sizeof ph);
      take_program_header (file, &ph, image, size);
    }
  if (file->table_size != 0 && !table_loaded (file))
    {
      file->table_defect = "outside every segment";
      file->header_defect = false;
    }
  return file->count > 0;
}

/* The bytes of the file PATH, or NULL.  */
static unsigned char *
read_file (const char *path, size_t *size)
{
  FILE *stream = fopen (path, "re");
  if (stream == NULL)
    return NULL;
  struct stat st;
  unsigned char *image = NULL;
  if (fstat (fileno (stream), &st) == 0 && S_ISREG (st.st_mode))
    {
      *size = st.st_size;
      image = malloc (*size + 1);
      if (image != NULL && fread (image, 1, *size, stream) != *size)
	{
	  free (image);
	  image = NULL;
	}
    }
  fclose (stream);
  return image;
}

/* The bytes of the vDSO, which has no file.  */
static unsigned char *
read_mapping (pid_t pid, const struct mapping *m, size_t *size)
{
  *size = m->end - m->start;
  unsigned char *image = malloc (*size);
  if (image == NULL || memory_read (pid, m->start, image, *size))
    return image;
  free (image);
  return NULL;
}

/* Every file seen so far.  Each is read once: no test may change a file while
   a program has it mapped.  */
struct known
{
  struct elf_file file;
  bool is_elf;
  struct known *next;
};
static struct known *known;

/* Read the file that mapping M of process PID maps.  */
static struct known *
learn (pid_t pid, const struct mapping *m)
{
  struct known *k = calloc (1, sizeof *k);
  if (k == NULL || (k->file.path = strdup (m->path)) == NULL)
    err (2, "object list");
  size_t size = 0;
  unsigned char *image = NULL;
  if (strcmp (m->path, "[vdso]") == 0)
    image = read_mapping (pid, m, &size);
  else if (m->path[0] == '/')
    image = read_file (m->path, &size);
  k->is_elf = image != NULL && parse_image (&k->file, image, size);
  free (image);
  return k;
}

/* The file that mapping M of process PID maps, or NULL if that is no ELF
   file.  */
static const struct elf_file *
file_of (pid_t pid, const struct mapping *m)
{
  struct known **link = &known;
  while (*link != NULL && strcmp ((*link)->file.path, m->path) != 0)
    link = &(*link)->next;
  struct known *k = *link;
  if (k == NULL)
    k = learn (pid, m);
  else
    *link = k->next;
  /* Move it to the front: the next mapping is often one of the same file.  */
  k->next = known;
  known = k;
  return k->is_elf ? &k->file : NULL;
}

/* Whether SEGMENT of FILE is mapped at its address relative to L_ADDR.  The
   vDSO is one mapping without a file, so its offsets have no meaning.  */
static bool
segment_mapped (const struct maps *maps, const struct elf_file *file,
		const struct segment *segment, uint64_t l_addr)
{
  if (segment->file_size == 0)
    return true;
  uint64_t address = l_addr + segment->vaddr;
  const struct mapping *m = maps_find (maps, address, 1);
  return (m != NULL
	  && strcmp (m->path, file->path) == 0
	  && (m->executable || !segment->executable)
	  && (file->path[0] != '/'
	      || m->offset + (address - m->start) == segment->offset));
}

/* Describe the object whose first segment is at the start of mapping M.
   False if M does not begin an object, or not all of it is mapped.  */
static bool
object_from (const struct maps *maps, const struct mapping *m,
	     const struct elf_file *file, struct object *object)
{
  const struct segment *first = &file->segments[0];
  const struct segment *last = &file->segments[file->count - 1];
  uint64_t in_page = first->vaddr & 0xfff;
  if (m->offset != first->offset - in_page)
    return false;
  object->file = file;
  object->l_addr = m->start - (first->vaddr - in_page);
  object->start = m->start;
  object->end = object->l_addr + last->vaddr + last->memory_size;
  for (size_t i = 0; i < file->count; i++)
    if (!segment_mapped (maps, file, &file->segments[i], object->l_addr))
      return false;
  return true;
}

void
objects_find (pid_t pid, const struct maps *maps, struct objects *objects)
{
  *objects = (struct objects) { 0 };
  for (size_t i = 0; i < maps->count; i++)
    {
      const struct elf_file *file = file_of (pid, &maps->list[i]);
      struct object object;
      if (file == NULL || !object_from (maps, &maps->list[i], file, &object))
	continue;
      objects->list = reallocarray (objects->list, objects->count + 1,
				    sizeof object);
      if (objects->list == NULL)
	err (2, "object list");
      objects->list[objects->count++] = object;
    }
}

void
objects_free (struct objects *objects)
{
  free (objects->list);
  *objects = (struct objects) { 0 };
}

const struct object *
objects_at (const struct objects *objects, uint64_t address)
{
  for (size_t i = 0; i < objects->count; i++)
    if (address >= objects->list[i].start && address < objects->list[i].end)
      return &objects->list[i];
  return NULL;
}

const char *
object_name (const struct object *object)
{
  const char *slash = strrchr (object->file->path, '/');
  return slash != NULL ? slash + 1 : object->file->path;
}

size_t
object_registrations (const struct object *object, struct registration *list)
{
  const struct elf_file *file = object->file;
  if (file->table_defect != NULL)
    return 0;
  return object_offers (object, list);
}

size_t
object_offers (const struct object *object, struct registration *list)
{
  const struct elf_file *file = object->file;
  size_t count = 0;
  if (file->table_size == 0
      || (file->table_defect != NULL && !file->header_defect))
    return 0;
  for (size_t i = 0; i < file->count; i++)
    if (file->segments[i].executable && file->segments[i].memory_size > 0)
      list[count++] = (struct registration)
	{
	  object->l_addr + file->table_vaddr, file->table_size,
	  object->l_addr + file->segments[i].vaddr,
	  file->segments[i].memory_size
	};
  return count;
}
