/* A model of the kernel's side of PR_ADD_SFRAME and PR_REMOVE_SFRAME.

   SPDX-License-Identifier: LGPL-2.1-or-later

   One model stands for one address space.  Its results are those of the list
   of errors in PR_ADD_SFRAME(2const).  It keeps the registered ranges, which
   the checks read.  */

#ifndef KERNEL_MODEL_H
#define KERNEL_MODEL_H

#include "elf-truth.h"

enum
{
  PR_ADD_SFRAME = 0x53460001,
  PR_REMOVE_SFRAME = 0x53460002
};

struct range
{
  struct registration what;
  /* Registered by exec.  The loader may register it once more, since it cannot
     know that.  */
  bool by_exec;
  /* The object that the range belongs to; its file is NULL if unknown.  */
  struct object object;
};

struct model
{
  struct range *list;
  size_t count;
  size_t limit;
};

/* Register WHAT for process PID, which has MAPS.  Return 0 or a negative
   error number.  */
int model_add (struct model *model, pid_t pid, const struct maps *maps,
	       const struct registration *what);

/* Remove every range with the table at TABLE_START.  Return 0 or -ENOENT.  */
int model_remove (struct model *model, uint64_t table_start);

/* Remove the ranges that overlap [START, START + SIZE), which was
   unmapped.  */
void model_unmap (struct model *model, uint64_t start, uint64_t size);

/* Whether text or table of RANGE overlap [START, START + SIZE).  */
bool range_overlaps (const struct range *range, uint64_t start,
		     uint64_t size);

/* Whether text and table of RANGE lie in [START, START + SIZE).  */
bool range_inside (const struct range *range, uint64_t start, uint64_t size);

/* The range registered exactly as WHAT, or NULL.  */
struct range *model_find (const struct model *model,
			  const struct registration *what);

/* Copy the ranges for a forked process.  */
void model_copy (struct model *to, const struct model *from);

void model_empty (struct model *model);

/* The error of PR_ADD_SFRAME that follows from its arguments and from the
   memory, or 0.  */
int registration_error (pid_t pid, const struct maps *maps,
			const struct registration *what);

#endif
