/* sframe-add: add SFrame tables to existing programs and libraries.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-add.h.  Threads share nothing but the list of files and
   the options.  */

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <fts.h>
#include <getopt.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job.h"

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
Nothing is built again: headers change, and the table is appended.\n\
\n\
  -o, --output=OUT   write the one FILE to OUT instead of in its place\n\
  -r, --recursive    FILEs may be directories: all ELF files below them\n\
  -x, --exclude=PATTERN\n\
                     leave out names below them that match PATTERN\n\
  -j, --jobs=N       work on N files at the same time (default: 1)\n\
      --replace      replace the table of a file that has one\n\
      --remove       restore the original file, byte for byte\n\
      --check        change nothing; say whether the table agrees with\n\
                     .eh_frame, which code has no rule, and why\n\
      --json         print one JSON object for each file, instead of text\n\
  -v, --verbose      report each file, and code without a rule\n\
      --help         print this\n\
      --version      print the version\n\
\n\
For x86-64, s390x and little-endian AArch64.  Files are replaced atomically;\n\
owner, mode, times, extended attributes and inode flags stay.\n\
Exit status: 0: a file was changed (with --check: all are complete);\n\
1: there was nothing to do (with --check: a table is missing or incomplete);\n\
2: something failed (with --check: also if a table is wrong).\n";

/* Files and threads.  */

static void
add_job (const char *name, const struct stat *status, bool found)
{
  jobs.list = grow (jobs.list, &jobs.capacity, jobs.count + 1,
		    sizeof *jobs.list);
  jobs.list[jobs.count++]
    = (struct job) { .name = message ("%s", name),
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

static bool
is_excluded (const char *name)
{
  for (size_t i = 0; i < options.excluded_count; ++i)
    if (fnmatch (options.excluded[i], name, 0) == 0)
      return true;
  return false;
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
  FTSENT *entry;
  bool complete = tree != NULL;

  /* At the end fts_read sets errno to 0.  */
  while (tree != NULL && (entry = fts_read (tree)) != NULL)
    if (is_excluded (entry->fts_path))
      fts_set (tree, entry, FTS_SKIP);
    else
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
  /* Before a message: remove the line of the progress.  */
  const char *clear = progress ? "\r\033[K" : "";

  for (size_t i = 0; i < jobs.count; ++i)
    {
      struct job *job = &jobs.list[i];
      if (!await (job))
	{
	  fprintf (stderr, "%ssframe-add: stopped before %zu files of %zu\n",
		   clear, jobs.count - i, jobs.count);
	  break;
	}
      fputs (clear, stderr);
      if (!options.json)
	print_words (job);
      else if (job->outcome != OUTCOME_SKIPPED || !job->found || job->checked)
	print_json (job);
      if (progress)
	fprintf (stderr, "%zu of %zu files%s", i + 1, jobs.count,
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
    {
      fputs ("sframe-add: out of memory\n", stderr);
      return EXIT_FAILED;
    }
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
add_excluded (const char *pattern)
{
  static size_t capacity;

  options.excluded = grow (options.excluded, &capacity,
			   options.excluded_count + 1,
			   sizeof *options.excluded);
  options.excluded[options.excluded_count++] = pattern;
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
      { "exclude", required_argument, NULL, 'x' },
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

  while ((option = getopt_long (argc, argv, "o:rx:j:v", known, NULL)) != -1)
    switch (option)
      {
      case 'o': options.output = optarg; break;
      case 'r': options.recursive = true; break;
      case 'x': add_excluded (optarg); break;
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
  if (options.excluded_count > 0 && !options.recursive)
    bad_usage ("--exclude needs --recursive");
  if (options.output != NULL && *options.output == '\0')
    bad_usage ("--output: an empty name");
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
