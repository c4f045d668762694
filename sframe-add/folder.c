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

enum { FOLDER_FLAGS = O_PATH | O_DIRECTORY | O_CLOEXEC };

/* How many links lead to an output file, as in Linux.  */
enum { LINKS_MAX = 40 };

/* Open the directory in FOLDER with the NAME of LENGTH bytes, and close
   FOLDER.  */
static int
enter (int folder, const char *name, size_t length)
{
  char part[NAME_MAX + 1];
  int inner = -1;

  errno = ENAMETOOLONG;
  if (length <= NAME_MAX)
    {
      memcpy (part, name, length);
      part[length] = '\0';
      inner = openat (folder, part, FOLDER_FLAGS | O_NOFOLLOW);
    }
  int reason = errno;
  close (folder);
  errno = reason;
  return inner;
}

const char *
place_open (const char *path, struct place *place)
{
  const char *slash;

  place->path = (char *) message ("%s", path);
  place->name = place->path + 1;
  place->folder = open ("/", FOLDER_FLAGS);
  while (place->folder >= 0 && (slash = strchr (place->name, '/')) != NULL)
    {
      place->folder = enter (place->folder, place->name, slash - place->name);
      place->name = slash + 1;
    }
  if (place->folder < 0)
    return message ("cannot open its folder: %s", strerror (errno));
  return NULL;
}

/* The path of the new file PATH without symbolic links but perhaps the last
   part; null, with errno, if its directory does not exist.  */
static char *
path_of_new (const char *path)
{
  char real[PATH_MAX];
  const char *slash = strrchr (path, '/');
  const char *folder = (slash == NULL ? message (".")
			: message ("%.*s/", (int) (slash - path), path));
  const char *found = realpath (folder, real);

  free ((char *) folder);
  if (found == NULL)
    return NULL;
  return (char *) message ("%s/%s", real, slash == NULL ? path : slash + 1);
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
  return (char *) (target[0] == '/' ? message ("%s", target)
		   : message ("%.*s/%s", (int) (strrchr (path, '/') - path),
			      path, target));
}

/* Like place_of_output, for a file that does not exist, at the end of at most
   LINKS links.  */
static const char *
place_of_new (const char *path, struct place *place, int links)
{
  char *whole = path_of_new (path);
  const char *why;

  if (whole == NULL)
    return message ("cannot find the folder of %s: %s", path,
		    strerror (errno));
  char *target = link_target (whole);
  if (target == NULL)
    why = place_open (whole, place);
  else if (links == 0)
    why = message ("%s: %s", path, strerror (ELOOP));
  else
    why = place_of_new (target, place, links - 1);
  free (target);
  free (whole);
  return why;
}

const char *
place_of_output (const char *path, struct place *place)
{
  char real[PATH_MAX];

  *place = (struct place) { .folder = -1 };
  return (realpath (path, real) != NULL ? place_open (real, place)
	  : place_of_new (path, place, LINKS_MAX));
}

void
place_close (struct place *place)
{
  if (place->folder >= 0)
    close (place->folder);
  free (place->path);
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
place_make_file (const struct place *place, char *name)
{
  for (int tries = 0; tries < 100 && choose_name (name); ++tries)
    {
      int fd = openat (place->folder, name,
		       O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
      if (fd >= 0 || errno != EEXIST)
	return fd;
    }
  return -1;
}

bool
place_make_link (const struct place *place, int fd, char *name)
{
  char file[sizeof "/proc/self/fd/" + 3 * sizeof fd];

  snprintf (file, sizeof file, "/proc/self/fd/%d", fd);
  for (int tries = 0; tries < 100 && choose_name (name); ++tries)
    {
      if (linkat (AT_FDCWD, file, place->folder, name,
		  AT_SYMLINK_FOLLOW) == 0)
	return true;
      if (errno != EEXIST)
	break;
    }
  return false;
}
