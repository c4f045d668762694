/* Objects that another glibc's loader has mapped: their ELF headers, and which of them stay.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-module.h.  */

#include <sframe-module.h>
#include <sframe-stack.h>
#include <staying.h>
#include <string.h>

struct sframe_staying __sframe_staying;

/* The largest number of program headers that is believed.  */
enum { HEADERS_MAX = 64 };

bool
__sframe_module_stays (const sframe_module *module)
{
  const sframe_module *const *staying = __sframe_staying.modules;
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

/* Whether HEADER is that of an object of this machine whose program headers
   lie within the first page, or the next one.  */
static bool
is_elf (const ElfW(Ehdr) *header)
{
  static const unsigned char identity[] = { ELFMAG0, ELFMAG1, ELFMAG2,
    ELFMAG3, __WORDSIZE == 64 ? ELFCLASS64 : ELFCLASS32 };

  return (memcmp (header->e_ident, identity, sizeof identity) == 0
	  && header->e_phentsize == sizeof (ElfW(Phdr))
	  && header->e_phnum > 0 && header->e_phnum <= HEADERS_MAX
	  && header->e_phoff % sizeof (uintptr_t) == 0
	  && header->e_phoff >= sizeof *header
	  && header->e_phoff <= 4096);
}

/* Whether the first segment of MODULE maps the start of the file, where the
   ELF header is.  */
static bool
maps_header (const sframe_module *module)
{
  const ElfW(Phdr) *headers = sframe_module_headers (module);

  for (size_t i = 0; i < sframe_module_header_count (module); ++i)
    if (headers[i].p_type == PT_LOAD)
      return headers[i].p_offset == 0;
  return false;
}

const sframe_module *
__sframe_module_at (const void *start)
{
  const ElfW(Ehdr) *header = start;

  if (__sframe_module_stays (header))
    return header;
  if ((uintptr_t) header % sizeof (uintptr_t) != 0
      || !__sframe_readable ((uintptr_t) header, sizeof *header)
      || !is_elf (header)
      || !__sframe_readable ((uintptr_t) header + header->e_phoff,
			     header->e_phnum * sizeof (ElfW(Phdr)))
      || !maps_header (header))
    return NULL;
  return header;
}
