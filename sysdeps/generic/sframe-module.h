/* What libc's SFrame code asks of an object that the loader has mapped.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe; no allocation, no lock.

   With sframe-reader.h this is all that ties the code to this loader.
   preload/sframe-module.h has the same functions for a loader of another
   glibc, of which only the public interface is known.  */

#ifndef _SFRAME_MODULE_H
#define _SFRAME_MODULE_H

#include <dlfcn.h>
#include <ldsodefs.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/auxv.h>

typedef struct link_map sframe_module;

/* The object that PC belongs to, or null.  Store in *EH_HEADER where it has
   its .eh_frame_hdr, null if nowhere.  dlopen and dlclose may run meanwhile;
   an object that is unloaded stays readable as long as the trace is its
   reader.  */
static inline const sframe_module *
sframe_module_find (uintptr_t pc, const void **eh_header)
{
  struct dl_find_object object;

  if (GLRO (dl_find_object) ((void *) pc, &object) < 0)
    return NULL;
  *eh_header = object.dlfo_eh_frame;
  return object.dlfo_link_map;
}

/* Whether MODULE is known at once to be the object that PC belongs to.  */
static inline bool
sframe_module_has (const sframe_module *module, uintptr_t pc)
{
  uintptr_t start = module->l_map_start;

  return module->l_contiguous && pc - start < module->l_map_end - start;
}

/* The program headers of MODULE, their number, and what to add to the
   addresses in them.  */
static inline const ElfW(Phdr) *
sframe_module_headers (const sframe_module *module)
{
  return module->l_phdr;
}

static inline size_t
sframe_module_header_count (const sframe_module *module)
{
  return module->l_phnum;
}

static inline ElfW(Addr)
sframe_module_bias (const sframe_module *module)
{
  return module->l_addr;
}

/* Where the .sframe section of MODULE is, null if there is none that is
   loaded.  Store its size in *SIZE, which is not zero if there is one.  */
static inline const void *
sframe_module_table (const sframe_module *module, size_t *size)
{
  *size = module->l_sframe_size;
  return module->l_sframe_start;
}

/* Whether MODULE is the program, and PC right after its entry.  */
static inline bool
sframe_module_starts (const sframe_module *module, uintptr_t pc, size_t size)
{
  return module->l_type == lt_executable && pc - module->l_entry < size;
}

/* Whether MODULE is the vDSO.  */
static inline bool
sframe_module_is_vdso (const sframe_module *module)
{
#ifdef NEED_DL_SYSINFO_DSO
  const struct link_map *vdso = GLRO (dl_sysinfo_map);
  unsigned long int start;

  if (vdso != NULL)
    return module == vdso;
  /* In a libc.so loaded by a static program, dl_sysinfo_map is not set.  */
  return (__getauxval2 (AT_SYSINFO_EHDR, &start)
	  && module->l_map_start == start);
#else
  return false;
#endif
}

/* Whether rules of MODULE may be cached.  Here all may: unloading an object
   invalidates its rules.  */
static inline bool
sframe_module_may_cache (const sframe_module *module)
{
  return true;
}

#endif /* _SFRAME_MODULE_H  */
