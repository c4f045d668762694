/* The .sframe sections of loaded objects: checking and registering them.

   SPDX-License-Identifier: LGPL-2.1-or-later

   All functions are for the loader, which holds dl_load_lock (or is alone in
   the process) when it calls them.  None fails: an object with a bad section
   is an object without SFrame, and a kernel that does not want to know is
   not told.  errno is left alone.  */

#ifndef _DL_SFRAME_H
#define _DL_SFRAME_H

#include <link.h>
#include <sframe-unloads.h>

#if ENABLE_SFRAME
/* Find out where the section of MAP is, which has just been mapped, for the
   functions below and for backtrace.  */
void _dl_sframe_setup (struct link_map *map) attribute_hidden;

/* Register all objects of all namespaces, which are relocated and have their
   final protections, before any of their constructors runs.  What has been
   offered to the kernel before, and objects without a valid section, are
   left out.  */
void _dl_sframe_register_all (void) attribute_hidden;

/* Register MAP, which dlopen has loaded and relocated, and its dependencies
   likewise.  If MAP is an audit module, one of them is ld.so itself, whose
   own last relocation is still to come; that touches neither its code nor
   its table.  */
void _dl_sframe_register_new (struct link_map *map) attribute_hidden;

/* Have rules forgotten that were read from the tables of an object that goes.
   Must come after _dl_find_object has stopped to find it and before its memory
   is unmapped: no remembered rule must ever describe what is mapped there
   next.  As for its registration, the kernel ends that with the mapping, before
   anything else can be there; text and table lie in what is unmapped at once.
   A request to do so first would change nothing but kill the process, if a
   filter says so that was installed since the start.  */
void _dl_sframe_unload (void) attribute_hidden;

/* Return whether a trace of another thread may still read MAP, for which
   _dl_sframe_unload was called: its program headers, its memory and what of the
   link map itself does not point elsewhere.  Then these are not for the caller
   to release: that happens here, in a later call or dlopen.  */
bool _dl_sframe_retire (struct link_map *map) attribute_hidden;

/* What _dl_sframe_unloads points to.  */
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
