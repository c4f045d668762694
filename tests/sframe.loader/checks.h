/* Conditions that must hold at each recorded system call.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Each check examines one process at one moment and passes its findings to
   verdict.  */

#ifndef CHECKS_H
#define CHECKS_H

#include "kernel-model.h"
#include "verdict.h"

/* A process as it is while one of its system calls is held.  */
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

/* Memory in [START, START + SIZE) is about to go, or to be replaced.  What is
   registered there has to go as a whole: the kernel forgets a range if it
   loses any part.  */
void check_unmap (const struct model *model, const char *call,
		  uint64_t start, uint64_t size);

/* Protection of [START, START + SIZE) is about to change.  That must not be
   in a registered object; in one whose file is named EARLY only text and
   table count.  */
void check_protect (const struct model *model, uint64_t start,
		    uint64_t size, const char *early);

/* OBJECT must be registered.  */
void check_object (const struct scene *scene, const struct object *object,
		   enum assertion assertion);

/* Each mapped object must be registered, but for a file named EXEMPT.  */
void check_complete (const struct scene *scene, enum assertion assertion,
		     const char *exempt);

/* An object called NAME must be registered, or must not be.  */
void check_present (const struct scene *scene, const char *name);
void check_absent (const struct scene *scene, const char *name);

/* All that is registered must belong to mapped objects.  */
void check_nothing_left (const struct scene *scene);

#endif
