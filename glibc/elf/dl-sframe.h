/* Check the .sframe sections of loaded objects and register them.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader calls these functions with dl_load_lock held, or while the
   process has one thread.  None of them fails.  backtrace uses the section
   of an object even if the kernel has refused it.  A kernel without support is
   asked only once.  They do not change errno.  */

#ifndef _DL_SFRAME_H
#define _DL_SFRAME_H

#include <link.h>

#if ENABLE_SFRAME
/* Record the section of MAP, which has just been mapped, for the functions
   below and for backtrace.  */
void _dl_sframe_setup (struct link_map *map) attribute_hidden;

/* Register the program and the objects that were loaded with it, except those
   already offered to the kernel and those without a section.  Called when they
   are relocated and have their final protections, before any constructor
   runs.  */
void _dl_sframe_register_all (void) attribute_hidden;

/* Register MAP, which dlopen has loaded and relocated, and its dependencies.
   One dependency may not be relocated yet: ld.so, as that of an audit module.
   Its last relocation changes neither its code nor its table.  */
void _dl_sframe_register_new (struct link_map *map) attribute_hidden;
#else
static inline void
_dl_sframe_setup (struct link_map *map)
{
}

static inline void
_dl_sframe_register_all (void)
{
}

static inline void
_dl_sframe_register_new (struct link_map *map)
{
}
#endif

#endif /* _DL_SFRAME_H  */
