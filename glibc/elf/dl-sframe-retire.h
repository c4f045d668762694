/* Keep unloaded objects mapped while a trace of backtrace may read them.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader calls these functions with dl_load_lock held.  None of them
   fails, waits or changes errno.  A trace holds no lock:
   debug/sframe-pin.h is its side.  */

#ifndef _DL_SFRAME_RETIRE_H
#define _DL_SFRAME_RETIRE_H

#include <link.h>
#include <sframe-unloads.h>

#if ENABLE_SFRAME
/* Let traces find libgcc if it is one of the objects of the namespace NS.  Must
   be called after objects were relocated and cannot be unloaded by a failure
   of dlopen any more.  */
void _dl_sframe_find_unwinder (Lmid_t ns) attribute_hidden;

/* dlclose is about to unload those objects of the namespace NS that are not
   marked as used (l_map_used).  Return libgcc if it is one of these, if a
   trace may be using it, and if the objects that it depends on stay loaded;
   otherwise return null, and new traces find another libgcc of the namespace,
   or none.  The caller must keep the result loaded; a later dlclose in the
   namespace unloads it.  To unmap it later, as _dl_sframe_retire does, is not
   enough: libgcc looks up its own functions, on some machines in the lists of
   the loader, and aborts if it does not find them.  */
struct link_map *_dl_sframe_busy_libgcc (Lmid_t ns) attribute_hidden;

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
   free its program headers and the link map itself: _dl_sframe_reclaim does,
   in a later dlopen or dlclose.  */
bool _dl_sframe_retire (struct link_map *map) attribute_hidden;

/* Unmap and free the objects that _dl_sframe_retire has kept and that no trace
   can read any more.  */
void _dl_sframe_reclaim (void) attribute_hidden;

/* The state of this loader, to which _dl_sframe_unloads points.  */
extern struct sframe_unloads _dl_sframe_unload_state attribute_hidden;
#else
static inline void
_dl_sframe_find_unwinder (Lmid_t ns)
{
}

static inline struct link_map *
_dl_sframe_busy_libgcc (Lmid_t ns)
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

static inline void
_dl_sframe_reclaim (void)
{
}
#endif

#endif /* _DL_SFRAME_RETIRE_H  */
