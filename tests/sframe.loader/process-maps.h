/* The mappings of a traced process, as /proc lists them.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROCESS_MAPS_H
#define PROCESS_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct mapping
{
  uint64_t start;
  uint64_t end;
  uint64_t offset;
  bool readable;
  bool executable;
  /* The file's path, a name in brackets, or an empty string.  */
  char *path;
};

/* In ascending order of address.  */
struct maps
{
  struct mapping *list;
  size_t count;
};

/* Store the current mappings of process PID in *MAPS: none if the process has
   ended.  Free with maps_free.  */
void maps_read (pid_t pid, struct maps *maps);

void maps_free (struct maps *maps);

/* The mapping that contains all of [START, START + SIZE), or NULL.  */
const struct mapping *maps_find (const struct maps *maps, uint64_t start,
				 uint64_t size);

/* Copy SIZE bytes at ADDRESS in process PID to BUFFER.  False if not all of
   them can be read.  */
bool memory_read (pid_t pid, uint64_t address, void *buffer, size_t size);

#endif
