/* Reading whole files, and replacing them at once or not at all.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: the new file is written beside the old one, gets all that the old
   one has, and then its name.  Until then the old one is as it was, and
   whoever executes it keeps it.  What is killed in between leaves a file with
   a name that begins with ".sframe-add.", never a damaged one.  */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "sframe-add.h"

static const char *
failed (const char *what)
{
  return message ("cannot %s: %s", what, strerror (errno));
}

/* Read up to SIZE bytes and the end of the file to FILE.  */
static const char *
read_all (int fd, uint64_t size, struct buffer *file)
{
  put_zeros (file, size);
  file->size = 0;
  while (file->size < size)
    {
      ssize_t got = read (fd, file->data + file->size, size - file->size);
      if (got < 0)
	return failed ("read it");
      if (got == 0)
	return "it became shorter while it was read";
      file->size += got;
    }
  return NULL;
}

const char *
load_file (const char *name, struct buffer *file, enum outcome *outcome)
{
  struct stat status;
  const char *why = NULL;
  /* A fifo would wait for its other end.  */
  int fd = open (name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

  *outcome = OUTCOME_FAILED;
  if (fd < 0)
    return failed ("open it");
  if (fstat (fd, &status) != 0)
    why = failed ("look at it");
  else if (!S_ISREG (status.st_mode))
    why = "not a regular file";
  else
    why = read_all (fd, status.st_size, file);
  close (fd);
  return why;
}

static const char *
write_all (int fd, const struct buffer *file)
{
  for (size_t done = 0; done < file->size; )
    {
      ssize_t put = write (fd, file->data + done, file->size - done);
      if (put < 0)
	return failed ("write the new file");
      done += put;
    }
  return NULL;
}

/* Copy the extended attribute NAME.  */
static const char *
copy_attribute (int from, int to, const char *name)
{
  char value[XATTR_SIZE_MAX];
  ssize_t size = fgetxattr (from, name, value, sizeof value);

  if (size < 0 || fsetxattr (to, name, value, size, 0) != 0)
    return message ("cannot copy its attribute %s: %s", name,
		    strerror (errno));
  return NULL;
}

static const char *
copy_attributes (int from, int to)
{
  char names[XATTR_LIST_MAX];
  ssize_t size = flistxattr (from, names, sizeof names);
  const char *why = NULL;

  if (size < 0)
    return errno == ENOTSUP ? NULL : failed ("list its attributes");
  for (const char *name = names; name < names + size && why == NULL;
       name += strlen (name) + 1)
    why = copy_attribute (from, to, name);
  return why;
}

/* Give the file TO what FROM has.  A change of the owner takes set-user-ID
   bits and capabilities away, so it comes first.  */
static const char *
copy_status (int from, int to)
{
  struct stat status, made;

  if (fstat (from, &status) != 0 || fstat (to, &made) != 0)
    return failed ("look at it");
  if ((status.st_uid != made.st_uid || status.st_gid != made.st_gid)
      && fchown (to, status.st_uid, status.st_gid) != 0)
    return failed ("keep its owner");
  if (fchmod (to, status.st_mode & 07777) != 0)
    return failed ("keep its mode");
  const char *why = copy_attributes (from, to);
  const struct timespec times[2] = { status.st_atim, status.st_mtim };
  if (why == NULL && futimens (to, times) != 0)
    why = failed ("keep its times");
  return why;
}

/* Write FILE to FD, as the file LIKE is, all of it to the disk.  */
static const char *
fill (int fd, const char *like, const struct buffer *file)
{
  int from = open (like, O_RDONLY | O_CLOEXEC);
  const char *why;

  if (from < 0)
    return failed ("open it");
  why = write_all (fd, file);
  if (why == NULL)
    why = copy_status (from, fd);
  close (from);
  if (why == NULL && fsync (fd) != 0)
    why = failed ("write the new file");
  return why;
}

const char *
replace_file (const char *out, const char *like, const struct buffer *file)
{
  const char *slash = strrchr (out, '/');
  int length = slash == NULL ? 0 : slash + 1 - out;
  char *name = (char *) message ("%.*s.sframe-add.XXXXXX", length, out);
  int fd = mkostemp (name, O_CLOEXEC);
  const char *why;

  if (fd < 0)
    why = failed ("make a file beside it");
  else
    {
      why = fill (fd, like, file);
      if (close (fd) != 0 && why == NULL)
	why = failed ("write the new file");
      if (why == NULL && rename (name, out) != 0)
	why = failed ("give the new file its name");
      if (why != NULL)
	unlink (name);
    }
  free (name);
  return why;
}
