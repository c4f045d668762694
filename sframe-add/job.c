/* Add, remove or check the table of one file.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-add.h.  */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "job.h"

struct options options = { .jobs = 1 };

static const char *
check (struct job *job, const struct object *object)
{
  struct conversion *conversion = &job->conversion;
  size_t missing = 0;

  job->outcome = OUTCOME_INCOMPLETE;
  if (!has_table (object))
    return "no table";
  const char *why = check_table (object, conversion);
  for (size_t i = 0; i < conversion->finding_count; ++i)
    missing += conversion->findings[i].missing;
  if (why == NULL && missing < conversion->finding_count)
    why = message ("its table contradicts .eh_frame; ranges of code: %zu",
		   conversion->finding_count - missing);
  if (why != NULL)
    {
      job->outcome = OUTCOME_FAILED;
      return why;
    }
  if (missing > 0)
    return message ("its table lacks rules of .eh_frame; ranges of code: %zu",
		    missing);
  job->outcome = OUTCOME_NOTHING;
  return NULL;
}

/* Make the new file of OBJECT in *NEW.  */
static const char *
make (struct job *job, const struct object *object, struct buffer *new)
{
  const char *why;

  if (options.mode == MODE_REMOVE)
    why = layout_original (object, new);
  else if (job->conversion.function_count == 0)
    why = "SFrame cannot express the rules of any of its functions";
  else
    why = layout_add (object, &job->conversion, new);
  job->new_size = new->size;
  return why;
}

/* Whether there is nothing to do for OBJECT in this mode; if so, say why.  In
   directories there are also tables of the assembler, which stay.  */
static bool
is_done (const struct job *job, const struct object *object, const char **why)
{
  if (options.mode == MODE_ADD && has_table (object) && !options.replace)
    *why = "it has a table";
  else if (options.mode == MODE_REMOVE
	   && object_segment (object, PT_GNU_SFRAME) == NULL)
    *why = "it has no table";
  else if (options.mode == MODE_REMOVE && job->found
	   && !layout_has_original (object))
    *why = layout_foreign;
  else
    return false;
  return true;
}

/* If JOB is another name of a file that an earlier job has replaced by NEW,
   make it a link to that new file.  Return whether it is one.  */
static bool
link_again (struct job *job, const struct buffer *new)
{
  if (job->first == NULL)
    return false;
  job->parted = (job->first->outcome != OUTCOME_CHANGED
		 || !link_file (job->first->name, &job->at, &job->status,
				new));
  return !job->parted;
}

/* Replace the file of JOB, or that of --output, by NEW.  */
static const char *
replace (struct job *job, const struct buffer *new)
{
  struct stat old;
  bool replaced = options.output != NULL && stat (options.output, &old) == 0;
  const char *why = replace_file (options.output, &job->at, &job->status,
				  new);

  if (why == NULL && replaced)
    job->output_names = old.st_nlink - 1;
  return why;
}

static const char *
change (struct job *job, const struct object *object, struct buffer *new)
{
  const char *why;

  if (options.output == NULL
      && faccessat (job->at.directory, job->at.name, W_OK, 0) != 0)
    return message ("it cannot be written: %s", strerror (errno));
  why = make (job, object, new);
  if (why == NULL && !link_again (job, new))
    why = replace (job, new);
  if (why == NULL)
    job->outcome = OUTCOME_CHANGED;
  return why;
}

/* Whether fs-verity has a checksum of the file of JOB.  */
static bool
has_verity (const struct job *job)
{
  struct statx status;

  return (statx (job->at.directory, job->at.name, AT_SYMLINK_NOFOLLOW, 0,
		 &status) == 0
	  && (status.stx_attributes & STATX_ATTR_VERITY) != 0);
}

/* Whether IMA has a checksum of the file of JOB.  */
static bool
has_ima (const struct job *job)
{
  int file = openat (job->at.directory, job->at.name,
		     O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  bool found = (file >= 0
		&& fgetxattr (file, "security.ima", NULL, 0) > 0);

  if (file >= 0)
    close (file);
  return found;
}

/* Whether a program or the kernel would refuse the file of JOB after a change;
   if so, say why.  A checksum beside the file may be that of the original.  A
   copy has another name, and its user knows that it was changed.  */
static bool
is_checked (const struct job *job, const char **why)
{
  if (options.mode == MODE_CHECK || options.output != NULL)
    return false;
  char *checksum = NULL;
  if (options.mode == MODE_ADD)
    checksum = file_at_checksum (&job->at);
  if (checksum != NULL)
    *why = message ("%s beside it has its checksum; use --output", checksum);
  else if (has_ima (job))
    *why = "its attribute security.ima has its checksum; use --output";
  else if (has_verity (job))
    *why = "fs-verity has its checksum; use --output";
  else
    return false;
  free (checksum);
  return true;
}

/* Convert .eh_frame.  Return whether there is anything to make a table from;
   otherwise *WHY says why not.  */
static bool
convert_frames (struct job *job, const struct object *object,
		const char **why)
{
  job->outcome = OUTCOME_NOTHING;
  *why = "no .eh_frame: nothing to make a table from";
  if (!has_frames (object))
    return false;
  *why = convert (object, &job->conversion);
  if (*why != NULL)
    job->outcome = OUTCOME_FAILED;
  else if (job->conversion.function_count == 0
	   && job->conversion.left_out_count == 0)
    *why = "no function in .eh_frame";
  return *why == NULL;
}

static const char *
work_on_object (struct job *job, const struct object *object,
		struct buffer *new)
{
  const char *why;

  if (is_done (job, object, &why))
    {
      job->outcome = OUTCOME_NOTHING;
      return why;
    }
  job->checked = is_checked (job, &why);
  if (job->checked)
    {
      job->outcome = OUTCOME_SKIPPED;
      return why;
    }
  if (options.mode != MODE_REMOVE && !convert_frames (job, object, &why))
    return why;
  job->outcome = OUTCOME_FAILED;
  return (options.mode == MODE_CHECK ? check (job, object)
	  : change (job, object, new));
}

static void
copy_as_it_is (struct job *job, const struct object *object)
{
  const char *why = replace (job, &object->file);

  if (why == NULL)
    return;
  job->outcome = OUTCOME_FAILED;
  job->message = why;
}

/* The memory of a job while it is worked on.  With --replace, ORIGINAL is the
   object without a table that sframe-add has added.  */
struct work
{
  struct job *job;
  struct object object, original;
  struct buffer new;
};

/* Start from the original object.  */
static void
begin_anew (struct work *work)
{
  enum outcome outcome;

  if (layout_original (&work->object, &work->original.file) != NULL
      || object_open (&work->original, &outcome) != NULL)
    return;
  object_close (&work->object);
  work->object = work->original;
  work->original = (struct object) { 0 };
}

/* Process the object, whose bytes were loaded.  */
static void
work_on_bytes (struct work *work)
{
  struct job *job = work->job;

  job->message = object_open (&work->object, &job->outcome);
  if (job->message == NULL && options.replace && options.mode == MODE_ADD)
    begin_anew (work);
  if (job->message == NULL)
    job->message = work_on_object (job, &work->object, &work->new);
  /* The user asked for a copy, even if there is nothing to do.  */
  if (job->outcome == OUTCOME_NOTHING && options.output != NULL)
    copy_as_it_is (job, &work->object);
}

/* Whether the file of JOB, which was found in a directory, is there no
   more.  */
static bool
is_gone (const struct job *job)
{
  struct stat status;

  return (job->found && lstat (job->name, &status) != 0 && errno == ENOENT);
}

static void
work_on_file (void *argument)
{
  struct work *work = argument;
  struct job *job = work->job;

  job->message = file_at_open (job->name, &job->at);
  if (job->message == NULL)
    job->message = load_file (&job->at, &work->object.file, &job->status,
			      &job->outcome);
  job->old_size = work->object.file.size;
  if (job->message == NULL)
    work_on_bytes (work);
  if (job->outcome == OUTCOME_FAILED && is_gone (job))
    {
      job->outcome = OUTCOME_NOTHING;
      job->message = "somebody has removed it";
    }
}

void
work_on (struct job *job)
{
  struct work work = { .job = job, .object.name = job->name,
		       .original.name = job->name };

  job->outcome = OUTCOME_FAILED;
  job->at.directory = -1;
  if (!with_memory (work_on_file, &work))
    {
      job->outcome = OUTCOME_FAILED;
      job->message = "there is not enough memory to work on it";
    }
  /* The report has their numbers only.  */
  conversion_forget (&job->conversion);
  free (work.new.data);
  object_close (&work.original);
  object_close (&work.object);
  file_at_close (&job->at);
}
