/* The objects that were loaded when the program started, and so are never
   unloaded.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _STAYING_H
#define _STAYING_H

#include <sframe-module.h>

/* Rules of further objects are not cached.  */
enum { STAYING_MAX = 512 };

struct sframe_staying
{
  /* By address; complete before COUNT is set.  */
  const sframe_module *modules[STAYING_MAX];
  size_t count;
  /* The program, complete before PROGRAM_MAP is set.  */
  const sframe_module *program;
  const struct link_map *program_map;
};

extern struct sframe_staying __sframe_staying attribute_hidden;

#endif /* _STAYING_H  */
