/* One file that sframe-add works on, and the options: the interfaces of job.c
   and report.c.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-add.h.  Threads read the options, which main sets before
   it starts them, and work on different jobs.  */

#ifndef _JOB_H
#define _JOB_H

#include "sframe-add.h"

enum { EXIT_CHANGED = 0, EXIT_NOTHING = 1, EXIT_FAILED = 2 };

enum mode { MODE_ADD, MODE_REMOVE, MODE_CHECK };

struct options
{
  enum mode mode;
  bool replace, json, recursive, verbose;
  const char *output;
  /* Patterns of names that are left out in directories.  */
  const char **excluded;
  size_t excluded_count;
  unsigned int jobs;
};
extern struct options options;

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

/* job.c: do what the options say with the file of JOB, and store the outcome
   there.  Jobs before it for the same file are done.  */
void work_on (struct job *job);

/* report.c: a copy of NAME without control characters: the owner of a file may
   have given it one that upsets a terminal, or looks like several lines.  */
char *printable (const char *name);
/* Print the outcome of JOB as text, to be read by people.  */
void print_words (const struct job *job);
/* Print the outcome of JOB as a JSON object.  */
void print_json (const struct job *job);
/* Report that NAME cannot be used because of ERROR, an errno.  */
void print_error (const char *name, int error);
/* The exit status for files so far, whose status was STATUS, not FAILED, and
   JOB.  Skipping a file is an error if the user has named it, but not if it
   was found in a directory.  */
int exit_status (const struct job *job, int status);

#endif /* _JOB_H  */
