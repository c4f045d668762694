/* Access files by an open directory and a name in it.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: another user may own a directory of the path and replace it by a
   symbolic link at any time.  So the directory is opened once, component by
   component, none of which may be a link.  All later accesses go through this
   descriptor, wherever the directory has been moved to.  */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "sframe-add.h"

enum { DIRECTORY_FLAGS = O_PATH | O_DIRECTORY | O_CLOEXEC };

/* How many links lead to an output file, as in Linux.  */
enum { LINKS_MAX = 40 };

/* Open the directory in DIRECTORY with the NAME of LENGTH bytes, and close
   DIRECTORY.  */
static int
enter (int directory, const char *name, size_t length)
{
  char part[NAME_MAX + 1];
  int inner = -1;

  errno = ENAMETOOLONG;
  if (length <= NAME_MAX)
    {
      memcpy (part, name, length);
      part[length] = '\0';
      inner = openat (directory, part, DIRECTORY_FLAGS | O_NOFOLLOW);
    }
  int reason = errno;
  close (directory);
  errno = reason;
  return inner;
}

const char *
file_at_open (const char *path, struct file_at *at)
{
  const char *slash;

  at->path = message ("%s", path);
  at->name = at->path + 1;
  at->directory = open ("/", DIRECTORY_FLAGS);
  while (at->directory >= 0 && (slash = strchr (at->name, '/')) != NULL)
    {
      at->directory = enter (at->directory, at->name, slash - at->name);
      at->name = slash + 1;
    }
  if (at->directory < 0)
    return message ("cannot open its directory: %s", strerror (errno));
  return NULL;
}

/* The path of the new file PATH without symbolic links but perhaps the last
   part; null, with errno, if its directory does not exist.  */
static char *
path_of_new (const char *path)
{
  char real[PATH_MAX];
  const char *slash = strrchr (path, '/');
  char *directory = (slash == NULL ? message (".")
		     : message ("%.*s/", (int) (slash - path), path));
  const char *found = realpath (directory, real);

  free (directory);
  if (found == NULL)
    return NULL;
  return message ("%s/%s", real, slash == NULL ? path : slash + 1);
}

/* Where the link PATH leads to; null if it is none.  */
static char *
link_target (const char *path)
{
  char target[PATH_MAX];
  ssize_t size = readlink (path, target, sizeof target - 1);

  if (size < 0)
    return NULL;
  target[size] = '\0';
  return (target[0] == '/' ? message ("%s", target)
	  : message ("%.*s/%s", (int) (strrchr (path, '/') - path), path,
		     target));
}

/* Like file_at_output, for a file that does not exist, at the end of at most
   LINKS links.  */
static const char *
file_at_new (const char *path, struct file_at *at, int links)
{
  char *whole = path_of_new (path);
  const char *why;

  if (whole == NULL)
    return message ("cannot find the directory of %s: %s", path,
		    strerror (errno));
  char *target = link_target (whole);
  if (target == NULL)
    why = file_at_open (whole, at);
  else if (links == 0)
    why = message ("%s: %s", path, strerror (ELOOP));
  else
    why = file_at_new (target, at, links - 1);
  free (target);
  free (whole);
  return why;
}

const char *
file_at_output (const char *path, struct file_at *at)
{
  char real[PATH_MAX];

  *at = (struct file_at) { .directory = -1 };
  return (realpath (path, real) != NULL ? file_at_open (real, at)
	  : file_at_new (path, at, LINKS_MAX));
}

void
file_at_close (struct file_at *at)
{
  if (at->directory >= 0)
    close (at->directory);
  free (at->path);
}

/* Replace the last six bytes of NAME by random letters.  */
static bool
choose_name (char *name)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
  unsigned char random[6];
  size_t end = strlen (name) - sizeof random;

  if (getrandom (random, sizeof random, 0) != sizeof random)
    return false;
  for (size_t i = 0; i < sizeof random; ++i)
    name[end + i] = letters[random[i] % (sizeof letters - 1)];
  return true;
}

int
file_at_create (const struct file_at *at, char *name)
{
  for (int tries = 0; tries < 100 && choose_name (name); ++tries)
    {
      int fd = openat (at->directory, name,
		       O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
      if (fd >= 0 || errno != EEXIST)
	return fd;
    }
  return -1;
}

bool
file_at_link (const struct file_at *at, int fd, char *name)
{
  char file[sizeof "/proc/self/fd/" + 3 * sizeof fd];

  snprintf (file, sizeof file, "/proc/self/fd/%d", fd);
  for (int tries = 0; tries < 100 && choose_name (name); ++tries)
    {
      /* The first is for a chroot without /proc.  Before Linux 6.10 it needs a
	 capability.  */
      if (linkat (fd, "", at->directory, name, AT_EMPTY_PATH) == 0
	  || linkat (AT_FDCWD, file, at->directory, name,
		     AT_SYMLINK_FOLLOW) == 0)
	return true;
      if (errno != EEXIST)
	break;
    }
  return false;
}

/* Whether NAME is a file in the directory of AT.  */
static bool
is_beside (const struct file_at *at, const char *name)
{
  return faccessat (at->directory, name, F_OK, 0) == 0;
}

/* The checksum of AT by the first SIZE bytes of its name, or null.  */
static char *
find_checksum (const struct file_at *at, int size)
{
  char *const names[]
    = { message (".%.*s.hmac", size, at->name),
	message ("fipscheck/%.*s.hmac", size, at->name),
	message ("%.*s.chk", size, at->name) };
  char *found = NULL;

  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (found == NULL && is_beside (at, names[i]))
      found = names[i];
    else
      free (names[i]);
  return found;
}

/* A checksum may be named after the file, its soname, or its stem: try the
   name, and what precedes each dot in it.  */
char *
file_at_checksum (const struct file_at *at)
{
  size_t size = strlen (at->name);
  char *found = find_checksum (at, size);

  while (found == NULL && size > 1)
    if (at->name[--size] == '.')
      found = find_checksum (at, size);
  return found;
}
