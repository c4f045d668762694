/* The .sframe sections of loaded objects: checking and registering them.

   SPDX-License-Identifier: LGPL-2.1-or-later

   All functions are for the loader, which holds dl_load_lock (or is alone in
   the process) when it calls them.  None fails: an object with a bad section
   is an object without SFrame, and a kernel that does not want to know is
   not told.  errno is left alone.  */

#ifndef _DL_SFRAME_H
#define _DL_SFRAME_H

#include <link.h>

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

/* Take back the registration of MAP and have rules forgotten that were read
   from its tables.  Must come after _dl_find_object has stopped to find it and
   before its memory is unmapped: neither a table nor a remembered rule must
   ever describe what is mapped there next.  */
void _dl_sframe_unregister (struct link_map *map) attribute_hidden;

/* Return whether a trace of another thread may still read MAP, which was
   unregistered: its program headers, its memory and what of the link map
   itself does not point elsewhere.  Then these are not for the caller to
   release: that happens here, in a later call or dlopen.  */
bool _dl_sframe_retire (struct link_map *map) attribute_hidden;
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
_dl_sframe_unregister (struct link_map *map)
{
}

static inline bool
_dl_sframe_retire (struct link_map *map)
{
  return false;
}
#endif

#endif /* _DL_SFRAME_H  */
