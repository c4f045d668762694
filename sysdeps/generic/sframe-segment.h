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

/* Whether the segment of PH lies in the file-backed part of a readable
   PT_LOAD segment.  */
static inline bool
sframe_segment_is_loaded (const ElfW(Phdr) *headers, size_t count,
			  const ElfW(Phdr) *ph)
{
  for (size_t i = 0; i < count; ++i)
    {
      const ElfW(Phdr) *load = &headers[i];
      if (load->p_type == PT_LOAD && (load->p_flags & PF_R) != 0
	  && ph->p_vaddr >= load->p_vaddr
	  && ph->p_vaddr - load->p_vaddr <= load->p_filesz
	  && ph->p_memsz <= load->p_filesz - (ph->p_vaddr - load->p_vaddr))
	return true;
    }
  return false;
}

/* Whether the segment of PH lies in its file, which has SIZE bytes; true if
   SIZE is 0, that is, not known.  */
static inline bool
sframe_segment_is_in_file (const ElfW(Phdr) *ph, uint64_t size)
{
  return (size == 0
	  || (ph->p_offset <= size && ph->p_memsz <= size - ph->p_offset));
}

#endif /* _SFRAME_SEGMENT_H  */
