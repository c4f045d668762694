/* A loaded object, as libc's SFrame code sees it: the interface to the loader.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe; no allocation, no lock.

   Only this file and sframe-pin.h depend on the loader of this libc.  A file
   with the same functions can stand for the loader of another one.  */

#ifndef _SFRAME_MODULE_H
#define _SFRAME_MODULE_H

#include <dlfcn.h>
#include <ldsodefs.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/auxv.h>

typedef struct link_map sframe_module;

/* Return the object that PC belongs to, or null.  Store the address of its
   .eh_frame_hdr, or null, in *EH_HEADER.  dlopen and dlclose may run at the
   same time: after sframe_pin_begin the object stays readable until
   sframe_pin_end.  */
static inline const sframe_module *
sframe_module_find (uintptr_t pc, const void **eh_header)
{
  struct dl_find_object object;

  if (GLRO (dl_find_object) ((void *) pc, &object) < 0)
    return NULL;
  *eh_header = object.dlfo_eh_frame;
  return object.dlfo_link_map;
}

/* Whether PC belongs to MODULE.  False also if that takes more than a
   comparison to find out.  */
static inline bool
sframe_module_has (const sframe_module *module, uintptr_t pc)
{
  uintptr_t start = module->l_map_start;

  return module->l_contiguous && pc - start < module->l_map_end - start;
}

/* The program headers of MODULE, their number, and the load bias: the
   difference between addresses in memory and those in the headers.  */
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

/* Return the address of MODULE's .sframe section, or null if it is not loaded.
   Store its size in *SIZE, 0 if MODULE has no section.  */
static inline const void *
sframe_module_table (const sframe_module *module, size_t *size)
{
  *size = module->l_sframe_size;
  return module->l_sframe_start;
}

/* Return the address of the first record of MODULE's .eh_frame but for those
   of _start, or null if it is not known.  It is known of a program of gcc
   -static, which has no .eh_frame_hdr.  */
static inline const void *
sframe_module_eh_records (const sframe_module *module)
{
  return module->l_eh_frame;
}

/* Whether MODULE is the program, and PC one of the SIZE bytes from its entry
   point on.  */
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

/* Whether rules of MODULE may be cached.  Always true here: when an object is
   unloaded, its cached rules are invalidated.  */
static inline bool
sframe_module_may_cache (const sframe_module *module)
{
  return true;
}

#endif /* _SFRAME_MODULE_H  */
