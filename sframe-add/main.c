/* sframe-add: add SFrame tables to existing programs and libraries.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-add.h.  Threads share nothing but the list of files.  */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "sframe-add.h"

enum { EXIT_CHANGED = 0, EXIT_NOTHING = 1, EXIT_FAILED = 2 };

enum mode { MODE_ADD, MODE_REMOVE, MODE_CHECK };

static struct
{
  enum mode mode;
  bool replace, json, recursive, verbose;
  const char *output;
  unsigned int jobs;
} options = { .jobs = 1 };

/* A file and its outcome.  */
struct job
{
  char *name;			/* Without symbolic links.  */
  char *shown;			/* NAME, to be printed.  */
  struct file_at at;
  /* It was found in a directory, not named by the user.  */
  bool found;
  bool done;
  /* It was skipped, although it is an ELF file: see is_checked.  */
  bool checked;
  /* Its inode.  If jobs before it are names of the same file, the first of
     these and the last one, else null; for a first one, how many follow.  */
  dev_t device;
  ino_t inode;
  struct job *first, *before;
  size_t followers;
  /* It was a link to the file of FIRST, but could not be linked to the new
     file: it got a copy.  */
  bool parted;
  /* With --output: how many other names the file has that was replaced.  */
  uintmax_t output_names;
  enum outcome outcome;
  const char *message;
  struct conversion conversion;
  uint64_t old_size, new_size;
  struct stat status;
};

static struct
{
  struct job *list;
  size_t count, capacity;
  size_t next;			/* The first one that no thread has taken.  */
  pthread_mutex_t lock;
  pthread_cond_t done;
} jobs = { .lock = PTHREAD_MUTEX_INITIALIZER,
	   .done = PTHREAD_COND_INITIALIZER };

/* The signal after which no new file is begun.  The program ends when the
   current ones are done.  */
static volatile sig_atomic_t stopped;

static const char usage[] = "\
usage: sframe-add [OPTION...] FILE...\n\
Give ELF programs and shared objects an SFrame table, made from .eh_frame.\n\
Nothing is built again; only headers of the file change.\n\
\n\
  -o, --output=OUT   write the one FILE to OUT instead of in its place\n\
  -r, --recursive    FILEs may be directories: all ELF files below them\n\
  -j, --jobs=N       work on N files at the same time\n\
      --replace      replace the table of a file that has one\n\
      --remove       restore the original file, byte for byte\n\
      --check        change nothing; say whether the table agrees with\n\
                     .eh_frame, which code has no rule, and why\n\
      --json         print one JSON object for each file, instead of text\n\
  -v, --verbose      also report files that need no change\n\
      --help         print this\n\
      --version      print the version\n\
\n\
For x86-64 and s390x.  Files are replaced atomically; owner, mode, times,\n\
extended attributes and inode flags stay.\n\
Exit status: 0: a file was changed (with --check: all are complete);\n\
1: there was nothing to do (with --check: a table is missing or incomplete);\n\
2: something failed (with --check: also if a table is wrong).\n";

/* Processing one file.  */

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

/* Whether there is nothing to do for OBJECT in this mode; if so, say why.  */
static bool
is_done (const struct object *object, const char **why)
{
  if (options.mode == MODE_ADD && has_table (object) && !options.replace)
    *why = "it has a table";
  else if (options.mode == MODE_REMOVE
	   && object_segment (object, PT_GNU_SFRAME) == NULL)
    *why = "it has no table";
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

/* Whether a program would refuse the file of JOB after a change; if so, say
   why.  A copy has another name, and its user knows that it was changed.  */
static bool
is_checked (const struct job *job, const char **why)
{
  if (options.mode != MODE_ADD || options.output != NULL)
    return false;
  const char *checksum = file_at_checksum (&job->at);
  if (checksum != NULL)
    *why = message ("%s beside it has its checksum; use --output", checksum);
  else if (getxattr (job->name, "security.ima", NULL, 0) > 0)
    *why = "its attribute security.ima has its checksum; use --output";
  else
    return false;
  free ((char *) checksum);
  return true;
}

static const char *
work_on_object (struct job *job, const struct object *object,
		struct buffer *new)
{
  const char *why;

  if (is_done (object, &why))
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
  job->outcome = OUTCOME_FAILED;
  if (options.mode != MODE_REMOVE)
    {
      if (!has_frames (object))
	{
	  job->outcome = OUTCOME_NOTHING;
	  return "no .eh_frame: nothing to make a table from";
	}
      why = convert (object, &job->conversion);
      if (why != NULL)
	return why;
    }
  if (options.mode != MODE_REMOVE && job->conversion.function_count == 0
      && job->conversion.left_out_count == 0)
    {
      job->outcome = OUTCOME_NOTHING;
      return "no function in .eh_frame";
    }
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
}

static void
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
  free (work.new.data);
  object_close (&work.original);
  object_close (&work.object);
  file_at_close (&job->at);
}

/* Reporting.  */

/* The length in bytes of the UTF-8 character at TEXT, 0 if it is invalid.  */
static int
character_size (const char *text)
{
  unsigned char first = *text;
  int size = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2
	     : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;

  for (int i = 1; i < size; ++i)
    if ((text[i] & 0xc0) != 0x80)
      return 0;
  /* A longer form than needed, a surrogate, or a number above the last.  */
  unsigned char second = size > 2 ? text[1] : 0;
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0)
      || (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90))
    return 0;
  return size;
}

/* Write a byte that belongs to no character as Python does.  */
static void
print_json_string (const char *text)
{
  putchar ('"');
  while (*text != '\0')
    {
      int size = character_size (text);
      if (size == 0)
	printf ("\\udc%02x", (unsigned char) *text);
      else if (size == 1 && (unsigned char) *text < 0x20)
	printf ("\\u%04x", *text);
      else
	{
	  if (*text == '"' || *text == '\\')
	    putchar ('\\');
	  fwrite (text, 1, size, stdout);
	}
      text += size == 0 ? 1 : size;
    }
  putchar ('"');
}

static const char *
outcome_name (const struct job *job)
{
  static const char *const names[]
    = { [OUTCOME_CHANGED] = "changed", [OUTCOME_NOTHING] = "nothing to do",
	[OUTCOME_INCOMPLETE] = "incomplete", [OUTCOME_SKIPPED] = "skipped",
	[OUTCOME_FAILED] = "failed" };

  return names[job->outcome];
}

/* How many other hard links still have the file that JOB has replaced.  */
static uintmax_t
old_names (const struct job *job)
{
  if (options.output != NULL)
    return job->output_names;
  return (job->outcome == OUTCOME_CHANGED && job->first == NULL
	  && job->status.st_nlink > job->followers
	  ? job->status.st_nlink - job->followers - 1 : 0);
}

static void
print_json (const struct job *job)
{
  const struct conversion *conversion = &job->conversion;

  printf ("{\"file\": ");
  print_json_string (job->name);
  printf (", \"outcome\": \"%s\"", outcome_name (job));
  if (job->message != NULL)
    {
      printf (", \"message\": ");
      print_json_string (job->message);
    }
  if (job->parted)
    {
      printf (", \"parted_from\": ");
      print_json_string (job->first->name);
    }
  printf (", \"functions\": %zu, \"rows\": %zu, \"bytes_before\": %" PRIu64
	  ", \"bytes_after\": %" PRIu64 ", \"old_names\": %ju"
	  ", \"left_out\": [",
	  conversion->function_count, conversion->row_count, job->old_size,
	  job->outcome == OUTCOME_CHANGED ? job->new_size : job->old_size,
	  old_names (job));
  for (size_t i = 0; i < conversion->left_out_count; ++i)
    {
      const struct left_out *function = &conversion->left_out[i];
      printf ("%s{\"start\": %" PRIu64 ", \"size\": %" PRIu64
	      ", \"reason\": ", i > 0 ? ", " : "", function->start,
	      function->size);
      print_json_string (function->reason);
      putchar ('}');
    }
  puts ("]}");
}

static void
print_ranges (const struct job *job)
{
  for (size_t i = 0; i < job->conversion.finding_count; ++i)
    {
      const struct finding *finding = &job->conversion.findings[i];
      printf ("%s: %s: %#" PRIx64 ", %" PRIu64 " bytes\n", job->shown,
	      finding->missing ? "no rule" : "not as .eh_frame says",
	      finding->start, finding->size);
    }
  for (size_t i = 0; i < job->conversion.left_out_count; ++i)
    {
      const struct left_out *function = &job->conversion.left_out[i];
      printf ("%s: left out: %#" PRIx64 ", %" PRIu64 " bytes: %s\n", job->shown,
	      function->start, function->size, function->reason);
    }
}

/* Tell that COUNT other hard links to NAME still have the old file.  */
static void
print_old_names (const char *name, uintmax_t count)
{
  if (count == 1)
    printf ("%s: another hard link still has the old file\n", name);
  else if (count > 1)
    printf ("%s: %ju other hard links still have the old file\n", name, count);
}

static void
print_change (const struct job *job)
{
  const struct conversion *conversion = &job->conversion;

  if (options.verbose && options.mode == MODE_REMOVE)
    printf ("%s: %" PRIu64 " bytes less\n", job->shown,
	    job->old_size - job->new_size);
  else if (options.verbose)
    printf ("%s: functions: %zu, rows: %zu, functions left out: %zu; "
	    "%" PRIu64 " bytes more\n", job->shown,
	    conversion->function_count, conversion->row_count,
	    conversion->left_out_count, job->new_size - job->old_size);
  if (options.output == NULL && job->parted)
    printf ("%s: cannot make it a hard link to %s\n", job->shown,
	    job->first->shown);
}

static void
print_words (const struct job *job)
{
  switch (job->outcome)
    {
    case OUTCOME_FAILED:
      fprintf (stderr, "sframe-add: %s: %s\n", job->shown, job->message);
      break;
    case OUTCOME_SKIPPED:
      if (!job->found || job->checked)
	fprintf (stderr, "sframe-add: %s: %s\n", job->shown, job->message);
      break;
    case OUTCOME_NOTHING:
      if (options.verbose)
	printf ("%s: %s\n", job->shown,
		job->message != NULL ? job->message : "its table agrees with .eh_frame");
      break;
    case OUTCOME_INCOMPLETE:
      printf ("%s: %s\n", job->shown, job->message);
      break;
    case OUTCOME_CHANGED:
      print_change (job);
    }
  print_old_names (options.output != NULL ? options.output : job->shown,
		   old_names (job));
  if (options.mode == MODE_CHECK || options.verbose)
    print_ranges (job);
}

/* The exit status for files so far, whose status was STATUS, not FAILED, and
   JOB.  Skipping a file is an error if the user has named it, but not if it
   was found in a directory.  */
static int
exit_status (const struct job *job, int status)
{
  switch (job->outcome)
    {
    case OUTCOME_CHANGED:
      return EXIT_CHANGED;
    case OUTCOME_INCOMPLETE:
      return EXIT_NOTHING;
    case OUTCOME_FAILED:
      return EXIT_FAILED;
    case OUTCOME_SKIPPED:
      return job->found ? status : EXIT_FAILED;
    default:
      return status;
    }
}

/* Files and threads.  */

/* A copy of NAME without control characters: the owner of a file may have given
   it a name that upsets a terminal, or looks like several lines.  */
static char *
printable (const char *name)
{
  char *copy = (char *) message ("%s", name);

  for (char *at = copy; *at != '\0'; ++at)
    if ((unsigned char) *at < 0x20 || *at == 0x7f)
      *at = '?';
  return copy;
}

static void
add_job (const char *name, const struct stat *status, bool found)
{
  jobs.list = grow (jobs.list, &jobs.capacity, jobs.count + 1,
		    sizeof *jobs.list);
  jobs.list[jobs.count++]
    = (struct job) { .name = (char *) message ("%s", name),
		     .shown = printable (name), .found = found,
		     .device = status->st_dev, .inode = status->st_ino };
}

/* Compare by file, then by order.  */
static int
compare_files (const void *a, const void *b)
{
  const struct job *one = *(struct job *const *) a;
  const struct job *two = *(struct job *const *) b;

  if (one->device != two->device)
    return one->device < two->device ? -1 : 1;
  if (one->inode != two->inode)
    return one->inode < two->inode ? -1 : 1;
  return one < two ? -1 : one > two;
}

/* Compare by name, then by order.  */
static int
compare_names (const void *a, const void *b)
{
  const struct job *one = *(struct job *const *) a;
  const struct job *two = *(struct job *const *) b;
  int difference = strcmp (one->name, two->name);

  return difference != 0 ? difference : one < two ? -1 : one > two;
}

/* Pointers to all jobs, sorted by COMPARE.  */
static struct job **
sort_jobs (int (*compare) (const void *, const void *))
{
  size_t capacity = 0;
  struct job **sorted = grow (NULL, &capacity, jobs.count, sizeof *sorted);

  for (size_t i = 0; i < jobs.count; ++i)
    sorted[i] = &jobs.list[i];
  if (jobs.count > 1)
    qsort (sorted, jobs.count, sizeof *sorted, compare);
  return sorted;
}

static void
free_job (struct job *job)
{
  free (job->name);
  free (job->shown);
}

/* Keep one job for each name: directories may overlap.  */
static void
drop_repeated (void)
{
  struct job **sorted = sort_jobs (compare_names);
  size_t kept = 0;

  for (size_t i = 1; i < jobs.count; ++i)
    if (strcmp (sorted[i]->name, sorted[i - 1]->name) == 0)
      sorted[i]->done = true;
  free (sorted);
  for (size_t i = 0; i < jobs.count; ++i)
    if (jobs.list[i].done)
      free_job (&jobs.list[i]);
    else
      jobs.list[kept++] = jobs.list[i];
  jobs.count = kept;
}

/* Find the jobs that are names of one file.  */
static void
find_links (void)
{
  struct job **sorted = sort_jobs (compare_files);

  for (size_t i = 1; i < jobs.count; ++i)
    {
      struct job *before = sorted[i - 1];
      if (sorted[i]->device != before->device
	  || sorted[i]->inode != before->inode)
	continue;
      struct job *first = before->first != NULL ? before->first : before;
      sorted[i]->before = before;
      sorted[i]->first = first;
      ++first->followers;
    }
  free (sorted);
}

/* Report that NAME cannot be used.  */
static void
print_error (const char *name, int error)
{
  char *shown = printable (name);

  fprintf (stderr, "sframe-add: %s: %s\n", shown, strerror (error));
  free (shown);
}

/* Add the file ENTRY.  Return false after an error, but not if somebody has
   removed the file or directory meanwhile.  */
static bool
visit (const FTSENT *entry)
{
  switch (entry->fts_info)
    {
    case FTS_F:
      if (entry->fts_statp->st_size > 0)
	add_job (entry->fts_path, entry->fts_statp, true);
      return true;
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS:
      if (entry->fts_errno != ENOENT)
	print_error (entry->fts_path, entry->fts_errno);
      return entry->fts_errno == ENOENT;
    default:
      return true;
    }
}

/* Add the files below the directory NAME, all that can be found.  */
static bool
add_directory (char *name)
{
  char *const names[] = { name, NULL };
  FTS *tree = fts_open (names, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
  const FTSENT *entry;
  bool complete = tree != NULL;

  /* At the end fts_read sets errno to 0.  */
  while (tree != NULL && (entry = fts_read (tree)) != NULL)
    complete &= visit (entry);
  if (errno != 0)
    {
      print_error (name, errno);
      complete = false;
    }
  if (tree != NULL)
    fts_close (tree);
  return complete;
}

/* Add the file NAME, or the files below the directory NAME.  If NAME is a
   link, its target is replaced, not the link.  */
static bool
add_name (const char *name)
{
  char real[PATH_MAX];
  struct stat status;

  if (realpath (name, real) == NULL || stat (real, &status) != 0)
    {
      print_error (name, errno);
      return false;
    }
  if (!S_ISDIR (status.st_mode))
    add_job (real, &status, false);
  else if (!options.recursive)
    {
      fprintf (stderr, "sframe-add: %s: is a directory; use --recursive\n",
	       name);
      return false;
    }
  else
    return add_directory (real);
  return true;
}

/* Names of one file are done one after the other: a change of one changes the
   status of all.  The caller has the lock.  */
static void
await_done (const struct job *job)
{
  while (!job->done)
    pthread_cond_wait (&jobs.done, &jobs.lock);
}

static void *
work (void *unused)
{
  pthread_mutex_lock (&jobs.lock);
  while (jobs.next < jobs.count && stopped == 0)
    {
      struct job *job = &jobs.list[jobs.next++];
      if (job->before != NULL)
	await_done (job->before);
      pthread_mutex_unlock (&jobs.lock);
      work_on (job);
      pthread_mutex_lock (&jobs.lock);
      job->done = true;
      pthread_cond_broadcast (&jobs.done);
    }
  /* Wake report: no thread may be left that takes another file.  */
  pthread_cond_broadcast (&jobs.done);
  pthread_mutex_unlock (&jobs.lock);
  return unused;
}

/* Wait for JOB, or do it here if there are no threads.  Return whether it was
   done.  */
static bool
await (struct job *job)
{
  bool taken = stopped == 0;

  if (options.jobs == 1)
    {
      if (taken)
	work_on (job);
      return taken;
    }
  pthread_mutex_lock (&jobs.lock);
  while (!job->done && (stopped == 0 || job < &jobs.list[jobs.next]))
    pthread_cond_wait (&jobs.done, &jobs.lock);
  pthread_mutex_unlock (&jobs.lock);
  return job->done;
}

/* Report on all files, in order, as soon as they are done.  */
static int
report (void)
{
  int status = options.mode == MODE_CHECK ? EXIT_CHANGED : EXIT_NOTHING;
  bool progress = options.recursive && !options.json && isatty (STDERR_FILENO);

  for (size_t i = 0; i < jobs.count; ++i)
    {
      struct job *job = &jobs.list[i];
      if (!await (job))
	{
	  fprintf (stderr, "sframe-add: stopped before %zu files of %zu\n",
		   jobs.count - i, jobs.count);
	  break;
	}
      if (!options.json)
	print_words (job);
      else if (job->outcome != OUTCOME_SKIPPED || !job->found || job->checked)
	print_json (job);
      if (progress)
	fprintf (stderr, "\r%zu of %zu files%s", i + 1, jobs.count,
		 i + 1 == jobs.count ? "\n" : "");
      if (status != EXIT_FAILED)
	status = exit_status (job, status);
      conversion_free (&job->conversion);
    }
  return status;
}

static int
run (void)
{
  pthread_t *threads = calloc (options.jobs, sizeof *threads);
  unsigned int count = 0;

  if (threads == NULL)
    return EXIT_FAILED;
  while (options.jobs > 1 && count < options.jobs
	 && pthread_create (&threads[count], NULL, work, NULL) == 0)
    ++count;
  if (count == 0)
    options.jobs = 1;
  int status = report ();
  for (unsigned int i = 0; i < count; ++i)
    pthread_join (threads[i], NULL);
  free (threads);
  for (size_t i = 0; i < jobs.count; ++i)
    free_job (&jobs.list[i]);
  free (jobs.list);
  return status;
}

/* Options.  */

static void __attribute__ ((noreturn))
bad_usage (const char *what)
{
  fprintf (stderr, "sframe-add: %s; see --help\n", what);
  exit (EXIT_FAILED);
}

static void
set_jobs (const char *text)
{
  /* strtoul takes a sign and space, too.  */
  unsigned long int number = strtoul (text, NULL, 10);

  if (text[strspn (text, "0123456789")] != '\0' || number == 0
      || number > 1024)
    bad_usage ("--jobs: not a number from 1 to 1024");
  options.jobs = number;
}

static void
set_mode (enum mode mode)
{
  if (options.mode != MODE_ADD && options.mode != mode)
    bad_usage ("--check and --remove exclude each other");
  options.mode = mode;
}

/* Return STATUS if all output was written.  */
static int
end_output (int status)
{
  if (fflush (stdout) == 0 && !ferror (stdout))
    return status;
  fprintf (stderr, "sframe-add: standard output: %s\n", strerror (errno));
  return EXIT_FAILED;
}

/* Options without a letter.  */
enum { REMOVE = 256, CHECK, REPLACE, JSON, HELP, PRINT_VERSION };
static const struct option known[]
  = { { "output", required_argument, NULL, 'o' },
      { "recursive", no_argument, NULL, 'r' },
      { "jobs", required_argument, NULL, 'j' },
      { "replace", no_argument, NULL, REPLACE },
      { "remove", no_argument, NULL, REMOVE },
      { "check", no_argument, NULL, CHECK },
      { "json", no_argument, NULL, JSON },
      { "verbose", no_argument, NULL, 'v' },
      { "help", no_argument, NULL, HELP },
      { "version", no_argument, NULL, PRINT_VERSION },
      { 0 } };

static void
parse_options (int argc, char **argv)
{
  int option;

  while ((option = getopt_long (argc, argv, "o:rj:v", known, NULL)) != -1)
    switch (option)
      {
      case 'o': options.output = optarg; break;
      case 'r': options.recursive = true; break;
      case 'j': set_jobs (optarg); break;
      case 'v': options.verbose = true; break;
      case REPLACE: options.replace = true; break;
      case REMOVE: set_mode (MODE_REMOVE); break;
      case CHECK: set_mode (MODE_CHECK); break;
      case JSON: options.json = true; break;
      case HELP: fputs (usage, stdout); exit (end_output (EXIT_SUCCESS));
      case PRINT_VERSION:
	puts ("sframe-add " VERSION);
	exit (end_output (EXIT_SUCCESS));
      default: bad_usage ("bad option");
      }
  if (optind == argc)
    bad_usage ("no FILE");
  if (options.replace && options.mode != MODE_ADD)
    bad_usage ("--replace does not go with --remove and --check");
  if (options.output != NULL && (argc - optind != 1 || options.recursive
				 || options.mode == MODE_CHECK))
    bad_usage ("--output takes one FILE, without --recursive and --check");
}

/* If --output names the one FILE itself, that is as good as no --output: if
   there is nothing to do, the file stays.  */
static void
drop_output (void)
{
  char real[PATH_MAX];

  if (options.output != NULL && jobs.count == 1
      && realpath (options.output, real) != NULL
      && strcmp (real, jobs.list[0].name) == 0)
    options.output = NULL;
}

/* If the caller has closed a standard stream, open /dev/null in its place, so
   that no other file gets its descriptor.  Writing to it then fails.  */
static void
keep_streams (void)
{
  int fd = open ("/dev/null", O_RDONLY);

  while (fd >= 0 && fd <= STDERR_FILENO)
    fd = open ("/dev/null", O_RDONLY);
  if (fd >= 0)
    close (fd);
}

static void
stop (int number)
{
  stopped = number;
}

/* Leave no file half made when the user interrupts us, or nobody reads our
   output any more.  The second signal ends the program at once.  If a new file
   is larger than the limit, writing it fails; no signal is wanted.  */
static void
catch_signals (void)
{
  static const int numbers[] = { SIGHUP, SIGINT, SIGPIPE, SIGTERM };
  struct sigaction action = { .sa_handler = stop,
			      .sa_flags = SA_RESTART | SA_RESETHAND };
  struct sigaction old;

  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
    if (sigaction (numbers[i], NULL, &old) == 0
	&& old.sa_handler != SIG_IGN)
      sigaction (numbers[i], &action, NULL);
  signal (SIGXFSZ, SIG_IGN);
}

int
main (int argc, char **argv)
{
  bool found = true;

  keep_streams ();
  elf_version (EV_CURRENT);
  parse_options (argc, argv);
  for (int i = optind; i < argc; ++i)
    found &= add_name (argv[i]);
  drop_output ();
  drop_repeated ();
  find_links ();
  catch_signals ();
  int status = end_output (run ());
  if (stopped != 0)
    raise (stopped);
  return found ? status : EXIT_FAILED;
}
