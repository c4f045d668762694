/* What libc's SFrame code asks of an object that another glibc's loader has mapped.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe; no allocation, no lock; no fault,
   unless another thread unloads the object meanwhile.

   The functions are those of sysdeps/generic/sframe-module.h.  That loader's
   public interface tells where an object begins and ends.  The rest is in the
   ELF header there, and the program headers: linkers put them behind the ELF
   header, sframe-add into a segment of its own.  An object is known by the
   address of its ELF header.  An object without one in memory is not known.

   A rule that is remembered must never be applied to another object that was
   mapped at the same address.  Nothing that may be asked in a signal handler
   tells of dlclose: libc closes objects of its own accord (iconv, NSS, a
   dlopen that fails), so a dlclose of ours would not see all; dlpi_subs is
   behind a lock; and two objects may have the same address, link map and layout one
   after the other.  So rules are remembered only of objects that can never be
   unloaded: those that came with the program.  */

#ifndef _SFRAME_MODULE_H
#define _SFRAME_MODULE_H

#include <dlfcn.h>
#include <link.h>
#include <sframe-segment.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>

typedef ElfW(Ehdr) sframe_module;

/* The object that begins at START, or null if its ELF header is not there.  */
const sframe_module *__sframe_module_at (const void *start) attribute_hidden;

/* Whether MODULE came with the program.  */
bool __sframe_module_stays (const sframe_module *module) attribute_hidden;

static inline const sframe_module *
sframe_module_find (uintptr_t pc, const void **eh_header)
{
  struct dl_find_object object;

  if (_dl_find_object ((void *) pc, &object) < 0)
    return NULL;
  *eh_header = object.dlfo_eh_frame;
  return __sframe_module_at (object.dlfo_map_start);
}

/* Where sframe-add has put the program headers of HEADER's object, which was
   linked with some behind HEADER.  */
uintptr_t __sframe_module_moved_headers (const ElfW(Ehdr) *header)
     attribute_hidden;

/* Whether the program headers of HEADER's object are those of the linker, in
   the first page or the next one.  */
static inline bool
sframe_module_headers_near (const ElfW(Ehdr) *header)
{
  return header->e_phoff <= 4096;
}

static inline const ElfW(Phdr) *
sframe_module_headers (const sframe_module *module)
{
  if (sframe_module_headers_near (module))
    return (const ElfW(Phdr) *) ((uintptr_t) module + module->e_phoff);
  return (const ElfW(Phdr) *) __sframe_module_moved_headers (module);
}

static inline size_t
sframe_module_header_count (const sframe_module *module)
{
  return module->e_phnum;
}

/* The ELF header is at the start of the file: the first segment maps it.  */
static inline ElfW(Addr)
sframe_module_bias (const sframe_module *module)
{
  const ElfW(Phdr) *ph = sframe_module_headers (module);

  while (ph->p_type != PT_LOAD)
    ++ph;
  return (uintptr_t) module - ph->p_vaddr;
}

static inline bool
sframe_module_has (const sframe_module *module, uintptr_t pc)
{
  const ElfW(Phdr) *headers = sframe_module_headers (module);
  ElfW(Addr) bias = sframe_module_bias (module);

  for (size_t i = 0; i < sframe_module_header_count (module); ++i)
    if (headers[i].p_type == PT_LOAD
	&& pc - (bias + headers[i].p_vaddr) < headers[i].p_memsz)
      return true;
  return false;
}

static inline const void *
sframe_module_table (const sframe_module *module, size_t *size)
{
  const ElfW(Phdr) *headers = sframe_module_headers (module);
  size_t count = sframe_module_header_count (module);
  const ElfW(Phdr) *ph = sframe_segment_find (headers, count);

  *size = ph == NULL ? 0 : ph->p_memsz;
  if (ph == NULL || !sframe_segment_is_loaded (headers, count, ph))
    return NULL;
  return (const void *) (sframe_module_bias (module) + ph->p_vaddr);
}

static inline bool
sframe_module_starts (const sframe_module *module, uintptr_t pc, size_t size)
{
  uintptr_t entry = getauxval (AT_ENTRY);

  return sframe_module_has (module, entry) && pc - entry < size;
}

static inline bool
sframe_module_is_vdso (const sframe_module *module)
{
  return (uintptr_t) module == getauxval (AT_SYSINFO_EHDR);
}

static inline bool
sframe_module_may_cache (const sframe_module *module)
{
  return __sframe_module_stays (module);
}

#endif /* _SFRAME_MODULE_H  */
