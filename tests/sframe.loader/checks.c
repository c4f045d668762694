/* The invariants of registration, one function each.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "checks.h"

#include <inttypes.h>
#include <string.h>

void
scene_open (struct scene *scene, pid_t pid, struct model *model)
{
  scene->pid = pid;
  scene->model = model;
  maps_read (pid, &scene->maps);
  objects_find (pid, &scene->maps, &scene->objects);
}

void
scene_close (struct scene *scene)
{
  objects_free (&scene->objects);
  maps_free (&scene->maps);
}

static const char *
range_name (const struct range *range)
{
  return (range->object.file != NULL ? object_name (&range->object)
	  : "an unknown object");
}

const struct object *
check_add (const struct scene *scene, const struct registration *what)
{
  const struct object *object = objects_at (&scene->objects,
					    what->text_start);
  if (object == NULL)
    {
      verdict (IN_BOUNDS, false, "no mapped object at text %#" PRIx64,
	       what->text_start);
      return NULL;
    }
  struct registration due[MAX_SEGMENTS];
  size_t count = object_offers (object, due);
  bool found = false;
  for (size_t i = 0; i < count; i++)
    found |= memcmp (&due[i], what, sizeof *what) == 0;
  verdict (IN_BOUNDS, found, "%s at %#" PRIx64 " asks for %zu others%s%s",
	   object_name (object), object->l_addr, count,
	   object->file->table_defect != NULL ? ", table: " : "",
	   object->file->table_defect ?: "");
  return object;
}

void
check_unmap (const struct model *model, const char *call, uint64_t start,
	     uint64_t size)
{
  for (size_t i = 0; i < model->count; i++)
    {
      const struct range *range = &model->list[i];
      if (range_overlaps (range, start, size))
	verdict (REMOVED_WHOLE, range_inside (range, start, size),
		 "%s (%#" PRIx64 ", %#" PRIx64 ") in a part of %s", call,
		 start, size, range_name (range));
    }
}

void
check_protect (const struct model *model, uint64_t start, uint64_t size,
	       const char *early)
{
  for (size_t i = 0; i < model->count; i++)
    {
      const struct range *range = &model->list[i];
      /* exec registers before the loader starts.  */
      if (range->object.file == NULL || range->by_exec)
	continue;
      bool apart = (start >= range->object.end
		    || start + size <= range->object.start);
      if (early != NULL && strcmp (range_name (range), early) == 0)
	apart = !range_overlaps (range, start, size);
      verdict (AFTER_PROTECTION, apart,
	       "mprotect (%#" PRIx64 ", %#" PRIx64 ") in %s", start, size,
	       range_name (range));
    }
}

void
check_object (const struct scene *scene, const struct object *object,
	      enum assertion assertion)
{
  struct registration due[MAX_SEGMENTS];
  size_t count = object_registrations (object, due);
  for (size_t i = 0; i < count; i++)
    verdict (assertion, model_find (scene->model, &due[i]) != NULL,
	     "%s at %#" PRIx64 ", text %#" PRIx64, object_name (object),
	     object->l_addr, due[i].text_start);
}

void
check_complete (const struct scene *scene, enum assertion assertion,
		const char *exempt)
{
  for (size_t i = 0; i < scene->objects.count; i++)
    {
      const struct object *object = &scene->objects.list[i];
      if (exempt == NULL || strcmp (object_name (object), exempt) != 0)
	check_object (scene, object, assertion);
    }
}

void
check_present (const struct scene *scene, const char *name)
{
  bool found = false;
  for (size_t i = 0; i < scene->objects.count; i++)
    {
      const struct object *object = &scene->objects.list[i];
      if (strcmp (object_name (object), name) != 0)
	continue;
      struct registration due[MAX_SEGMENTS];
      found |= object_registrations (object, due) > 0;
      check_object (scene, object, COMPLETE_ON_REQUEST);
    }
  verdict (COMPLETE_ON_REQUEST, found, "%s is not mapped, or has no table",
	   name);
}

void
check_absent (const struct scene *scene, const char *name)
{
  const struct range *found = NULL;
  for (size_t i = 0; i < scene->model->count; i++)
    if (strcmp (range_name (&scene->model->list[i]), name) == 0)
      found = &scene->model->list[i];
  verdict (ABSENT_ON_REQUEST, found == NULL, "%s is registered", name);
}

void
check_nothing_left (const struct scene *scene)
{
  for (size_t i = 0; i < scene->model->count; i++)
    {
      const struct range *range = &scene->model->list[i];
      const struct object *now = objects_at (&scene->objects,
					     range->what.text_start);
      verdict (NOTHING_LEFT,
	       now != NULL && now->file == range->object.file,
	       "%s, text %#" PRIx64, range_name (range),
	       range->what.text_start);
    }
}
