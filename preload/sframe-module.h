/* A loaded object, as the SFrame code sees it on another glibc.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe; no allocation, no lock; no fault,
   unless another thread unloads the object meanwhile.

   The functions are described in sysdeps/generic/sframe-module.h.  The public
   interface of the loader says where an object begins and ends.  The rest is
   in the ELF header at its start, and in the program headers: linkers put
   these after the ELF header, sframe-add puts them into a new segment.  The
   address of the ELF header identifies an object.  An object without an ELF
   header in memory is not supported.

   A cached rule must never be applied to another object that was mapped at the
   same address later.  But a signal handler cannot find out whether an object
   was unloaded: libc itself closes objects (iconv, NSS, a dlopen that fails),
   so a wrapper of dlclose would not see all of them; dlpi_subs is protected by
   a lock; and two objects can have the same address, link map and layout one
   after the other.  So only rules of objects that can never be unloaded are
   cached: of those that were loaded when the program started.  */

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

/* The object that the loader describes by OBJECT, or null if its ELF header is
   not known.  */
const sframe_module *__sframe_module_of (const struct dl_find_object *object)
  attribute_hidden;

/* Whether MODULE was loaded when the program started, and so is never
   unloaded.  */
bool __sframe_module_stays (const sframe_module *module) attribute_hidden;

static inline const sframe_module *
sframe_module_find (uintptr_t pc, const void **eh_header)
{
  struct dl_find_object object;

  if (_dl_find_object ((void *) pc, &object) < 0)
    return NULL;
  *eh_header = object.dlfo_eh_frame;
  return __sframe_module_of (&object);
}

/* The address of the program headers that sframe-add has made for the object
   of HEADER; the linker's are still right after HEADER.  */
uintptr_t __sframe_module_moved_headers (const ElfW(Ehdr) *header)
  attribute_hidden;

/* Whether e_phoff is that of the linker's program headers, which are in the
   first page or begin at its end.  */
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

/* A static program cannot load this library.  */
static inline const void *
sframe_module_eh_records (const sframe_module *module)
{
  return NULL;
}

static inline const void *
sframe_module_table (const sframe_module *module, size_t *size)
{
  const ElfW(Phdr) *headers = sframe_module_headers (module);
  size_t count = sframe_module_header_count (module);
  const ElfW(Phdr) *ph = sframe_segment_find (headers, count);

  *size = ph == NULL ? 0 : ph->p_memsz;
  if (ph == NULL || sframe_segment_load (headers, count, ph) == NULL)
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
