/* Loaded objects, simulated by the tests.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The interface is described in sysdeps/generic/sframe-module.h.  */

#ifndef _SFRAME_MODULE_H
#define _SFRAME_MODULE_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct
{
  const ElfW(Phdr) *headers;
  size_t count;
  ElfW(Addr) bias;
  const void *table;
  size_t table_size;
  const void *eh_records;
} sframe_module;

const sframe_module *sframe_module_find (uintptr_t pc, const void **eh_header);
bool sframe_module_starts (const sframe_module *module, uintptr_t pc,
			   size_t size);
bool sframe_module_has (const sframe_module *module, uintptr_t pc);
bool sframe_module_may_cache (const sframe_module *module);

static inline const ElfW(Phdr) *
sframe_module_headers (const sframe_module *module)
{
  return module->headers;
}

static inline size_t
sframe_module_header_count (const sframe_module *module)
{
  return module->count;
}

static inline ElfW(Addr)
sframe_module_bias (const sframe_module *module)
{
  return module->bias;
}

static inline const void *
sframe_module_eh_records (const sframe_module *module)
{
  return module->eh_records;
}

static inline const void *
sframe_module_table (const sframe_module *module, size_t *size)
{
  *size = module->table_size;
  return module->table;
}

#endif /* _SFRAME_MODULE_H  */
