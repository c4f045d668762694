/* Conditions that must hold at each recorded system call.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Each check examines one process at one moment and passes its findings to
   verdict.  */

#ifndef CHECKS_H
#define CHECKS_H

#include "kernel-model.h"
#include "verdict.h"

/* The state of a process that is stopped at a system call.  */
struct scene
{
  pid_t pid;
  struct model *model;
  struct maps maps;
  struct objects objects;
};

void scene_open (struct scene *scene, pid_t pid, struct model *model);
void scene_close (struct scene *scene);

/* WHAT is about to be registered.  Return its object, or NULL.  */
const struct object *check_add (const struct scene *scene,
				const struct registration *what);

/* Memory in [START, START + SIZE) is about to be unmapped or replaced.  Ranges
   that are registered there must be unmapped as a whole: the kernel removes a
   range that loses any part.  */
void check_unmap (const struct model *model, const char *call,
		  uint64_t start, uint64_t size);

/* The protection of [START, START + SIZE) is about to change.  There must be
   no registered object there; of an object in a file named EARLY only text and
   table are checked.  */
void check_protect (const struct model *model, uint64_t start,
		    uint64_t size, const char *early);

/* OBJECT must be registered.  */
void check_object (const struct scene *scene, const struct object *object,
		   enum assertion assertion);

/* Each mapped object must be registered, except one in a file named
   EXEMPT.  */
void check_complete (const struct scene *scene, enum assertion assertion,
		     const char *exempt);

/* An object called NAME must be registered, or must not be.  */
void check_present (const struct scene *scene, const char *name);
void check_absent (const struct scene *scene, const char *name);

/* All that is registered must belong to mapped objects.  */
void check_nothing_left (const struct scene *scene);

#endif
