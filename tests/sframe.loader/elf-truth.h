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
  /* What is wrong with the table; NULL if it is valid.  */
  const char *table_defect;
  /* The header is invalid, so the kernel refuses the table.  */
  bool header_defect;
};

/* A file all of whose segments are mapped, each at its address.  */
struct object
{
  const struct elf_file *file;
  uint64_t l_addr;
  /* The range from the start of its first segment to the end of its last
     one.  */
  uint64_t start;
  uint64_t end;
};

/* The arguments of PR_ADD_SFRAME for one executable segment.  */
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

/* What is wrong with the header of SFrame version 3 in the SIZE bytes at
   TABLE; NULL if a loader must accept it on this machine.  */
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

/* Store the registrations of OBJECT, at most MAX_SEGMENTS, and return their
   number.  */
size_t object_registrations (const struct object *object,
			     struct registration *list);

/* The same for the requests of the loader, which does not read the header.  */
size_t object_offers (const struct object *object, struct registration *list);

#endif
