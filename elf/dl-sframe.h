/* Check the .sframe sections of loaded objects and register them.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader calls these functions with dl_load_lock held, or while the
   process has one thread.  None of them fails: an object with an invalid
   section is treated as one without SFrame, and a kernel without support is
   not asked again.  They do not change errno.  */

#ifndef _DL_SFRAME_H
#define _DL_SFRAME_H

#include <link.h>
#include <sframe-unloads.h>

#if ENABLE_SFRAME
/* Record the section of MAP, which has just been mapped, for the functions
   below and for backtrace.  */
void _dl_sframe_setup (struct link_map *map) attribute_hidden;

/* Register all objects of all namespaces, except those already offered to the
   kernel and those without a valid section.  Called when the objects are
   relocated and have their final protections, before any constructor runs.  */
void _dl_sframe_register_all (void) attribute_hidden;

/* Register MAP, which dlopen has loaded and relocated, and its dependencies.
   A dependency of an audit module may be ld.so itself, whose last relocation
   is still to come; that changes neither its code nor its table.  */
void _dl_sframe_register_new (struct link_map *map) attribute_hidden;

/* Return whether MAP is libgcc and a trace of another thread may use it.  MAP
   must be in no list any more.  If so, the caller must not remove it from the
   data of _dl_find_object, nor unmap it, nor free its program headers and the
   link map itself: a later call of these functions or of dlopen does.  */
bool _dl_sframe_keep_libgcc (struct link_map *map) attribute_hidden;

/* Return whether a trace of another thread may still read MAP, which
   _dl_find_object must have stopped finding.  If so, the caller must not unmap
   MAP, nor free its program headers and the link map itself: a later call of
   these functions or of dlopen does.

   The kernel registration needs no call: the kernel drops it at munmap, before
   the addresses can be reused, and one munmap covers both text and table.  An
   explicit PR_REMOVE_SFRAME would only risk being killed by a seccomp filter
   installed after startup.  */
bool _dl_sframe_retire (struct link_map *map) attribute_hidden;

/* The object that _dl_sframe_unloads points to.  */
extern struct sframe_unloads _dl_sframe_unload_state attribute_hidden;
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

static inline bool
_dl_sframe_keep_libgcc (struct link_map *map)
{
  return false;
}

static inline bool
_dl_sframe_retire (struct link_map *map)
{
  return false;
}
#endif

#endif /* _DL_SFRAME_H  */
