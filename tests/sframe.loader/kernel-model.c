/* The registered ranges of the simulated kernel, and its results.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "kernel-model.h"

#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool
overlap (uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
  return a < b + b_size && b < a + a_size;
}

/* Whether a range is empty, wraps, or is not in user space.  */
static bool
bad_range (uint64_t start, uint64_t size)
{
  return (size == 0 || start + size < start
	  || start + size > UINT64_C (1) << 63);
}

int
registration_error (pid_t pid, const struct maps *maps,
		    const struct registration *what)
{
  if (bad_range (what->table_start, what->table_size)
      || bad_range (what->text_start, what->text_size))
    return -EINVAL;
  const struct mapping *text = maps_find (maps, what->text_start,
					  what->text_size);
  if (text == NULL || !text->executable
      || maps_find (maps, what->table_start, what->table_size) == NULL)
    return -EINVAL;

  unsigned char *table = malloc (what->table_size);
  if (table == NULL)
    err (2, "kernel model");
  int error = 0;
  if (!memory_read (pid, what->table_start, table, what->table_size))
    error = -EFAULT;
  else if (sframe_defect (table, what->table_size) != NULL)
    error = -EINVAL;
  free (table);
  return error;
}

struct range *
model_find (const struct model *model, const struct registration *what)
{
  for (size_t i = 0; i < model->count; i++)
    if (memcmp (&model->list[i].what, what, sizeof *what) == 0)
      return &model->list[i];
  return NULL;
}

static bool
text_taken (const struct model *model, const struct registration *what)
{
  for (size_t i = 0; i < model->count; i++)
    if (overlap (what->text_start, what->text_size,
		 model->list[i].what.text_start,
		 model->list[i].what.text_size))
      return true;
  return false;
}

int
model_add (struct model *model, pid_t pid, const struct maps *maps,
	   const struct registration *what)
{
  int error = registration_error (pid, maps, what);
  if (error != 0)
    return error;
  if (model_find (model, what) != NULL)
    return 0;
  if (text_taken (model, what))
    return -EEXIST;
  if (model->limit != 0 && model->count >= model->limit)
    return -ENOSPC;
  model->list = reallocarray (model->list, model->count + 1,
			      sizeof *model->list);
  if (model->list == NULL)
    err (2, "kernel model");
  model->list[model->count++] = (struct range) { .what = *what };
  return 0;
}

static void
drop (struct model *model, size_t i)
{
  model->list[i] = model->list[--model->count];
}

int
model_remove (struct model *model, uint64_t table_start)
{
  int result = -ENOENT;
  for (size_t i = model->count; i-- > 0;)
    if (model->list[i].what.table_start == table_start)
      {
	drop (model, i);
	result = 0;
      }
  return result;
}

bool
range_overlaps (const struct range *range, uint64_t start, uint64_t size)
{
  const struct registration *what = &range->what;
  return (overlap (start, size, what->text_start, what->text_size)
	  || overlap (start, size, what->table_start, what->table_size));
}

static bool
inside (uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
  return a >= b && a + a_size <= b + b_size;
}

bool
range_inside (const struct range *range, uint64_t start, uint64_t size)
{
  const struct registration *what = &range->what;
  return (inside (what->text_start, what->text_size, start, size)
	  && inside (what->table_start, what->table_size, start, size));
}

void
model_unmap (struct model *model, uint64_t start, uint64_t size)
{
  for (size_t i = model->count; i-- > 0;)
    if (range_overlaps (&model->list[i], start, size))
      drop (model, i);
}

void
model_copy (struct model *to, const struct model *from)
{
  *to = *from;
  to->list = NULL;
  if (from->count == 0)
    return;
  to->list = reallocarray (NULL, from->count, sizeof *to->list);
  if (to->list == NULL)
    err (2, "kernel model");
  memcpy (to->list, from->list, from->count * sizeof *to->list);
}

void
model_empty (struct model *model)
{
  free (model->list);
  model->list = NULL;
  model->count = 0;
}
