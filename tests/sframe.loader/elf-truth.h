/* The ranges that a loader must register, computed without the loader: from
   the program headers of the files that a process has mapped.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ELF_TRUTH_H
#define ELF_TRUTH_H

#include "process-maps.h"

enum { MAX_SEGMENTS = 16 };

/* A PT_LOAD, as the file has it.  */
struct segment
{
  uint64_t vaddr;
  uint64_t memory_size;
  uint64_t file_size;
  uint64_t offset;
  bool executable;
};

/* An ELF file, or the image of the vDSO.  */
struct elf_file
{
  char *path;
  struct segment segments[MAX_SEGMENTS];
  size_t count;
  bool executable_type;
  bool has_interpreter;
  bool is_dynamic;
  /* PT_GNU_SFRAME; both 0 if there is none.  */
  uint64_t table_vaddr;
  uint64_t table_size;
  /* NULL if the table is a good one, else what is wrong with it.  */
  const char *table_defect;
  /* That is what its header says: the kernel refuses it.  */
  bool header_defect;
};

/* A file all of whose segments are mapped, each in its place.  */
struct object
{
  const struct elf_file *file;
  uint64_t l_addr;
  /* From the first byte of its first segment to the last of its last.  */
  uint64_t start;
  uint64_t end;
};

/* What PR_ADD_SFRAME has to be told about one executable segment.  */
struct registration
{
  uint64_t table_start;
  uint64_t table_size;
  uint64_t text_start;
  uint64_t text_size;
};

struct objects
{
  struct object *list;
  size_t count;
};

/* NULL if the SIZE bytes at TABLE begin with a header of SFrame version 3
   that a loader has to accept on this machine, else what is wrong.  */
const char *sframe_defect (const unsigned char *table, size_t size);

/* Find all objects in the MAPS of process PID.  Free with objects_free; the
   files live until the end.  */
void objects_find (pid_t pid, const struct maps *maps,
		   struct objects *objects);

void objects_free (struct objects *objects);

/* The object that ADDRESS lies in, or NULL.  */
const struct object *objects_at (const struct objects *objects,
				 uint64_t address);

/* The name without directories.  */
const char *object_name (const struct object *object);

/* Store the registrations that OBJECT asks for, at most MAX_SEGMENTS, and
   return how many these are.  */
size_t object_registrations (const struct object *object,
			     struct registration *list);

/* The same of those that its loader asks for, which leaves it to the kernel to
   read the header.  */
size_t object_offers (const struct object *object, struct registration *list);

#endif
