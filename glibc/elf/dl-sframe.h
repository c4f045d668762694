/* Check the .sframe sections of loaded objects and register them.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader calls these functions with dl_load_lock held, or while the
   process has one thread.  None of them fails.  backtrace uses the section
   of an object even if the kernel has refused it.  A kernel without support is
   asked only once.  They do not change errno.  */

#ifndef _DL_SFRAME_H
#define _DL_SFRAME_H

#include <link.h>
#include <sframe-unloads.h>

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
   Also release the retired objects that no trace can read any more.  One
   dependency may not be relocated yet: ld.so, as that of an audit module.  Its
   last relocation changes neither its code nor its table.  */
void _dl_sframe_register_new (struct link_map *map) attribute_hidden;

/* MAPS are the COUNT objects of a namespace; dlclose is about to unload
   those that are not marked as used (l_map_used).  Return libgcc if it is
   one of these, if a trace may be using it, and if the objects that it
   depends on stay loaded; otherwise null.  Mark libgcc as not usable, so
   that no new trace uses it.  The caller must keep the result loaded; a
   later dlclose in the namespace unloads it.  To unmap it later, as
   _dl_sframe_retire does, is not enough: libgcc looks up its own functions,
   on some machines in the lists of the loader, and aborts if it does not
   find them.  */
struct link_map *_dl_sframe_busy_libgcc (struct link_map **maps,
					 unsigned int count) attribute_hidden;

/* Invalidate the cached rules of an object that is being unloaded.  Must be
   called after _dl_find_object has stopped finding the object and before its
   memory is unmapped: a cached rule must never apply to what is mapped there
   next.

   The kernel registration needs no call: the kernel drops it at munmap, before
   the addresses can be reused, and one munmap covers both text and table.  An
   explicit PR_REMOVE_SFRAME would only risk being killed by a seccomp filter
   installed after startup.  */
void _dl_sframe_unload (void) attribute_hidden;

/* Return whether a trace of another thread may still read MAP, for which
   _dl_sframe_unload was called.  If so, the caller must not unmap MAP, nor
   free its program headers and the link map itself: a later call of this
   function or of dlopen does.  */
bool _dl_sframe_retire (struct link_map *map) attribute_hidden;

/* The state of this loader, to which _dl_sframe_unloads points.  */
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

static inline struct link_map *
_dl_sframe_busy_libgcc (struct link_map **maps, unsigned int count)
{
  return NULL;
}

static inline void
_dl_sframe_unload (void)
{
}

static inline bool
_dl_sframe_retire (struct link_map *map)
{
  return false;
}
#endif

#endif /* _DL_SFRAME_H  */
