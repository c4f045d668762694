/* Load files and replace them atomically.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: the new file is written in the directory of the old one, gets its
   attributes and is then renamed over it.  Until then the old file is
   unchanged; programs that run it keep it.  If sframe-add is killed in
   between, it leaves a file with a name that begins with ".sframe-add.", never
   a damaged file.

   If two names were links to one file, the second is linked to the new file
   of the first.  That is done by an open descriptor, and only if the file has
   the right content: whoever owns the first name may replace it at any
   time.  */

#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "sframe-add.h"

/* Pages of zeros become holes if there are enough of them; smaller holes would
   scatter the file on disk.  */
enum { PAGE = 4096, HOLE_MIN = 4 * PAGE };

/* The flags of chattr that a file may have while it is written and renamed;
   the kernel manages the others.  */
enum { KEPT_FLAGS = (FS_SECRM_FL | FS_UNRM_FL | FS_COMPR_FL | FS_SYNC_FL
		     | FS_NODUMP_FL | FS_NOATIME_FL | FS_NOCOMP_FL
		     | FS_JOURNAL_DATA_FL | FS_NOTAIL_FL | FS_NOCOW_FL
		     | FS_DAX_FL) };

/* Say that WHAT, with NAME at its end, cannot be done.  Unlike message, this
   returns if memory is exhausted: the callers have a file to close, and a
   temporary file to remove.  */
static const char *
failed_with (const char *what, const char *name)
{
  char *text;

  return (asprintf (&text, "cannot %s%s: %s", what, name, strerror (errno)) < 0
	  ? "out of memory" : text);
}

static const char *
failed (const char *what)
{
  return failed_with (what, "");
}

/* Read the SIZE bytes of the file into FILE.  */
static const char *
read_all (int fd, uint64_t size, struct buffer *file)
{
  file->data = malloc (size + 1);
  if (file->data == NULL)
    return "there is not enough memory to read it";
  file->capacity = size + 1;
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

/* Why the file is not to be read; null for ELF files but core files.  These
   may be larger than memory: /proc/kcore has 128 TiB.  */
static const char *
refuse (int fd)
{
  Elf32_Ehdr header;
  ssize_t size = pread (fd, &header, sizeof header, 0);

  if (size < SELFMAG || memcmp (header.e_ident, ELFMAG, SELFMAG) != 0)
    return "not an ELF file";
  /* The type is at the same place for 64 bits.  */
  uint16_t core = (header.e_ident[EI_DATA] == ELFDATA2MSB
		   ? htobe16 (ET_CORE) : htole16 (ET_CORE));
  if (size == sizeof header && header.e_type == core)
    return "neither a program nor a shared object";
  return NULL;
}

const char *
load_file (const struct file_at *at, struct buffer *file,
	   struct stat *status, enum outcome *outcome)
{
  const char *why = NULL;
  /* O_NONBLOCK: opening a FIFO would wait for its other end.  */
  int fd = openat (at->directory, at->name,
		   (O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY
		    | O_NOFOLLOW));

  *outcome = OUTCOME_FAILED;
  if (fd < 0)
    return failed ("open it");
  if (fstat (fd, status) != 0)
    why = failed ("get its status");
  else if (!S_ISREG (status->st_mode))
    why = "not a regular file";
  else if ((why = refuse (fd)) != NULL)
    *outcome = OUTCOME_SKIPPED;
  else
    why = read_all (fd, status->st_size, file);
  close (fd);
  return why;
}

/* The bytes of the page of FILE at START.  */
static size_t
page_size (const struct buffer *file, size_t start)
{
  return file->size - start < PAGE ? file->size - start : PAGE;
}

/* Return the end of the pages of zeros at START.  */
static size_t
zeros_end (const struct buffer *file, size_t start)
{
  static const unsigned char zeros[PAGE];

  while (start < file->size
	 && memcmp (file->data + start, zeros, page_size (file, start)) == 0)
    start += page_size (file, start);
  return start;
}

/* Return the end of the hole at START, or of the data up to the next hole.
   Store in *HOLE which of the two it is.  */
static size_t
run_end (const struct buffer *file, size_t start, bool *hole)
{
  size_t end = zeros_end (file, start), next = end;

  *hole = end - start >= HOLE_MIN;
  while (!*hole && next < file->size && next - end < HOLE_MIN)
    {
      end = next + page_size (file, next);
      next = zeros_end (file, end);
    }
  return next - end < HOLE_MIN ? next : end;
}

/* Write FILE to FD, which is empty; pages of zeros become holes: a large .bss
   has a gap in the file, see layout.c.  */
static const char *
write_all (int fd, const struct buffer *file)
{
  bool hole = false;

  if (ftruncate (fd, file->size) != 0)
    return failed ("write the new file");
  for (size_t done = 0, end; done < file->size; done = end)
    {
      end = run_end (file, done, &hole);
      while (done < end && !hole)
	{
	  ssize_t put = pwrite (fd, file->data + done, end - done, done);
	  if (put < 0)
	    return failed ("write the new file");
	  done += put;
	}
    }
  return NULL;
}

/* Remove the extended attribute NAME from TO unless FROM has it: a directory
   may give new files an access control list.  Keep the labels of security
   modules.  */
static const char *
drop_attribute (int from, int to, const char *name)
{
  if (strncmp (name, "system.", 7) == 0
      && fgetxattr (from, name, NULL, 0) < 0 && errno == ENODATA
      && fremovexattr (to, name) != 0)
    return failed_with ("remove the attribute ", name);
  return NULL;
}

/* Give TO the extended attribute NAME of FROM, unless it has a checksum or
   signature of the old bytes.  On failure set errno.  */
static bool
give_attribute (int from, int to, const char *name)
{
  if (strcmp (name, "security.ima") == 0 || strcmp (name, "security.evm") == 0)
    return true;
  char value[XATTR_SIZE_MAX];
  ssize_t size = fgetxattr (from, name, value, sizeof value);

  return size >= 0 && fsetxattr (to, name, value, size, 0) == 0;
}

static const char *
copy_attribute (int from, int to, const char *name)
{
  return (give_attribute (from, to, name) ? NULL
	  : failed_with ("copy its attribute ", name));
}

/* Copy the extended attribute NAME if the file system of TO has such
   attributes.  Capabilities only root may give.  */
static const char *
copy_known_attribute (int from, int to, const char *name)
{
  if (fgetxattr (to, name, NULL, 0) < 0 && errno == ENOTSUP)
    return NULL;
  if (give_attribute (from, to, name)
      || (errno == EPERM && strncmp (name, "security.", 9) == 0))
    return NULL;
  return failed_with ("copy its attribute ", name);
}

/* Call FUNCTION for each attribute of LISTED, which is FROM or TO.  */
static const char *
each_attribute (int listed, int from, int to,
		const char *(*function) (int, int, const char *))
{
  char names[XATTR_LIST_MAX];
  ssize_t size = flistxattr (listed, names, sizeof names);
  const char *why = NULL;

  if (size < 0)
    return errno == ENOTSUP ? NULL : failed ("list its attributes");
  for (const char *name = names; name < names + size && why == NULL;
       name += strlen (name) + 1)
    why = function (from, to, name);
  return why;
}

/* Copy the inode flags of FROM to TO, which its directory may have given
   others.  Not every file system has them.  */
static const char *
copy_flags (int from, int to)
{
  int wanted, made;

  if (ioctl (from, FS_IOC_GETFLAGS, &wanted) != 0
      || ioctl (to, FS_IOC_GETFLAGS, &made) != 0
      || ((wanted ^ made) & KEPT_FLAGS) == 0)
    return NULL;
  made = (made & ~KEPT_FLAGS) | (wanted & KEPT_FLAGS);
  return (ioctl (to, FS_IOC_SETFLAGS, &made) == 0 ? NULL
	  : failed ("keep its flags (lsattr)"));
}

/* Copy mode, attributes and times of FROM to TO; the special mode bits and the
   attributes only if TO has the same owner (OWNED).  If TO is a COPY, it may
   be on a file system without such attributes.  The access control list that
   its directory gave to TO goes first: the mode would make it effective.  */
static const char *
copy_status (int from, int to, const struct stat *status, bool owned,
	     bool copy)
{
  const struct timespec times[2] = { status->st_atim, status->st_mtim };
  mode_t mode = status->st_mode & (owned ? 07777 : 0777);
  struct stat made;

  const char *why = each_attribute (to, from, to, drop_attribute);
  if (why == NULL && fchmod (to, mode) != 0)
    why = failed ("keep its mode");
  if (why == NULL && owned)
    why = each_attribute (from, from, to,
			  copy ? copy_known_attribute : copy_attribute);
  if (why == NULL && futimens (to, times) != 0)
    why = failed ("keep its times");
  /* The kernel clears a set-group-ID bit that the user may not give, without
     an error.  */
  if (why == NULL && (fstat (to, &made) != 0
		      || (mode & ~made.st_mode & (S_ISUID | S_ISGID)) != 0))
    why = "cannot keep its set-group-ID bit";
  return why;
}

/* Whether FD is the file of STATUS, unchanged.  */
static bool
is_unchanged (int fd, const struct stat *status)
{
  struct stat now;

  return (fstat (fd, &now) == 0 && now.st_dev == status->st_dev
	  && now.st_ino == status->st_ino && now.st_size == status->st_size
	  && now.st_ctim.tv_sec == status->st_ctim.tv_sec
	  && now.st_ctim.tv_nsec == status->st_ctim.tv_nsec);
}

/* Write FILE to FD, with the attributes of FROM, and sync it to disk.  Some
   flags can be given to empty files only.  A change of the owner clears
   set-user-ID bits and capabilities, so that comes before these.  A COPY may
   keep the owner who made it, and be on a file system with other flags and
   attributes.  */
static const char *
fill (int fd, int from, const struct stat *status, bool copy,
      const struct buffer *file)
{
  struct stat made;
  const char *why = copy_flags (from, fd);

  if (why != NULL && !copy)
    return why;
  why = write_all (fd, file);
  if (why == NULL && fstat (fd, &made) != 0)
    why = failed ("get the status of the new file");
  if (why != NULL)
    return why;
  bool owned = (made.st_uid == status->st_uid && made.st_gid == status->st_gid)
	       || fchown (fd, status->st_uid, status->st_gid) == 0;
  if (!owned && !copy)
    return failed ("keep its owner");
  /* This may take long.  A program that is left behind meanwhile must have no
     privileges.  */
  if (fsync (fd) != 0)
    return failed ("write the new file");
  why = copy_status (from, fd, status, owned, copy);
  if (why == NULL && fsync (fd) != 0)
    why = failed ("write the attributes of the new file");
  if (why == NULL && !is_unchanged (from, status))
    why = "it was changed while sframe-add worked on it";
  return why;
}

/* Fill the new file FD, which is NAME in the directory of OUT, and rename it
   to OUT.  The name LIKE may meanwhile belong to another file, whose
   set-user-ID bit must not be given to these bytes.  */
static const char *
fill_and_rename (int fd, const char *name, const struct file_at *out,
		 const struct file_at *like, const struct stat *status,
		 const struct buffer *file)
{
  int from = openat (like->directory, like->name,
		     O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
  const char *why;

  if (from < 0)
    return failed ("open it");
  why = (is_unchanged (from, status)
	 ? fill (fd, from, status, out != like, file)
	 : "it was changed while sframe-add worked on it");
  close (from);
  if (why == NULL
      && renameat (out->directory, name, out->directory, out->name) != 0)
    why = failed_with ("rename the new file to ", out->name);
  return why;
}

/* Replace OUT, which messages call SHOWN, by FILE.  */
static const char *
replace_at (const struct file_at *out, const char *shown,
	    const struct file_at *like, const struct stat *status,
	    const struct buffer *file)
{
  char name[] = ".sframe-add.XXXXXX";
  int fd = file_at_create (out, name);

  if (fd < 0)
    return failed_with ("make a file beside ", shown);
  const char *why = fill_and_rename (fd, name, out, like, status, file);
  close (fd);
  if (why != NULL)
    unlinkat (out->directory, name, 0);
  return why;
}

const char *
replace_file (const char *out, const struct file_at *like,
	      const struct stat *status, const struct buffer *file)
{
  struct file_at at;
  struct stat old;

  if (out == NULL)
    return replace_at (like, "it", like, status, file);
  /* The kernel may forbid to follow a link, as others may have made it in a
     directory like /tmp.  A link below /proc may lead to what has no path,
     such as a pipe.  */
  if (stat (out, &old) != 0)
    {
      if (errno != ENOENT)
	return failed_with ("write ", out);
    }
  else if (!S_ISREG (old.st_mode))
    return message ("%s is not a regular file", out);
  else if (faccessat (AT_FDCWD, out, W_OK, AT_EACCESS) != 0)
    return failed_with ("write ", out);
  const char *why = file_at_output (out, &at);
  if (why == NULL)
    why = replace_at (&at, out, like, status, file);
  file_at_close (&at);
  return why;
}

/* Whether FD has the bytes of FILE, and owner, mode and times of STATUS.  */
static bool
is_made (int fd, const struct stat *status, const struct buffer *file)
{
  struct stat made;
  struct buffer bytes = { 0 };

  bool same = (fstat (fd, &made) == 0 && made.st_mode == status->st_mode
	       && made.st_uid == status->st_uid
	       && made.st_gid == status->st_gid
	       && made.st_mtim.tv_sec == status->st_mtim.tv_sec
	       && made.st_mtim.tv_nsec == status->st_mtim.tv_nsec
	       && made.st_size == file->size
	       && read_all (fd, file->size, &bytes) == NULL
	       && memcmp (bytes.data, file->data, file->size) == 0);
  free (bytes.data);
  return same;
}

/* Replace AT, if it has *STATUS, by a link to FD.  */
static bool
link_at (int fd, const struct file_at *at, const struct stat *status)
{
  char name[] = ".sframe-add.XXXXXX";
  int old = openat (at->directory, at->name,
		    O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
  bool unchanged = old >= 0 && is_unchanged (old, status);

  if (old >= 0)
    close (old);
  if (!unchanged || !file_at_link (at, fd, name))
    return false;
  bool linked = renameat (at->directory, name, at->directory, at->name) == 0;
  /* If AT is a link to FD already, renameat does nothing, and succeeds.  */
  unlinkat (at->directory, name, 0);
  return linked;
}

bool
link_file (const char *other, const struct file_at *at,
	   const struct stat *status, const struct buffer *file)
{
  struct file_at from;
  int fd = -1;

  if (file_at_open (other, &from) == NULL)
    fd = openat (from.directory, from.name,
		 O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
  file_at_close (&from);
  bool linked = (fd >= 0 && is_made (fd, status, file)
		 && link_at (fd, at, status));
  if (fd >= 0)
    close (fd);
  return linked;
}
