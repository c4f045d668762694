/* Loaded objects, as the code sees them on another glibc.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-module.h.  */

#include <sframe-module.h>
#include <sframe-stack.h>
#include <staying.h>
#include <string.h>

struct sframe_staying __sframe_staying;

/* The largest number of program headers that is accepted; the number of
   program headers that sframe-add adds to an object without a table; the
   alignments of segments (machine->page in sframe-add) and of program
   headers.  */
enum { HEADERS_MAX = 64, HEADERS_ADDED = 2, ALIGN = 8 };
#ifdef __aarch64__
enum { PAGE = 0x10000 };
#else
enum { PAGE = 0x1000 };
#endif

bool
__sframe_module_stays (const sframe_module *module)
{
  const sframe_module *const *staying = __sframe_staying.modules;
  /* Pairs with the release in find_staying.  */
  size_t low = 0, high = atomic_load_acquire (&__sframe_staying.count);

  while (low < high)
    {
      size_t middle = low + (high - low) / 2;
      if (staying[middle] == module)
	return true;
      if (staying[middle] < module)
	low = middle + 1;
      else
	high = middle;
    }
  return false;
}

/* sframe-add does not move the linker's program headers; choose_place in
   sframe-add/layout.c computes the address of the new ones.  If the linker had
   made a table, sframe-add has added one program header less, so the loop
   leaves out the linker's last one; that one is not PT_LOAD.  */
uintptr_t
__sframe_module_moved_headers (const ElfW(Ehdr) *header)
{
  const ElfW(Phdr) *headers = (const void *) (header + 1);
  ElfW(Addr) distance = 0, end = 0, bytes = 0;
  bool alike = header->e_type == ET_EXEC || header->e_entry != 0;
  bool dynamic = false;

  for (size_t i = 0; i + HEADERS_ADDED < header->e_phnum; ++i)
    {
      const ElfW(Phdr) *ph = &headers[i];
      alike |= ph->p_type == PT_INTERP;
      dynamic |= ph->p_type == PT_DYNAMIC;
      if (ph->p_type != PT_LOAD)
	continue;
      if (ph->p_offset == 0)
	distance = ph->p_vaddr;
      if (ph->p_filesz > 0)
	bytes = ph->p_offset + ph->p_filesz;
      if (ph->p_vaddr + ph->p_memsz > end)
	end = ph->p_vaddr + ph->p_memsz;
    }
  end = (end + PAGE - 1) & -(ElfW(Addr)) PAGE;
  end += (bytes & (PAGE - 1)) + (-bytes & (ALIGN - 1));
  if ((alike || !dynamic) && end - distance < header->e_phoff)
    end = header->e_phoff + distance;
  return (uintptr_t) header + end - distance;
}

/* Whether HEADER is that of an object of this machine whose program headers
   are where a linker or sframe-add puts them.  */
static bool
is_elf (const ElfW(Ehdr) *header, bool *checked)
{
  static const unsigned char identity[] = { ELFMAG0, ELFMAG1, ELFMAG2,
    ELFMAG3, __WORDSIZE == 64 ? ELFCLASS64 : ELFCLASS32 };

  return (memcmp (header->e_ident, identity, sizeof identity) == 0
	  && header->e_phentsize == sizeof (ElfW(Phdr))
	  && header->e_phnum > 0 && header->e_phnum <= HEADERS_MAX
	  && header->e_phoff % sizeof (uintptr_t) == 0
	  && header->e_phoff >= sizeof *header
	  && (sframe_module_headers_near (header)
	      || __sframe_readable ((uintptr_t) (header + 1),
				    header->e_phnum * sizeof (ElfW(Phdr)),
				    checked)));
}

/* Whether the first segment of MODULE maps the start of the file, where the
   ELF header is, and a segment the program headers.  */
static bool
maps_headers (const sframe_module *module)
{
  const ElfW(Phdr) *headers = sframe_module_headers (module);
  const ElfW(Phdr) *first = NULL;

  for (size_t i = 0; i < sframe_module_header_count (module); ++i)
    if (headers[i].p_type == PT_LOAD)
      {
	first = first == NULL ? &headers[i] : first;
	if (first->p_offset != 0)
	  return false;
	if (module->e_phoff - headers[i].p_offset < headers[i].p_filesz)
	  return ((uintptr_t) module - first->p_vaddr + headers[i].p_vaddr
		  + (module->e_phoff - headers[i].p_offset)
		  == (uintptr_t) headers);
      }
  return false;
}

const sframe_module *
__sframe_module_at (const void *start)
{
  const ElfW(Ehdr) *header = start;
  bool checked = false;

  if (__sframe_module_stays (header))
    return header;
  if ((uintptr_t) header % sizeof (uintptr_t) != 0
      || !__sframe_readable ((uintptr_t) header, sizeof *header, &checked)
      || !is_elf (header, &checked)
      || !__sframe_readable ((uintptr_t) sframe_module_headers (header),
			     header->e_phnum * sizeof (ElfW(Phdr)),
			     &checked)
      || !maps_headers (header))
    return NULL;
  return header;
}

/* The kernel has mapped the program, possibly with gaps between the segments.
   Then the loader takes each segment for an object, and dlfo_map_start is the
   start of the segment.  The loader maps libraries without gaps.  The acquire
   pairs with the release in note_program.  */
const sframe_module *
__sframe_module_of (const struct dl_find_object *object)
{
  if (object->dlfo_link_map
      == __atomic_load_n (&__sframe_staying.program_map, __ATOMIC_ACQUIRE))
    return __sframe_staying.program;
  return __sframe_module_at (object->dlfo_map_start);
}
