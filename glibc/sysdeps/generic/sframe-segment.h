/* Find the .sframe section of a loaded object by its program headers.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: pure.  */

#ifndef _SFRAME_SEGMENT_H
#define _SFRAME_SEGMENT_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef PT_GNU_SFRAME
# define PT_GNU_SFRAME 0x6474e554
#endif

/* The PT_GNU_SFRAME among the COUNT program headers at HEADERS, or null.  */
static inline const ElfW(Phdr) *
sframe_segment_find (const ElfW(Phdr) *headers, size_t count)
{
  for (size_t i = 0; i < count; ++i)
    if (headers[i].p_type == PT_GNU_SFRAME)
      return &headers[i];
  return NULL;
}

/* The readable PT_LOAD segment whose file-backed part contains the segment of
   PH, or null.  */
static inline const ElfW(Phdr) *
sframe_segment_load (const ElfW(Phdr) *headers, size_t count,
		     const ElfW(Phdr) *ph)
{
  for (size_t i = 0; i < count; ++i)
    {
      const ElfW(Phdr) *load = &headers[i];
      if (load->p_type == PT_LOAD && (load->p_flags & PF_R) != 0
	  && ph->p_vaddr >= load->p_vaddr
	  && ph->p_vaddr - load->p_vaddr <= load->p_filesz
	  && ph->p_memsz <= load->p_filesz - (ph->p_vaddr - load->p_vaddr))
	return load;
    }
  return NULL;
}

/* Whether the segment of PH, in that of LOAD, lies in its file, which has SIZE
   bytes; true if SIZE is 0, that is, not known.  The mapping is that of LOAD:
   the offset in PH may differ.  */
static inline bool
sframe_segment_is_in_file (const ElfW(Phdr) *load, const ElfW(Phdr) *ph,
			   uint64_t size)
{
  uint64_t end = ph->p_vaddr - load->p_vaddr + ph->p_memsz;

  return (size == 0
	  || (load->p_offset <= size && end <= size - load->p_offset));
}

#endif /* _SFRAME_SEGMENT_H  */
