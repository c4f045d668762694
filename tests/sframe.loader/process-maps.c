/* Read the mappings and the memory of a traced process.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "process-maps.h"

#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

/* Append the mapping that LINE of /proc/PID/maps describes.  */
static void
parse_line (struct maps *maps, char *line)
{
  struct mapping m = { 0 };
  char permissions[5];
  int path = 0;
  line[strcspn (line, "\n")] = '\0';
  if (sscanf (line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n",
	      &m.start, &m.end, permissions, &m.offset, &path) != 4)
    errx (2, "strange line in maps: %s", line);
  m.readable = permissions[0] == 'r';
  m.executable = permissions[2] == 'x';
  m.path = strdup (path > 0 ? line + path : "");
  maps->list = reallocarray (maps->list, maps->count + 1, sizeof m);
  if (m.path == NULL || maps->list == NULL)
    err (2, "maps");
  maps->list[maps->count++] = m;
}

void
maps_read (pid_t pid, struct maps *maps)
{
  *maps = (struct maps) { 0 };
  char name[40];
  snprintf (name, sizeof name, "/proc/%d/maps", (int) pid);
  FILE *file = fopen (name, "re");
  if (file == NULL)
    return;
  char *line = NULL;
  size_t size = 0;
  while (getline (&line, &size, file) > 0)
    parse_line (maps, line);
  free (line);
  fclose (file);
}

void
maps_free (struct maps *maps)
{
  for (size_t i = 0; i < maps->count; i++)
    free (maps->list[i].path);
  free (maps->list);
  *maps = (struct maps) { 0 };
}

const struct mapping *
maps_find (const struct maps *maps, uint64_t start, uint64_t size)
{
  for (size_t i = 0; i < maps->count; i++)
    {
      const struct mapping *m = &maps->list[i];
      if (start >= m->start && start < m->end)
	return size <= m->end - start ? m : NULL;
    }
  return NULL;
}

bool
memory_read (pid_t pid, uint64_t address, void *buffer, size_t size)
{
  struct iovec here = { buffer, size };
  struct iovec there = { (void *) (uintptr_t) address, size };
  return process_vm_readv (pid, &here, 1, &there, 1, 0) == (ssize_t) size;
}
