/* The parts of the loader that libc's sources need, for tests on a simulated
   system.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _LDSODEFS_H
#define _LDSODEFS_H

#define GLRO(name) unit_##name

#define DL_NNS 16

enum { unit_dl_pagesize = 4096 };

/* The objects that are loaded, as libgcc.c plays them.  */
#ifdef SHARED
# include <dlfcn.h>
# include <elf.h>
# include <stdbool.h>
# include <stddef.h>
# include <stdint.h>

# define ElfW(type) Elf64_##type
# define ELFW(type) ELF64_##type
# define DL_LOOKUP_RETURN_NEWEST 2
# define DL_SYMBOL_ADDRESS(map, symbol) ((map)->l_addr + (symbol)->st_value)

typedef struct link_map *lookup_t;

struct link_map
{
  Elf64_Addr l_addr;
  long int l_ns;
};

struct r_scope_elem
{
  struct link_map **r_list;
  unsigned int r_nlist;
};

int unit_dl_find_object (void *address, struct dl_find_object *result);
lookup_t unit_dl_lookup_symbol_x (const char *name, struct link_map *undefined,
				  const Elf64_Sym **symbol,
				  struct r_scope_elem *scope[],
				  const void *version, int type_class,
				  int flags, struct link_map *skip);
#endif

#endif /* _LDSODEFS_H  */
